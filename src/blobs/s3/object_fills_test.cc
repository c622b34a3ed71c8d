#include "blobs/s3/object_fills.h"

#include <sys/mount.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <latch>
#include <optional>
#include <thread>

#include "base/file.h"
#include "blobs/fill.h"
#include "blobs/s3/object_transfer.h"
#include "blobs/s3/s3_store_fixture_fake.h"

namespace koya {
namespace {

using GetFault = FakeObjectClient::GetFault;

// Holds a transfer up until it is let go.
struct HeldTransfer {
  std::shared_ptr<std::latch> begun = std::make_shared<std::latch>(1);
  std::shared_ptr<std::latch> go_on = std::make_shared<std::latch>(1);
  GetFault AtTheStart() const { return {.begun = begun, .go_on = go_on}; }
  GetFault Halfway() const { return {.begun = begun, .halfway = go_on}; }
};

Task<std::uint64_t> BytesHandedOut(std::shared_ptr<Blob> blob) {
  std::uint64_t got = 0;
  std::vector<std::byte> buffer(100'000);
  while (true) {
    Result<std::size_t> count = co_await blob->ReadAt(got, buffer);
    if (!count || *count == 0) co_return got;
    got += *count;
  }
}

class ObjectFillsTest : public S3StoreTest {
 protected:
  std::shared_ptr<Blob> Open(std::string_view content) {
    Result<std::shared_ptr<Blob>> blob = RunTask(here_.blobs().Open(Digest::Of(content)));
    EXPECT_TRUE(blob) << blob.error().message;
    return blob.value_or(nullptr);
  }
};

TEST_F(ObjectFillsTest, AColdBlobArrivesOnceAndIsKept) {
  OtherStore(Large());
  EXPECT_TRUE(here_.Read(Large()) == Large());
  EXPECT_TRUE(here_.Read(Large()) == Large());
  EXPECT_EQ(objects_.counts().gets, 1);
  EXPECT_FALSE(Open(Large())->growth());
  const S3BlobCounts counts = here_.blobs().counts();
  EXPECT_EQ(counts.fills, 1U);
  EXPECT_EQ(counts.store_bytes, Large().size());
  EXPECT_EQ(counts.fill_failures, 0U);
}

// Two ask at the same time, and the second comes only when the first has it.
TEST_F(ObjectFillsTest, WhatHasBeenKeptSinceTheCallerLookedIsNotFetchedAgain) {
  OtherStore(Large());
  TempFolder folder;
  LogCapture capture;
  Logger log(capture.writer(), LogLevel::kInfo);
  WorkerPool pool(2);
  OpenFiles open_files(8);
  std::unique_ptr<FsBlobStore> files =
      *FsBlobStore::Open((folder / "cache").string(), {pool, pool, open_files});
  CacheDisk cache(*files, log);
  const S3BlobParts parts{objects_, ledger_, *files, log};
  FairPool errands(2, 1);
  ObjectFills fills(parts, cache, errands, {});
  const std::uint64_t looked = fills.ended();
  for (bool first : {true, false}) {
    auto blob = RunTask(fills.OpenBlob(Digest::Of(Large()), looked));
    ASSERT_TRUE(blob) << blob.error().message;
    EXPECT_EQ((*blob)->growth() != nullptr, first);
    EXPECT_TRUE(RunTask(ReadAll(*blob)) == Large());
    if (auto growth = (*blob)->growth()) EXPECT_TRUE(RunTask(growth->WaitForEnd()));
  }
  EXPECT_GT(fills.ended(), looked);
  EXPECT_EQ(objects_.counts().gets, 1);
}

TEST_F(ObjectFillsTest, OpeningMovesNoBytesAndLeavesNothing) {
  OtherStore(Large());
  std::shared_ptr<Blob> blob = Open(Large());
  EXPECT_EQ(blob->size(), Large().size());
  ASSERT_TRUE(blob->growth());
  EXPECT_TRUE(blob->growth()->parts_wait());
  EXPECT_TRUE(blob->file_descriptor());
  EXPECT_EQ(here_.blobs().arriving(), 1U);
  blob.reset();
  while (here_.blobs().arriving() > 0) std::this_thread::yield();  // until it is released
  EXPECT_EQ(objects_.counts().gets, 0);
  EXPECT_TRUE(here_.Read(Large()) == Large());
}

TEST_F(ObjectFillsTest, AnEmptyBlobNeedsNoTransfer) {
  OtherStore("");
  EXPECT_EQ(here_.Read(""), "");
  EXPECT_EQ(objects_.counts().gets, 0);
}

Awaitable<void> ReadWhole(S3BlobStore& blobs, std::string content, int& right, std::latch* opened) {
  Result<std::shared_ptr<Blob>> blob = co_await blobs.Open(Digest::Of(content));
  if (opened != nullptr) opened->count_down();
  EXPECT_TRUE(blob);
  if (!blob) co_return;
  Result<std::string> read = co_await ReadAll(*std::move(blob));
  if (read && *read == content) ++right;
}

TEST_F(ObjectFillsTest, TwoHundredReadersShareOneTransfer) {
  OtherStore(Large());
  HeldTransfer held;
  objects_.FailGet(held.AtTheStart());
  std::latch opened(200);
  std::vector<int> right(4);
  std::vector<std::jthread> threads;
  for (int& each : right) {
    threads.emplace_back([&] {
      boost::asio::io_context loop(1);
      for (int i = 0; i < 50; ++i) {
        boost::asio::co_spawn(loop, ReadWhole(here_.blobs(), Large(), each, &opened),
                              [](const std::exception_ptr& thrown) { EXPECT_FALSE(thrown); });
      }
      loop.run();
    });
  }
  opened.wait();
  held.go_on->count_down();
  threads.clear();
  EXPECT_EQ(right, std::vector<int>(4, 50));
  EXPECT_EQ(objects_.counts().gets, 1);
  // The transfer's thread releases it after its readers have all bytes.
  while (here_.blobs().arriving() > 0) std::this_thread::yield();
}

TEST_F(ObjectFillsTest, AReaderThatLeavesEndsNothing) {
  OtherStore(Large());
  HeldTransfer held;
  objects_.FailGet(held.Halfway());
  std::shared_ptr<Blob> blob = Open(Large());
  std::vector<std::byte> some(10);
  EXPECT_EQ(RunTask(blob->ReadAt(0, some)), 10U);
  blob.reset();
  held.go_on->count_down();
  EXPECT_TRUE(here_.Read(Large()) == Large());
  EXPECT_EQ(objects_.counts().gets, 1);
}

TEST_F(ObjectFillsTest, ARangeAheadOfTheFillWaits) {
  const std::string content = Large() + "the end";
  OtherStore(content);
  std::vector<std::byte> end(7);
  EXPECT_EQ(RunTask(Open(content)->ReadAt(content.size() - 1, end)), 1U);
  EXPECT_EQ(static_cast<char>(end[0]), 'd');
}

TEST_F(ObjectFillsTest, ATransferThatBreaksGoesOnWhereItWas) {
  OtherStore(Large());
  objects_.FailGet({.cut_after = 100'000});
  objects_.FailGet({.cut_after = 1});
  EXPECT_TRUE(here_.Read(Large()) == Large());
  EXPECT_EQ(objects_.GetOffsets(), (std::vector<std::uint64_t>{0, 100'000, 100'001}));
  EXPECT_EQ(here_.blobs().counts().fill_failures, 0U);
}

TEST_F(ObjectFillsTest, ATransferThatDoesNotGetOnCutsItsReaders) {
  OtherStore(Large());
  objects_.FailGet({.cut_after = 100'000});
  objects_.FailGet({.cut_after = 0});
  EXPECT_EQ(KindOf(here_.Read(Large())), ErrorKind::kUnavailable);
  EXPECT_TRUE(here_.Read(Large()) == Large()) << "the next one begins anew";
  EXPECT_EQ(here_.blobs().counts().fill_failures, 1U);
}

TEST_F(ObjectFillsTest, WithTheStoreDownTheCacheIsRead) {
  OtherStore("cold");
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "warm")));
  for (ErrorKind how : {ErrorKind::kUnavailable, ErrorKind::kTimeout}) {
    objects_.SetDown(true, how);
    EXPECT_EQ(here_.Read("warm"), "warm");
    EXPECT_EQ(KindOf(here_.Read("cold")), ErrorKind::kUnavailable);
    EXPECT_EQ(KindOf(RunTask(Store(here_.blobs(), "new"))), ErrorKind::kUnavailable);
  }
}

// ---- wrong bytes

TEST_F(ObjectFillsTest, WrongBytesAreCutBeforeTheLastAndFetchedAgain) {
  for (std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{1'300'000}}) {
    const std::string content(size, static_cast<char>('a' + size % 26));
    OtherStore(content);
    objects_.FailGet({.flip_at = 0});
    std::shared_ptr<Blob> blob = Open(content);
    EXPECT_LT(*RunTask(BytesHandedOut(blob)), size);
    EXPECT_EQ(KindOf(RunTask(ReadAll(blob))), ErrorKind::kUnavailable);
    EXPECT_TRUE(here_.Read(content) == content) << size;
  }
  EXPECT_EQ(objects_.counts().gets, 6);
  EXPECT_NE(here_.Log().find("could not be read from the store"), std::string::npos);
  EXPECT_EQ(here_.blobs().counts().lost, 0U);
}

TEST_F(ObjectFillsTest, WrongForEverIsLostAndNeverNotFound) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"flipped", "flippfd"}, {"longer", "longer than it was"}, {"shorter", "short"}, {"none", ""}};
  for (const auto& [content, stored] : table) {
    const std::string name = OtherStore(content);
    objects_.Set(name, stored);
    EXPECT_EQ(here_.ReadToTheEnd(content), ErrorKind::kCorrupt) << content;
    EXPECT_EQ(ledger_.StateOf(name), State::kLost) << content;
    EXPECT_NE(here_.Log().find(Digest::Of(content).hex()), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(here_.CachedPathOf(content)));
    ASSERT_TRUE(RunTask(Store(elsewhere_.blobs(), content)));
    EXPECT_EQ(here_.Read(content), content) << "stored anew";
  }
  EXPECT_NE(here_.Log().find("has lost a blob"), std::string::npos);
  EXPECT_GE(here_.blobs().counts().lost, table.size());
}

