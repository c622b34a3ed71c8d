#include "blobs/fs/fs_cache.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "blobs/blob_store_suite_base.h"
#include "blobs/fs/fs_cache_fake.h"
#include "obs/metrics.h"

namespace koya {
namespace {

struct FsCacheBackend : BlobStoreBackend {
  TempFolder folder;
  WorkerPool pool{3};
  OpenFiles files{16};
  std::unique_ptr<FsCache> blobs =
      *FsCache::Open(folder / "cache", {pool, pool, files}, {.bound = std::uint64_t{1} << 30});
  BlobStore& store() override { return *blobs; }
  void SetAge(const Digest& digest, std::chrono::seconds age) override {
    const std::string path = BlobLayout(folder / "cache").PathOf(digest);
    const std::time_t at = std::time(nullptr) - age.count();
    const timespec times[2] = {{at, 0}, {at, 0}};
    if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) EXPECT_EQ(errno, ENOENT);
  }
};

INSTANTIATE_TEST_SUITE_P(FsCache, BlobStoreSuite, ::testing::Values(&MakeBackend<FsCacheBackend>));

class FsCacheTest : public FsCacheFixture {};

TEST_F(FsCacheTest, TheLeastRecentlyUsedGoesFirst) {
  auto cache = OpenCache();
  std::vector<std::string> contents;
  for (char name = 'a'; name < 'f'; ++name) contents.push_back(Content({name}, 200));
  for (const std::string& content : contents) ASSERT_TRUE(RunTask(Store(*cache, content)));
  EXPECT_EQ(cache->counters().bytes, 1000U);
  MustOpen(*cache, contents[0]);
  ASSERT_TRUE(RunTask(Store(*cache, Content("g", 150))));
  EXPECT_TRUE(IsKept(contents[0]));
  EXPECT_FALSE(IsKept(contents[1]));
  EXPECT_FALSE(IsKept(contents[2])) << "down to nine tenths";
  EXPECT_TRUE(IsKept(contents[3]));
  EXPECT_EQ(cache->counters().bytes, 750U);
  EXPECT_EQ(cache->counters().evictions, 2U);
  EXPECT_EQ(gone(), (std::vector{Digest::Of(contents[1]), Digest::Of(contents[2])}));
}

TEST_F(FsCacheTest, SendingWhatIsKeptOpenIsAUse) {
  auto cache = OpenCache();
  const std::string sent = Content("sent", 250);
  const std::string other = Content("other", 250);
  ASSERT_TRUE(RunTask(Store(*cache, sent)));
  std::shared_ptr<Blob> open = MustOpen(*cache, sent);
  ASSERT_TRUE(RunTask(Store(*cache, other)));
  (void)open->file_descriptor();
  open.reset();
  for (char name : {'a', 'b', 'c'}) ASSERT_TRUE(RunTask(Store(*cache, Content({name}, 200))));
  EXPECT_TRUE(IsKept(sent));
  EXPECT_FALSE(IsKept(other));
}

TEST_F(FsCacheTest, WhoReadsABlobThatGoesReadsItToTheEnd) {
  auto cache = OpenCache();
  const std::string content = Content("read", 240);
  ASSERT_TRUE(RunTask(Store(*cache, content)));
  std::shared_ptr<Blob> blob = MustOpen(*cache, content);
  EXPECT_FALSE(blob->gone());
  for (char name = 'a'; name < 'f'; ++name) {
    ASSERT_TRUE(RunTask(Store(*cache, Content({name}, 200))));
  }
  EXPECT_FALSE(IsKept(content));
  EXPECT_TRUE(blob->gone());
  EXPECT_FALSE(CanOpen(*cache, content));
  EXPECT_EQ(RunTask(ReadAll(blob)), content);
  EXPECT_EQ(cache->counters().bytes, BytesInFolder() + 240);
  EXPECT_LE(cache->counters().bytes, kBound);
  blob.reset();
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, BytesInFolder());
}

