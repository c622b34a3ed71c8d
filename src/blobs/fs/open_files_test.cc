#include "blobs/fs/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <future>
#include <latch>

#include "base/temp_folder_fake.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/fs/fs_blob_store.h"

namespace koya {
namespace {

constexpr std::size_t kMost = 8;

class OpenFilesTest : public ::testing::Test {
 protected:
  Digest Put(const std::string& content) {
    EXPECT_TRUE(RunTask(Store(*store_, content)));
    return Digest::Of(content);
  }
  std::shared_ptr<Blob> Open(const Digest& digest) {
    Result<std::shared_ptr<Blob>> blob = RunTask(store_->Open(digest));
    EXPECT_TRUE(blob) << blob.error().detail;
    return blob.value_or(nullptr);
  }
  std::string PathOf(const Digest& digest) const { return BlobLayout(root_).PathOf(digest); }
  std::unique_ptr<FsBlobStore> OpenStore() {
    return *FsBlobStore::Open(root_, {readers_, writers_, files_});
  }

  TempFolder folder_;
  std::string root_ = folder_ / "blobs";
  WorkerPool readers_{2};
  WorkerPool writers_{8};
  OpenFiles files_{kMost};
  std::unique_ptr<FsBlobStore> store_ = OpenStore();
};

TEST_F(OpenFilesTest, ABlobTakesOneDescriptorHoweverOftenItIsOpened) {
  Digest digest = Put("koya");
  int first = *Open(digest)->file_descriptor();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Open(digest)->file_descriptor(), first);
  EXPECT_EQ(files_.count(), 1U);
}

TEST_F(OpenFilesTest, TheLeastRecentlyUsedGoFirst) {
  Digest used = Put("used");
  Open(used);
  std::weak_ptr<Blob> kept = Open(used);
  for (int i = 0; i < 50; ++i) {
    Open(Put(std::to_string(i)));
    ASSERT_FALSE(kept.expired()) << i;
    (void)kept.lock()->file_descriptor();
    ASSERT_LE(files_.count(), kMost);
  }
}

TEST_F(OpenFilesTest, ARemovedBlobDoesNotGoOnTakingDisk) {
  Digest digest = Put("koya");
  std::weak_ptr<Blob> kept = Open(digest);
  ASSERT_FALSE(kept.expired());
  ASSERT_EQ(RunTask(store_->RemoveIfOlder(digest, std::chrono::seconds(0))), true);
  EXPECT_TRUE(kept.expired());
}

TEST_F(OpenFilesTest, WhatAnotherProcessRemovesIsClosedAsWell) {
  Digest removed = Put("removed");
  Digest stays = Put("stays");
  std::weak_ptr<Blob> kept_removed = Open(removed);
  std::weak_ptr<Blob> kept = Open(stays);
  std::filesystem::remove(PathOf(removed));
  files_.Tidy(std::chrono::hours(1));
  EXPECT_TRUE(kept_removed.expired());
  EXPECT_FALSE(kept.expired());
}

TEST_F(OpenFilesTest, WhatNobodyUsesIsClosed) {
  std::weak_ptr<Blob> kept = Open(Put("koya"));
  files_.Tidy(std::chrono::hours(1));
  EXPECT_FALSE(kept.expired());
  files_.Tidy(std::chrono::seconds(0));
  EXPECT_TRUE(kept.expired());
}

TEST_F(OpenFilesTest, AMendedBlobIsNotServedFromItsDamagedFile) {
  Digest digest = Put("whole content");
  std::weak_ptr<Blob> damaged = Open(digest);
  std::filesystem::resize_file(PathOf(digest), 5);
  Put("whole content");
  EXPECT_TRUE(damaged.expired());
  EXPECT_EQ(RunTask(ReadAll(Open(digest))), "whole content");
}

TEST_F(OpenFilesTest, AFileThatWasReplacedIsOpenedAnew) {
  Digest digest = Put("koya");
  std::weak_ptr<Blob> kept = Open(digest);
  std::filesystem::copy_file(PathOf(digest), folder_ / "copy");
  std::filesystem::rename(folder_ / "copy", PathOf(digest));
  EXPECT_NE(Open(digest), kept.lock());
  EXPECT_EQ(files_.count(), 1U);
}

// Lowers the process's limit to the descriptors in use.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    UniqueFd next(::dup(0));
    now.rlim_cur = static_cast<rlim_t>(next.get());
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(OpenFilesTest, GivesWayWhenThereAreNoDescriptorsLeft) {
  Digest other = Put("other");
  for (int i = 0; i < 4; ++i) Open(Put("kept " + std::to_string(i)));
  ASSERT_EQ(files_.count(), 4U);
  {
    NoDescriptors none;
    auto open = [&]() -> Result<UniqueFd> {
      UniqueFd fd(::open(PathOf(other).c_str(), O_RDONLY | O_CLOEXEC));
      if (!fd.valid()) return Failure(ErrnoError("open", errno));
      return fd;
    };
    Result<UniqueFd> refused = open();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
    EXPECT_TRUE(files_.WithDescriptors(open));
  }
  EXPECT_EQ(files_.count(), 2U);
}

TEST_F(OpenFilesTest, UploadsThatWaitForTheDiskDoNotKeepReadersWaiting) {
  Digest digest = Put("koya");
  std::promise<void> disk;
  std::shared_future<void> disk_answers = disk.get_future().share();
  std::latch all_wait(static_cast<std::ptrdiff_t>(writers_.threads()));
  for (std::size_t i = 0; i < writers_.threads(); ++i) {
    writers_.Post([&all_wait, disk_answers] {
      all_wait.count_down();
      disk_answers.wait();
    });
  }
  all_wait.wait();
  EXPECT_EQ(RunTask(ReadAll(Open(digest))), "koya");
  disk.set_value();
}

}  // namespace
}  // namespace koya
