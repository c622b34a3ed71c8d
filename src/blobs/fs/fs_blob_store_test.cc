#include "blobs/fs/fs_blob_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "base/temp_folder_fake.h"
#include "blobs/blob_store_suite_base.h"

namespace koya {
namespace {

namespace fs = std::filesystem;

struct FsBackend : BlobStoreBackend {
  TempFolder folder;
  WorkerPool pool{3};
  OpenFiles files{16};
  std::unique_ptr<FsBlobStore> blobs = *FsBlobStore::Open(folder / "blobs", {pool, pool, files});
  BlobStore& store() override { return *blobs; }
  void SetAge(const Digest& digest, std::chrono::seconds age) override {
    const std::string path = BlobLayout(folder / "blobs").PathOf(digest);
    const std::time_t at = std::time(nullptr) - age.count();
    const timespec times[2] = {{at, 0}, {at, 0}};
    if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) EXPECT_EQ(errno, ENOENT);
  }
};

INSTANTIATE_TEST_SUITE_P(Fs, BlobStoreSuite, ::testing::Values(&MakeBackend<FsBackend>));

class FsBlobStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<FsBlobStore> OpenStore() {
    Result<std::unique_ptr<FsBlobStore>> store = FsBlobStore::Open(root_, {pool_, pool_, files_});
    EXPECT_TRUE(store) << store.error().message;
    return *std::move(store);
  }
  std::string PathOf(std::string_view content) const {
    return BlobLayout(root_).PathOf(Digest::Of(content));
  }
  std::size_t FilesBeingWritten() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root_ + "/tmp"), fs::directory_iterator()));
  }
  // One thread, so that work posted before a call is done when the call returns.
  void WaitForCleanUp() {
    EXPECT_TRUE(RunTask(Offload(pool_, [] { return Status(); })));
  }

  TempFolder folder_;
  std::string root_ = folder_ / "blobs";
  WorkerPool pool_{1};
  OpenFiles files_{16};
};

unsigned ModeOf(const std::string& path) {
  return static_cast<unsigned>(fs::status(path).permissions());
}

TEST_F(FsBlobStoreTest, LaysBlobsOutByDigest) {
  auto store = OpenStore();
  ASSERT_TRUE(RunTask(Store(*store, "koya")));
  std::string hex = Digest::Of("koya").hex();
  std::string path = root_ + "/sha256/" + hex.substr(0, 2) + "/" + hex.substr(2);
  EXPECT_EQ(fs::file_size(path), 4u);
  EXPECT_EQ(ModeOf(path) & 0137u, 0u);
  EXPECT_EQ(ModeOf(root_) & 0027u, 0u);
  EXPECT_EQ(ModeOf(root_ + "/sha256/" + hex.substr(0, 2)) & 0027u, 0u);
}

TEST_F(FsBlobStoreTest, AnUncommittedWriterLeavesNothing) {
  auto store = OpenStore();
  auto writer = RunTask(Stage(*store, "half", 2));
  ASSERT_TRUE(writer);
  EXPECT_EQ(FilesBeingWritten(), 1u);
  writer->reset();
  WaitForCleanUp();
  EXPECT_EQ(FilesBeingWritten(), 0u);
}

TEST_F(FsBlobStoreTest, CommittingStoredBytesLeavesNoTemporaryFile) {
  auto store = OpenStore();
  ASSERT_TRUE(RunTask(Store(*store, "twice")));
  ASSERT_TRUE(RunTask(Store(*store, "twice")));
  WaitForCleanUp();
  EXPECT_EQ(FilesBeingWritten(), 0u);
}

TEST_F(FsBlobStoreTest, OpeningRemovesLeftoversButNotFilesBeingWritten) {
  auto first = OpenStore();
  auto writer = RunTask(Stage(*first, "being written", 4));
  ASSERT_TRUE(writer);
  std::ofstream(root_ + "/tmp/leftover") << "from a killed server";
  auto second = OpenStore();
  EXPECT_FALSE(fs::exists(root_ + "/tmp/leftover"));
  ASSERT_TRUE(RunTask((*writer)->Commit()));
  EXPECT_EQ(RunTask(Load(*second, Digest::Of("being written"))), "being written");
}

TEST_F(FsBlobStoreTest, BlobsSurviveReopening) {
  ASSERT_TRUE(RunTask(Store(*OpenStore(), "lasting")));
  EXPECT_EQ(RunTask(Load(*OpenStore(), Digest::Of("lasting"))), "lasting");
}