TEST_F(FsCacheTest, WhatIsWrittenCounts) {
  auto cache = OpenCache();
  for (char name = 'a'; name < 'e'; ++name) {
    ASSERT_TRUE(RunTask(Store(*cache, Content({name}, 250))));
  }
  std::vector<std::unique_ptr<BlobWriter>> writers;
  for (int i = 1; i <= 8; ++i) {
    auto writer = RunTask(Stage(*cache, Content(std::to_string(i), 200), 100));
    ASSERT_TRUE(writer);
    writers.push_back(*std::move(writer));
    const std::uint64_t staged = static_cast<std::uint64_t>(i) * 200;
    EXPECT_EQ(cache->counters().bytes, BytesInFolder() + staged);
    EXPECT_TRUE(cache->counters().bytes <= kBound || BytesInFolder() == 0);
  }
  EXPECT_EQ(cache->counters().bytes, 1600U) << "writers are never refused";
  for (auto& writer : writers) ASSERT_TRUE(RunTask(writer->Commit()));
  EXPECT_LE(BytesInFolder(), kBound);
  writers.clear();
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, BytesInFolder());
  EXPECT_EQ(StagedFiles(), 0U);
}

TEST_F(FsCacheTest, AnAbandonedWriterGivesItsBytesBack) {
  auto cache = OpenCache();
  auto writer = RunTask(Stage(*cache, Content("half", 100), 10));
  ASSERT_TRUE(writer);
  EXPECT_EQ(cache->counters().bytes, 100U);
  writer->reset();
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, 0U);
  EXPECT_EQ(StagedFiles(), 0U);
}

TEST_F(FsCacheTest, MoreThanAQuarterIsNotKept) {
  auto cache = OpenCache();
  const std::string kept = Content("kept", 250);
  const std::string large = Content("large", 251);
  ASSERT_TRUE(RunTask(Store(*cache, kept)));
  EXPECT_TRUE(IsKept(kept));
  auto writer = RunTask(Stage(*cache, large, 60));
  ASSERT_TRUE(writer);
  EXPECT_EQ(StagedFiles(), 0U) << "it has no name any more";
  std::string staged(large.size(), '\0');
  EXPECT_EQ(::pread((*writer)->staged_file(), staged.data(), staged.size(), 0), 251);
  EXPECT_EQ(staged, large);
  EXPECT_EQ(cache->counters().bytes, 501U);
  ASSERT_TRUE(RunTask((*writer)->Commit()));
  EXPECT_FALSE(CanOpen(*cache, large));
  EXPECT_EQ(cache->counters().unkept, 1U);
  writer->reset();
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, 250U);
  EXPECT_TRUE(trouble().empty());
}

TEST_F(FsCacheTest, ABoundOfNothingKeepsNothing) {
  auto cache = OpenCache(0);
  ASSERT_TRUE(RunTask(Store(*cache, "koya")));
  EXPECT_FALSE(CanOpen(*cache, "koya"));
  EXPECT_TRUE(InFolder().empty());
}

TEST_F(FsCacheTest, ARestartKnowsWhatIsThereAndItsOrder) {
  std::vector<std::string> contents;
  {
    auto cache = OpenCache();
    for (char name = 'a'; name < 'e'; ++name) {
      contents.push_back(Content({name}, 200));
      ASSERT_TRUE(RunTask(Store(*cache, contents.back())));
    }
  }
  SetAge(contents[0], std::chrono::hours(1));
  SetAge(contents[1], std::chrono::hours(4));
  SetAge(contents[2], std::chrono::hours(-100));  // the clock was ahead: as if used now
  SetAge(contents[3], std::chrono::hours(3));
  std::ofstream(root_ + "/tmp/leftover") << "of a killed server";
  auto cache = OpenCache();
  EXPECT_EQ(cache->counters().entries, 4U);
  EXPECT_EQ(cache->counters().bytes, 800U);
  EXPECT_EQ(StagedFiles(), 0U);
  ASSERT_TRUE(RunTask(Store(*cache, Content("new", 250))));
  EXPECT_FALSE(IsKept(contents[1]));
  EXPECT_TRUE(IsKept(contents[3]));
  cache.reset();
  cache = OpenCache(500);
  EXPECT_LE(BytesInFolder(), 450U) << "a lower bound holds from the start";
  EXPECT_FALSE(IsKept(contents[3]));
  EXPECT_FALSE(IsKept(contents[0]));
}

TEST_F(FsCacheTest, AUseIsNotedInTheFileAtMostHourly) {
  {
    ASSERT_TRUE(RunTask(Store(*OpenCache(), "used")));
  }
  {
    ASSERT_TRUE(RunTask(Store(*OpenCache(), "unused")));
  }
  SetAge("used", std::chrono::hours(5));
  SetAge("unused", std::chrono::hours(5));
  auto cache = OpenCache();
  MustOpen(*cache, "used");
  cache->Tidy();
  auto age = [this](std::string_view content) {
    struct stat status{};
    EXPECT_EQ(::stat(PathOf(content).c_str(), &status), 0);
    return std::chrono::floor<std::chrono::hours>(WallTime() - SinceEpoch(status.st_mtim)).count();
  };
  EXPECT_EQ(age("used"), 0);
  EXPECT_EQ(age("unused"), 5);
  SetAge("used", std::chrono::hours(2));
  MustOpen(*cache, "used");
  cache->Tidy();
  EXPECT_EQ(age("used"), 2) << "it was noted a moment ago";
}