TEST_F(ObjectFillsTest, AByteTooManyOnceIsFetchedAgain) {
  OtherStore("koya");
  objects_.FailGet({.too_long = true});
  EXPECT_EQ(KindOf(here_.Read("koya")), ErrorKind::kUnavailable);
  EXPECT_EQ(here_.Read("koya"), "koya");
}

// ---- objects that are not there

TEST_F(ObjectFillsTest, AnObjectThatIsMissingForAMomentIsLookedForAgain) {
  OtherStore("koya");
  for (int i = 0; i < 3; ++i) objects_.FailGet({.missing = true});
  EXPECT_EQ(here_.Read("koya"), "koya");
  EXPECT_EQ(objects_.counts().gets, 4);
  EXPECT_EQ(here_.blobs().counts().lost, 0U);
}

TEST_F(ObjectFillsTest, AnObjectThatIsMissingIsLostAndNeverNotFound) {
  const std::string name = OtherStore("koya");
  objects_.Erase(name);
  EXPECT_EQ(KindOf(here_.Read("koya")), ErrorKind::kCorrupt);
  EXPECT_EQ(objects_.counts().gets, 4);
  EXPECT_EQ(ledger_.StateOf(name), State::kLost);
  EXPECT_NE(here_.Log().find(name), std::string::npos);
  EXPECT_EQ(KindOf(here_.Read("koya")), ErrorKind::kCorrupt);
  objects_.Set(name, "koya");
  EXPECT_EQ(here_.Read("koya"), "koya") << "it has come back";
  // Once the fill has ended, of which readers do not wait for the end.
  while (here_.blobs().arriving() > 0) std::this_thread::yield();
  EXPECT_EQ(ledger_.StateOf(name), State::kStored);
  EXPECT_NE(here_.Log().find("is available again"), std::string::npos);
}

