// What the suite of blob stores is made of. It is compiled once; a backend's tests register it:
//
//   INSTANTIATE_TEST_SUITE_P(Fs, BlobStoreSuite, ::testing::Values(&MakeBackend<FsBackend>));
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/run_task.h"
#include "blobs/blob_texts_fake.h"

namespace koya {

// "DIGEST SIZE" of each blob, as pages of `limit` list them.
inline std::vector<std::string> ListAll(BlobStore& store, std::size_t limit = 7) {
  std::vector<std::string> found;
  std::optional<Digest> after;
  while (true) {
    Result<std::vector<BlobInfo>> page = RunTask(store.List(after, limit));
    EXPECT_TRUE(page);
    if (!page || page->empty()) return found;
    EXPECT_LE(page->size(), limit);
    after = page->back().digest;
    for (const BlobInfo& info : *page) {
      found.push_back(info.digest.hex() + " " + std::to_string(info.size));
    }
  }
}

// An empty store for one test.
class BlobStoreBackend {
 public:
  virtual ~BlobStoreBackend() = default;

  virtual BlobStore& store() = 0;
  // From now on the blob, if it is there, was last committed so long ago.
  virtual void SetAge(const Digest& digest, std::chrono::seconds age) = 0;
};

template <class Backend>
std::unique_ptr<BlobStoreBackend> MakeBackend() {
  return std::make_unique<Backend>();
}

class BlobStoreSuite : public ::testing::TestWithParam<std::unique_ptr<BlobStoreBackend> (*)()> {
 protected:
  BlobStore& store() { return backend_->store(); }
  BlobStoreBackend& backend() { return *backend_; }

 private:
  const std::unique_ptr<BlobStoreBackend> backend_ = GetParam()();
};

}  // namespace koya