TEST_F(FsCacheTest, TheFolderMayBeDeletedAtAnyTime) {
  const char* const parts[] = {"", "/sha256", "/tmp", "/CACHEDIR.TAG"};
  for (const std::string part : parts) {
    auto cache = OpenCache();
    ASSERT_TRUE(RunTask(Store(*cache, "before")));
    std::shared_ptr<Blob> open = MustOpen(*cache, "before");
    auto writer = RunTask(Stage(*cache, "while", 2));
    ASSERT_TRUE(writer);
    std::filesystem::remove_all(root_ + part);
    EXPECT_EQ(RunTask(ReadAll(open)), "before") << part;
    EXPECT_TRUE(RunTask((*writer)->Commit())) << part;
    ASSERT_TRUE(RunTask(Store(*cache, "after"))) << part;
    EXPECT_EQ(RunTask(Load(*cache, Digest::Of("after"))), "after") << part;
    if (!CanOpen(*cache, "before")) {
      ASSERT_TRUE(RunTask(Store(*cache, "before")));
    }
    EXPECT_EQ(RunTask(Load(*cache, Digest::Of("before"))), "before") << part;
    cache->Tidy();
    EXPECT_EQ(cache->counters().entries, InFolder().size()) << part;
    open.reset();
    writer->reset();
    WaitForCleanUp();
    EXPECT_EQ(cache->counters().bytes, BytesInFolder()) << part;
    EXPECT_TRUE(trouble().empty()) << trouble()[0].detail;
    std::filesystem::remove_all(root_);
  }
}

TEST_F(FsCacheTest, WhatNobodyAsksForIsMissedAsWell) {
  auto cache = OpenCache();
  for (char name : {'a', 'b', 'c'}) ASSERT_TRUE(RunTask(Store(*cache, {name})));
  std::filesystem::remove_all(root_);
  cache->Tidy();
  EXPECT_EQ(cache->counters().entries, 0U);
  EXPECT_EQ(cache->counters().bytes, 0U);
  EXPECT_EQ(gone().size(), 3U);
}

TEST_F(FsCacheTest, AFolderThatComesBackIsTakenUp) {
  auto cache = OpenCache();
  ASSERT_TRUE(RunTask(Store(*cache, "koya")));
  std::filesystem::rename(root_, folder_ / "away");
  EXPECT_FALSE(CanOpen(*cache, "koya"));
  std::filesystem::rename(folder_ / "away", root_);
  EXPECT_TRUE(CanOpen(*cache, "koya"));
  EXPECT_EQ(cache->counters().entries, 1U);
  EXPECT_EQ(cache->counters().bytes, 4U);
}

TEST_F(FsCacheTest, AFileThatWasCutIsNotThereAndGoes) {
  auto cache = OpenCache();
  for (const char* content : {"by who asks", "by the count"}) {
    ASSERT_TRUE(RunTask(Store(*cache, content)));
    std::filesystem::resize_file(PathOf(content), 3);
  }
  EXPECT_FALSE(CanOpen(*cache, "by who asks"));
  EXPECT_FALSE(IsKept("by who asks"));
  cache->Recount();
  EXPECT_FALSE(IsKept("by the count"));
  EXPECT_EQ(cache->counters().bad_entries, 2U);
  ASSERT_EQ(trouble().size(), 2U);
  EXPECT_EQ(trouble()[0].kind, ErrorKind::kCorrupt);
  ASSERT_TRUE(RunTask(Store(*cache, "by who asks")));
  EXPECT_EQ(RunTask(Load(*cache, Digest::Of("by who asks"))), "by who asks");
}

TEST_F(FsCacheTest, TheFolderOfAStoreIsNotTakenForACache) {
  {
    auto store = *FsBlobStore::Open(root_, {readers_, writers_, files_});
    ASSERT_TRUE(RunTask(Store(*store, "the only copy")));
  }
  auto cache = FsCache::Open(root_, {readers_, writers_, files_}, {.bound = 0});
  ASSERT_EQ(KindOf(cache), ErrorKind::kInvalid);
  EXPECT_NE(cache.error().message.find(root_), std::string::npos);
  EXPECT_TRUE(IsKept("the only copy"));
}