TEST_F(ObjectFillsTest, AnObjectThatWasReplacedSinceIsFound) {
  const std::string name = OtherStore("koya");
  std::shared_ptr<Blob> blob = Open("koya");
  ASSERT_EQ(RunTask(elsewhere_.blobs().RemoveIfOlder(Digest::Of("koya"), std::chrono::seconds(0))),
            true);
  objects_.Erase(name);
  ASSERT_NE(OtherStore("koya"), name);
  EXPECT_EQ(RunTask(ReadAll(blob)), "koya");
}

TEST_F(ObjectFillsTest, WhatWasCollectedSinceIsNotLost) {
  const std::string name = OtherStore("koya");
  std::shared_ptr<Blob> blob = Open("koya");
  ASSERT_EQ(RunTask(elsewhere_.blobs().RemoveIfOlder(Digest::Of("koya"), std::chrono::seconds(0))),
            true);
  objects_.Erase(name);
  EXPECT_EQ(KindOf(RunTask(ReadAll(blob))), ErrorKind::kNotFound);
  EXPECT_EQ(here_.blobs().counts().lost, 0U);
}

// ---- without a ledger

class NoLedgerTest : public ObjectFillsTest {
 protected:
  void LoseTheLedger() {
    ledger_.SetFailure(Error{ErrorKind::kUnavailable, "the catalog cannot be reached", {}});
  }
};

