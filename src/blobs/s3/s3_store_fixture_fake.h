// For tests: servers with a cache each, over one store of objects and one ledger.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder_fake.h"
#include "blobs/blob_store_suite_base.h"
#include "blobs/fill.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/s3/object_client_fake.h"
#include "blobs/s3/s3_blob_store.h"
#include "catalog/memory_blob_ledger_fake.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"

namespace koya {

// A ledger whose rows are older than nothing as soon as they were written.
class TestLedger final : public FakeBlobLedger {
 public:
  Task<std::vector<Digest>> MarkLeaving(std::vector<Digest> digests,
                                        std::chrono::seconds grace) override {
    if (grace == std::chrono::seconds(0)) Advance(std::chrono::seconds(1));
    co_return co_await FakeBlobLedger::MarkLeaving(std::move(digests), grace);
  }
  Task<std::vector<Digest>> FindOlder(std::vector<Digest> digests,
                                      std::chrono::seconds grace) override {
    if (grace == std::chrono::seconds(0)) Advance(std::chrono::seconds(1));
    co_return co_await FakeBlobLedger::FindOlder(std::move(digests), grace);
  }
};

// One server's part: a cache of its own.
class TestS3Server {
 public:
  TestS3Server(ObjectClient& objects, BlobLedger& ledger, S3BlobOptions options = {})
      : blobs_({objects, ledger, *files_, log_}, std::move(options)) {}

  S3BlobStore& blobs() { return blobs_; }
  std::string cache_folder() const { return (folder_ / "cache").string(); }
  std::string CachedPathOf(std::string_view content) const {
    return BlobLayout(cache_folder()).PathOf(Digest::Of(content));
  }
  std::string Log() { return capture_.Text(); }
  // What a reader gets. What has arrived for it is kept when this returns.
  Result<std::string> Read(std::string_view content) {
    return RunTask(ReadAndWait(blobs_, Digest::Of(content)));
  }
  // The reader's final error, after retries of kUnavailable.
  ErrorKind ReadToTheEnd(std::string_view content) {
    Result<std::string> read = Read(content);
    for (int i = 0; i < 3 && KindOf(read) == ErrorKind::kUnavailable; ++i) read = Read(content);
    return KindOf(read);
  }

 private:
  static Task<std::string> ReadAndWait(BlobStore& blobs, Digest digest) {
    ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await blobs.Open(digest));
    Result<std::string> read = co_await ReadAll(blob);
    if (std::shared_ptr<Fill> fill = blob->growth()) {
      Status ended = co_await fill->WaitForEnd();
      EXPECT_EQ(ended.has_value(), read.has_value());
    }
    co_return read;
  }

  TempFolder folder_;
  LogCapture capture_;
  Logger log_{capture_.writer(), LogLevel::kInfo};
  WorkerPool pool_{4};
  OpenFiles open_files_{64};
  std::unique_ptr<FsBlobStore> files_ =
      *FsBlobStore::Open(cache_folder(), {pool_, pool_, open_files_});
  S3BlobStore blobs_;
};

inline S3BlobOptions QuickTestOptions() {
  S3BlobOptions options;
  options.fills.missing_waits.assign(3, std::chrono::milliseconds(1));
  return options;
}

// The suite over any client: `Objects` has `ObjectClient& client()`, whose names are its own.
template <class Objects>
struct S3Backend : BlobStoreBackend {
  Objects objects;
  TestLedger ledger;
  TestS3Server server{objects.client(), ledger, QuickTestOptions()};
  BlobStore& store() override { return server.blobs(); }
  void SetAge(const Digest& /*digest*/, std::chrono::seconds age) override { ledger.Advance(age); }
};

// Two servers: what one has stored is cold for the other.
class S3StoreTest : public ::testing::Test {
 protected:
  using State = FakeBlobLedger::State;

  // Stores `content` by another server with its own cache. Returns its object's name.
  std::string OtherStore(const std::string& content) {
    EXPECT_TRUE(RunTask(Store(elsewhere_.blobs(), content, 1 << 20)));
    Result<BlobObject> object = RunTask(ledger_.FindStored(Digest::Of(content)));
    EXPECT_TRUE(object);
    return object ? object->name : "";
  }
  static std::string Large(char letter = 'k') { return std::string(1'300'000, letter); }

  FakeObjectClient objects_;
  TestLedger ledger_;
  TestS3Server elsewhere_{objects_, ledger_, QuickTestOptions()};
  TestS3Server here_{objects_, ledger_, QuickTestOptions()};
};

}  // namespace koya