TEST_F(FsCacheTest, AFolderThatCannotBeUsedIsNamedForTheCache) {
  std::ofstream(root_) << "a file";
  auto cache = FsCache::Open(root_, {readers_, writers_, files_}, {.bound = 1});
  ASSERT_FALSE(cache);
  EXPECT_NE(cache.error().message.find(root_), std::string::npos);
}

TEST_F(FsCacheTest, WhatCannotBeKeptFailsNobody) {
  auto cache = OpenCache();
  std::ofstream(std::filesystem::path(PathOf("koya")).parent_path()) << "in the way";
  EXPECT_TRUE(RunTask(Store(*cache, "koya")));
  EXPECT_FALSE(CanOpen(*cache, "koya"));
  EXPECT_EQ(trouble().size(), 1U);
  EXPECT_EQ(cache->counters().unkept, 1U);
  WaitForCleanUp();
  EXPECT_EQ(StagedFiles(), 0U);
  EXPECT_EQ(cache->counters().bytes, 0U);
}

TEST_F(FsCacheTest, CountsHitsAndMisses) {
  auto cache = OpenCache();
  EXPECT_FALSE(CanOpen(*cache, "koya"));
  ASSERT_TRUE(RunTask(Store(*cache, "koya")));
  EXPECT_TRUE(CanOpen(*cache, "koya"));
  EXPECT_TRUE(CanOpen(*cache, "koya"));
  cache->Drop(Digest::Of("koya"));
  EXPECT_FALSE(CanOpen(*cache, "koya"));
  EXPECT_EQ(cache->counters().hits, 2U);
  EXPECT_EQ(cache->counters().misses, 2U);
  EXPECT_EQ(cache->counters().evictions, 0U) << "that is what the bound does";
  EXPECT_EQ(cache->counters().bound, kBound);
}

TEST_F(FsCacheTest, WhatWasWrittenWhileTheClockWasAheadCanBeRemoved) {
  auto cache = OpenCache();
  ASSERT_TRUE(RunTask(Store(*cache, "koya")));
  SetAge("koya", std::chrono::hours(-100));
  EXPECT_EQ(RunTask(cache->RemoveIfOlder(Digest::Of("koya"), std::chrono::hours(1))), false);
  EXPECT_EQ(RunTask(cache->RemoveIfOlder(Digest::Of("koya"), std::chrono::seconds(0))), true);
}

TEST_F(FsCacheTest, IsSeenInTheMetrics) {
  auto cache = OpenCache();
  ASSERT_TRUE(RunTask(Store(*cache, "koya")));
  ASSERT_TRUE(CanOpen(*cache, "koya"));
  Metrics metrics;
  AddCacheMetrics(*cache, metrics);
  const std::string text = metrics.Render();
  for (const char* line :
       {"koya_cache_bytes 4", "koya_cache_limit_bytes 1000", "koya_cache_entries 1",
        "koya_cache_hits_total 1", "koya_cache_misses_total 0", "koya_cache_evictions_total 0",
        "koya_cache_skipped_total 0", "koya_cache_scrubbed_bytes_total 0",
        "koya_cache_corrupt_entries_total 0"}) {
    EXPECT_NE(text.find(std::string("\n") + line + "\n"), std::string::npos) << line;
  }
}

// A disk of its own, 512 KiB.
class FullDiskTest : public FsCacheFixture {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(root_);
    if (::mount("tmpfs", root_.c_str(), "tmpfs", 0, "size=512k") != 0) {
      GTEST_SKIP() << "skipped: mounting a small tmpfs is not allowed here";
    }
    unmount_.emplace([this] { ::umount2(root_.c_str(), MNT_DETACH); });
  }
  std::optional<ScopeGuard> unmount_;
};

