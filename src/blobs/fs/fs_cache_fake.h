// For tests: a cache in a folder of its own, and what lies in that folder.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/fs/fs_cache.h"

namespace koya {

class FsCacheFixture : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kBound = 1000;

  std::unique_ptr<FsCache> OpenCache(std::uint64_t bound = kBound) {
    FsCacheOptions options{.bound = bound,
                           .on_gone =
                               [this](const Digest& digest) {
                                 std::lock_guard lock(mutex_);
                                 gone_.push_back(digest);
                               },
                           .on_trouble =
                               [this](std::string_view, const Error& error) {
                                 std::lock_guard lock(mutex_);
                                 trouble_.push_back(error);
                               }};
    auto cache = FsCache::Open(root_, {readers_, writers_, files_}, std::move(options));
    EXPECT_TRUE(cache) << cache.error().message;
    return *std::move(cache);
  }

  // `size` bytes that begin with `name`.
  static std::string Content(std::string name, std::size_t size) {
    name.resize(size, '.');
    return name;
  }
  std::string PathOf(std::string_view content) const {
    return BlobLayout(root_).PathOf(Digest::Of(content));
  }
  bool IsKept(std::string_view content) const { return std::filesystem::exists(PathOf(content)); }
  static bool CanOpen(FsCache& cache, std::string_view content) {
    return RunTask(cache.Open(Digest::Of(content))).has_value();
  }
  static std::shared_ptr<Blob> MustOpen(FsCache& cache, std::string_view content) {
    Result<std::shared_ptr<Blob>> blob = RunTask(cache.Open(Digest::Of(content)));
    EXPECT_TRUE(blob) << blob.error().message;
    return blob.value_or(nullptr);
  }
  // Files and their sizes, by digest.
  std::map<Digest, std::uint64_t> InFolder() const {
    std::map<Digest, std::uint64_t> files;
    for (const BlobInfo& info : ListCommitted(BlobLayout(root_), std::nullopt, 100'000)) {
      files.emplace(info.digest, info.size);
    }
    return files;
  }
  std::uint64_t BytesInFolder() const {
    std::uint64_t sum = 0;
    for (const auto& [digest, size] : InFolder()) sum += size;
    return sum;
  }
  std::size_t StagedFiles() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(root_ + "/tmp"),
                      std::filesystem::directory_iterator()));
  }
  void SetAge(std::string_view content, std::chrono::seconds age) const {
    const std::time_t at = std::time(nullptr) - age.count();
    const timespec times[2] = {{at, 0}, {at, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, PathOf(content).c_str(), times, 0), 0);
  }
  // Each pool has one thread, so that work posted before a call is done when the call returns.
  void WaitForCleanUp() {
    EXPECT_TRUE(RunTask(Offload(readers_, [] { return Status(); })));
    EXPECT_TRUE(RunTask(Offload(writers_, [] { return Status(); })));
  }
  std::vector<Digest> gone() {
    std::lock_guard lock(mutex_);
    return gone_;
  }
  std::vector<Error> trouble() {
    std::lock_guard lock(mutex_);
    return trouble_;
  }

  TempFolder folder_;
  std::string root_ = folder_ / "cache";
  std::mutex mutex_;
  std::vector<Digest> gone_;
  std::vector<Error> trouble_;
  WorkerPool readers_{1};
  WorkerPool writers_{1};
  OpenFiles files_{16};
};

}  // namespace koya