TEST_F(NoLedgerTest, BlobsAreFoundByTheirDigest) {
  OtherStore(Large());
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "warm")));
  LoseTheLedger();
  EXPECT_EQ(here_.Read("warm"), "warm");
  EXPECT_TRUE(here_.Read(Large()) == Large());
}

TEST_F(NoLedgerTest, WhatIsNotListedMayExistAllTheSame) {
  LoseTheLedger();
  EXPECT_EQ(KindOf(here_.Read("unknown")), ErrorKind::kUnavailable);
  objects_.SetDown(true);
  EXPECT_EQ(KindOf(here_.Read("unknown")), ErrorKind::kUnavailable);
}

TEST_F(NoLedgerTest, WhateverHashesRightIsRight) {
  const std::string prefix = ObjectPrefixOf(Digest::Of("koya"));
  objects_.Set(prefix + "0", "kaya");
  objects_.Set(prefix + "1", "short");
  objects_.Set(prefix + "2", "koya");
  LoseTheLedger();
  Result<std::string> read = here_.Read("koya");
  EXPECT_EQ(KindOf(read), ErrorKind::kUnavailable);
  // The next is fetched at once, and the one after it: a reader is cut off once more, or comes
  // after that.
  read = here_.Read("koya");
  if (!read) {
    EXPECT_EQ(KindOf(read), ErrorKind::kUnavailable);
    read = here_.Read("koya");
  }
  EXPECT_EQ(read, "koya");
}

TEST_F(NoLedgerTest, NothingRightAmongThemIsCorrupt) {
  const std::string prefix = ObjectPrefixOf(Digest::Of("koya"));
  objects_.Set(prefix + "0", "kaya");
  LoseTheLedger();
  EXPECT_EQ(here_.ReadToTheEnd("koya"), ErrorKind::kCorrupt);
}

// ---- bounds and ends

TEST_F(ObjectFillsTest, StoppingCutsOffWhatIsArriving) {
  OtherStore(Large());
  OtherStore("cold");
  HeldTransfer held;
  objects_.FailGet(held.Halfway());
  std::shared_ptr<Blob> arriving = Open(Large());
  std::shared_ptr<Blob> opened = Open("cold");
  std::vector<std::byte> some(10);
  EXPECT_EQ(RunTask(arriving->ReadAt(0, some)), 10U);
  std::jthread stopping([&] { here_.blobs().Stop(); });
  EXPECT_EQ(KindOf(RunTask(ReadAll(arriving))), ErrorKind::kUnavailable);
  stopping.join();
  EXPECT_EQ(KindOf(RunTask(ReadAll(opened))), ErrorKind::kUnavailable);
  EXPECT_EQ(KindOf(here_.Read(Large())), ErrorKind::kUnavailable);
}

TEST_F(ObjectFillsTest, ABlobMayOutliveItsStore) {
  OtherStore("koya");
  std::optional<TestS3Server> server;
  server.emplace(objects_, ledger_);
  std::shared_ptr<Blob> blob = *RunTask(server->blobs().Open(Digest::Of("koya")));
  server->blobs().Stop();
  EXPECT_EQ(KindOf(RunTask(ReadAll(blob))), ErrorKind::kUnavailable);
  blob.reset();
  server.reset();
}

TEST_F(ObjectFillsTest, MoreTransfersThanAllowedWaitTheirTurn) {
  OtherStore(Large('a'));
  OtherStore(Large('b'));
  S3BlobOptions options = QuickTestOptions();
  options.fills.most = 1;
  options.fills.patience = std::chrono::seconds(0);
  TestS3Server server(objects_, ledger_, options);
  HeldTransfer held;
  objects_.FailGet(held.AtTheStart());
  std::jthread reading([&] { EXPECT_TRUE(server.Read(Large('a')) == Large('a')); });
  held.begun->wait();
  EXPECT_EQ(KindOf(server.Read(Large('b'))), ErrorKind::kUnavailable);
  held.go_on->count_down();
  reading.join();
  EXPECT_EQ(server.ReadToTheEnd("never stored"), ErrorKind::kNotFound);
}

TEST_F(ObjectFillsTest, WithoutRoomToStageItTheDiskIsFull) {
  OtherStore(Large());
  const std::string folder = here_.cache_folder() + "/tmp";
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "skipped: mounting a small tmpfs is not allowed here";
  }
  ScopeGuard unmount([&folder] { ::umount2(folder.c_str(), MNT_DETACH); });
  EXPECT_EQ(KindOf(here_.Read(Large())), ErrorKind::kStorageFull);
}

}  // namespace
}  // namespace koya