TEST_F(FullDiskTest, EntriesGiveWayToWhatIsWritten) {
  auto cache = OpenCache(std::uint64_t{64} << 20);
  for (char name = 'a'; name < 'e'; ++name) {
    ASSERT_TRUE(RunTask(Store(*cache, Content({name}, 100'000), 10'000)));
  }
  const std::string large = Content("large", 300'000);
  auto writer = RunTask(Stage(*cache, large, 10'000));
  ASSERT_TRUE(writer) << writer.error().message;
  std::string staged(large.size(), '\0');
  EXPECT_EQ(::pread((*writer)->staged_file(), staged.data(), staged.size(), 0), 300'000);
  EXPECT_TRUE(staged == large);
  ASSERT_TRUE(RunTask((*writer)->Commit()));
  EXPECT_FALSE(CanOpen(*cache, large)) << "not kept on a full disk";
  writer->reset();
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, BytesInFolder());
  ASSERT_TRUE(RunTask(Store(*cache, Content("small", 1000))));
  EXPECT_TRUE(CanOpen(*cache, Content("small", 1000)));
}

TEST_F(FullDiskTest, ADiskWithoutInodesIsAFullDisk) {
  ASSERT_EQ(::mount("tmpfs", root_.c_str(), "tmpfs", MS_REMOUNT, "nr_inodes=60"), 0);
  auto cache = OpenCache(std::uint64_t{64} << 20);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(RunTask(Store(*cache, std::to_string(i)))) << i;
  EXPECT_GT(cache->counters().entries, 0U);
  EXPECT_GT(cache->counters().unkept, 0U);
  WaitForCleanUp();
  int fillers = 0;
  while (std::ofstream(root_ + "/filler" + std::to_string(fillers)).is_open()) ++fillers;
  cache.reset();
  cache = OpenCache(std::uint64_t{64} << 20);
  EXPECT_TRUE(RunTask(Store(*cache, "a start on a full disk")));
}

TEST_F(FullDiskTest, FailsOnlyWhenNothingIsLeftToGiveWay) {
  auto cache = OpenCache(std::uint64_t{64} << 20);
  ASSERT_TRUE(RunTask(Store(*cache, Content("a", 100'000), 10'000)));
  Status stored = RunTask(Store(*cache, Content("huge", 1 << 20), 10'000));
  EXPECT_EQ(KindOf(stored), ErrorKind::kStorageFull);
  WaitForCleanUp();
  EXPECT_EQ(StagedFiles(), 0U);
  EXPECT_EQ(cache->counters().bytes, 0U);
  EXPECT_TRUE(RunTask(Store(*cache, "room again")));
}

TEST_F(FsCacheTest, APlaceAndEvictionsOfTheSameDigest) {
  auto cache = OpenCache();
  const std::string same = Content("same", 240);
  const Digest digest = Digest::Of(same);
  std::atomic<bool> ended = false;
  std::thread evictor([&] {
    for (int i = 0; !ended; ++i) {
      cache->Drop(digest);
      EXPECT_TRUE(RunTask(Store(*cache, Content(std::to_string(i % 50), 200), 100)));
    }
  });
  for (int i = 0; i < 300; ++i) {
    EXPECT_TRUE(RunTask(Store(*cache, same, 100)));
    Result<std::string> found = RunTask(Load(*cache, digest));
    if (found) EXPECT_EQ(*found, same);
    if (!found) EXPECT_EQ(found.error().kind, ErrorKind::kNotFound);
  }
  ended = true;
  evictor.join();
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, BytesInFolder());
  EXPECT_EQ(cache->counters().entries, InFolder().size());
  EXPECT_LE(BytesInFolder(), kBound);
  EXPECT_TRUE(trouble().empty());
}

// ---- files that are hashed while they are written

// Bytes without a period that a piece's size divides.
std::string LargeContent(std::size_t size) {
  std::string content(size, '\0');
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i % 251 + i / 65'536);
  return content;
}

TEST_F(FsCacheTest, LargeFilesAreHashedByOtherThreadsAndKept) {
  constexpr std::size_t kMegabyte = 1 << 20;
  struct Case {
    std::size_t size;   // bytes
    std::size_t piece;  // bytes of one Write
  };
  const Case cases[] = {
      {1, 1},
      {kMegabyte - 1, 1000},
      {kMegabyte, 64 * 1024},
      {kMegabyte + 1, kMegabyte},
      {3 * kMegabyte, 4 * kMegabyte},
      {9 * kMegabyte + 7, 256 * 1024},
      {40 * kMegabyte + 1, 3 * kMegabyte + 1},
  };
  auto cache = OpenCache(std::uint64_t{1} << 30);
  for (const Case& each : cases) {
    const std::string content = LargeContent(each.size);
    ASSERT_TRUE(RunTask(Store(*cache, content, each.piece))) << each.size;  // compares the digest
    EXPECT_EQ(RunTask(Load(*cache, Digest::Of(content))), content) << each.size;
  }
  WaitForCleanUp();
  EXPECT_EQ(cache->counters().bytes, BytesInFolder());
}

TEST_F(FsCacheTest, WithoutAThreadToHashTheWriterHashes) {
  auto cache = OpenCache(std::uint64_t{1} << 30);
  const std::string content = LargeContent(70 << 20);
  std::atomic_flag free;
  writers_.Post([&free] { free.wait(false); });
  // More than 64 MiB behind, and the rest at the end.
  auto writer = RunTask(Stage(*cache, content, 1 << 20));
  EXPECT_TRUE(writer) << writer.error().message;
  free.test_and_set();
  free.notify_all();
  WaitForCleanUp();
  ASSERT_TRUE(writer);
  ASSERT_TRUE(RunTask((*writer)->Commit()));
  EXPECT_TRUE(IsKept(content));
}

TEST_F(FsCacheTest, AHashIsOfTheFileAndFailsWhereItWasCut) {
  struct Case {
    std::size_t size;       // bytes that were written
    std::size_t remaining;  // bytes in the file when it is hashed
    bool overwritten;       // its first bytes are others
    bool alone;             // the writer hashes
    bool fails;
    bool right;  // has the digest of what was written
  };
  const Case cases[] = {
      {100, 100, false, false, false, true},
      {100, 100, false, true, false, true},
      {3 << 20, 3 << 20, false, false, false, true},
      {70 << 20, 70 << 20, false, false, false, true},
      {100, 99, false, false, true, false},
      {100, 0, false, false, true, false},
      {3 << 20, 1 << 20, false, false, true, false},
      {100, 100, true, false, false, false},
      {3 << 20, 3 << 20, true, false, false, false},
      {100, 100, true, true, false, true},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.size);
    const std::string content = LargeContent(each.size);
    std::string stored = content.substr(0, each.remaining);
    if (each.overwritten) stored.replace(0, 5, "other");
    const std::string path = folder_ / "staged";
    std::ofstream(path, std::ios::binary) << stored;
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    StagedHash hash(file.get());
    EXPECT_EQ(hash.Grow(AsBytes(content), each.alone), !each.alone && each.size >= 1 << 20);
    EXPECT_FALSE(hash.Grow({}, each.alone)) << "once, until HashMore has ended";
    Result<Digest> found = hash.Finish();
    EXPECT_EQ(found.has_value(), !each.fails);
    if (!found) EXPECT_EQ(found.error().kind, ErrorKind::kInternal);
    if (found) EXPECT_EQ(*found == Digest::Of(content), each.right);
  }
}

TEST_F(FsCacheTest, AWriterThatIsAbandonedWhileItsFileIsHashedLeavesNothing) {
  auto cache = OpenCache(std::uint64_t{1} << 30);
  const std::string content = LargeContent(5 << 20);
  for (int i = 0; i < 8; ++i) {
    auto writer = cache->Create();
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->Write(AsBytes(content)));
  }
  WaitForCleanUp();
  EXPECT_EQ(StagedFiles(), 0U);
  EXPECT_EQ(cache->counters().bytes, 0U);
}

TEST_F(FsCacheTest, ManyThreadsWhileTheFolderIsDeletedAgainAndAgain) {
  auto cache = OpenCache();
  std::atomic<int> at_work = 3;
  auto work = [&](unsigned seed) {
    for (unsigned i = 0; i < 200; ++i) {
      const std::string content = Content(std::to_string((i * 7 + seed) % 20), 100 + i % 150);
      if (i % 3 == 0) EXPECT_TRUE(RunTask(Store(*cache, content, 50)));
      Result<std::string> found = RunTask(Load(*cache, Digest::Of(content)));
      if (found) EXPECT_EQ(*found, content);
      if (!found) EXPECT_EQ(found.error().kind, ErrorKind::kNotFound);
    }
    --at_work;
  };
  std::vector<std::thread> threads;
  for (unsigned seed : {0U, 5U, 11U}) threads.emplace_back(work, seed);
  while (at_work > 0) {
    std::error_code busy;  // files are created in it at the same time
    std::filesystem::remove_all(root_, busy);
    cache->Tidy();
  }
  for (std::thread& thread : threads) thread.join();
  WaitForCleanUp();
  cache->Recount();
  EXPECT_EQ(cache->counters().entries, InFolder().size());
  EXPECT_EQ(cache->counters().bytes, BytesInFolder());
}

}  // namespace
}  // namespace koya