TEST_F(FsBlobStoreTest, CommittingAgainRenewsTheAge) {
  auto store = OpenStore();
  ASSERT_TRUE(RunTask(Store(*store, "aged")));
  const timespec long_ago[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, PathOf("aged").c_str(), long_ago, 0), 0);
  ASSERT_TRUE(RunTask(Store(*store, "aged")));
  EXPECT_EQ(RunTask(store->RemoveIfOlder(Digest::Of("aged"), std::chrono::hours(1))), false);
  ASSERT_EQ(::utimensat(AT_FDCWD, PathOf("aged").c_str(), long_ago, 0), 0);
  EXPECT_EQ(RunTask(store->RemoveIfOlder(Digest::Of("aged"), std::chrono::hours(1))), true);
}

TEST_F(FsBlobStoreTest, ATruncatedBlobIsCorruptUntilItIsCommittedAgain) {
  auto store = OpenStore();
  ASSERT_TRUE(RunTask(Store(*store, "whole content")));
  std::string path = PathOf("whole content");
  if (::getxattr(path.c_str(), BlobLayout::kSizeAttribute, nullptr, 0) < 0) {
    GTEST_SKIP() << "skipped: this file system keeps no user attributes";
  }
  fs::resize_file(path, 5);
  Result<std::shared_ptr<Blob>> blob = RunTask(store->Open(Digest::Of("whole content")));
  ASSERT_EQ(KindOf(blob), ErrorKind::kCorrupt);
  EXPECT_NE(blob.error().message.find("5 bytes instead of 13"), std::string::npos);
  ASSERT_TRUE(RunTask(Store(*store, "whole content")));
  EXPECT_EQ(RunTask(Load(*store, Digest::Of("whole content"))), "whole content");
}

TEST_F(FsBlobStoreTest, CommittingAgainMendsAByteThatChanged) {
  auto store = OpenStore();
  ASSERT_TRUE(RunTask(Store(*store, "whole content")));
  std::fstream(PathOf("whole content"), std::ios::in | std::ios::out) << "W";
  EXPECT_EQ(RunTask(Load(*store, Digest::Of("whole content"))), "Whole content");
  ASSERT_TRUE(RunTask(Store(*store, "whole content")));
  EXPECT_EQ(RunTask(Load(*store, Digest::Of("whole content"))), "whole content");
  fs::remove(PathOf("whole content"));
  ASSERT_TRUE(RunTask(Store(*store, "whole content")));
  EXPECT_EQ(RunTask(Load(*store, Digest::Of("whole content"))), "whole content");
}

TEST_F(FsBlobStoreTest, FilesThatAreNotBlobsAreNotListed) {
  auto store = OpenStore();
  ASSERT_TRUE(RunTask(Store(*store, "koya")));
  fs::path folder = fs::path(PathOf("koya")).parent_path();
  std::ofstream(folder / "README") << "not a blob";
  std::ofstream(folder / std::string(62, 'g')) << "not hex";
  fs::create_directory(folder / std::string(62, '0'));
  EXPECT_EQ(ListAll(*store).size(), 1u);
}

TEST_F(FsBlobStoreTest, AFullDiskIsStorageFullAndStaysSo) {
  auto store = OpenStore();
  StagedFile full(UniqueFd(::open("/dev/full", O_RDWR | O_CLOEXEC)), root_ + "/tmp/full");
  FsBlobWriter writer(*store, pool_, std::move(full), UniqueFd());
  std::vector<std::byte> bytes(1000);
  Status written = writer.Write(bytes);
  ASSERT_EQ(KindOf(written), ErrorKind::kStorageFull);
  EXPECT_NE(written.error().message.find("disk is full"), std::string::npos);
  EXPECT_EQ(KindOf(writer.Write(AsBytes("more"))), ErrorKind::kStorageFull);
  EXPECT_EQ(KindOf(writer.Finish()), ErrorKind::kStorageFull);
  EXPECT_FALSE(RunTask(writer.Commit()));
}

TEST_F(FsBlobStoreTest, ARealFullDiskStoresNothing) {
  fs::create_directory(root_);
  if (::mount("tmpfs", root_.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "skipped: mounting a small tmpfs is not allowed here";
  }
  ScopeGuard unmount([this] { ::umount2(root_.c_str(), MNT_DETACH); });
  auto store = OpenStore();
  EXPECT_EQ(KindOf(RunTask(Store(*store, std::string(1 << 20, 'f')))), ErrorKind::kStorageFull);
  WaitForCleanUp();
  EXPECT_EQ(FilesBeingWritten(), 0u);
  EXPECT_TRUE(ListAll(*store).empty());
  EXPECT_TRUE(RunTask(Store(*store, "room again")));
}

TEST_F(FsBlobStoreTest, AFolderThatCannotBeUsedIsNamed) {
  std::ofstream(root_) << "a file";
  Result<std::unique_ptr<FsBlobStore>> store = FsBlobStore::Open(root_, {pool_, pool_, files_});
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find(root_), std::string::npos);
}

// Two processes on one folder: at one step of what this one does the other one is quicker.
class SharedFolderTest : public FsBlobStoreTest {
 protected:
  SharedFolderTest() {
    EXPECT_TRUE(RunTask(Store(*other_, "shared")));
    Age(PathOf("shared"));
  }

  static void Age(const std::string& path, std::time_t to = 1'000'000'000) {
    const timespec times[2] = {{to, 0}, {to, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  std::unique_ptr<FsBlobStore> OvertakenAt(FsStep step, std::function<void()> by) {
    auto watch = [step, by = std::move(by), done = false](FsStep at) mutable {
      if (at == step && !std::exchange(done, true)) by();
    };
    return *FsBlobStore::Open(root_, {pool_, pool_, files_}, watch);
  }
  void CommitByOther() { EXPECT_TRUE(RunTask(Store(*other_, "shared"))); }
  Result<bool> RemoveBy(FsBlobStore& store) {
    return RunTask(store.RemoveIfOlder(Digest::Of("shared"), std::chrono::hours(1)));
  }
  Result<std::string> Read() { return RunTask(Load(*other_, Digest::Of("shared"))); }

  WorkerPool other_pool_{1};
  OpenFiles other_files_{100};
  std::unique_ptr<FsBlobStore> other_ =
      *FsBlobStore::Open(root_, {other_pool_, other_pool_, other_files_});
};

TEST_F(SharedFolderTest, ACommitByAnotherServerDuringARemovalKeepsItsBytes) {
  for (FsStep step : {FsStep::kFoundOld, FsStep::kMovedAway}) {
    Age(PathOf("shared"));
    auto remover = OvertakenAt(step, [this] { CommitByOther(); });
    ASSERT_TRUE(RemoveBy(*remover));
    EXPECT_EQ(Read(), "shared") << static_cast<int>(step);
    EXPECT_EQ(FilesBeingWritten(), 0u);
  }
}

TEST_F(SharedFolderTest, ARemovalByAnotherServerDuringACommitLeavesTheBytesThere) {
  Result<bool> removed = false;
  auto committer = OvertakenAt(FsStep::kFoundWhole, [&] { removed = RemoveBy(*other_); });
  ASSERT_TRUE(RunTask(Store(*committer, "shared")));
  EXPECT_EQ(removed, true);
  EXPECT_EQ(Read(), "shared");
  WaitForCleanUp();
  EXPECT_EQ(FilesBeingWritten(), 0u);
}

TEST_F(SharedFolderTest, OfTwoServersThatRemoveABlobOneDoes) {
  for (FsStep step : {FsStep::kFoundOld, FsStep::kMovedAway}) {
    CommitByOther();
    Age(PathOf("shared"));
    Result<bool> first = false;
    auto remover = OvertakenAt(step, [&] { first = RemoveBy(*other_); });
    Result<bool> second = RemoveBy(*remover);
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_NE(*first, *second) << static_cast<int>(step);
    EXPECT_EQ(KindOf(Read()), ErrorKind::kNotFound);
    EXPECT_EQ(FilesBeingWritten(), 0u);
  }
}

TEST_F(SharedFolderTest, WhatARemoverHadInHandAsItDiedComesBack) {
  const std::string away = BlobLayout(root_).LeavingPathOf(Digest::Of("shared"));
  fs::rename(PathOf("shared"), away);
  EXPECT_EQ(ListAll(*other_).size(), 1u) << "at the next collection";
  EXPECT_EQ(Read(), "shared");
  fs::rename(PathOf("shared"), away);
  auto restarted = OpenStore();
  EXPECT_EQ(Read(), "shared") << "or at the next start";
  EXPECT_EQ(FilesBeingWritten(), 0u);
}

TEST_F(SharedFolderTest, AnotherServersStartPutsBackWhatIsBeingRemoved) {
  auto remover = OvertakenAt(FsStep::kMovedAway, [this] { OpenStore(); });
  EXPECT_EQ(RemoveBy(*remover), false);
  EXPECT_EQ(Read(), "shared");
  EXPECT_EQ(RemoveBy(*other_), true) << "another time";
}

TEST_F(SharedFolderTest, ABlobWrittenWhileTheClockWasAheadAgesFromNowOn) {
  Age(PathOf("shared"), std::time(nullptr) + 4 * 365 * 86'400);
  EXPECT_EQ(RemoveBy(*other_), false);
  EXPECT_EQ(RunTask(other_->RemoveIfOlder(Digest::Of("shared"), std::chrono::seconds(0))), true);
}

TEST_F(FsBlobStoreTest, CommitBeforeFinishIsRefused) {
  auto store = OpenStore();
  auto writer = store->Create();
  ASSERT_TRUE(writer);
  EXPECT_EQ(KindOf(RunTask((*writer)->Commit())), ErrorKind::kInternal);
}

}  // namespace
}  // namespace koya
