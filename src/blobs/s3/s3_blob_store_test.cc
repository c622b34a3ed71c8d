#include "blobs/s3/s3_blob_store.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "blobs/blob_store_suite_base.h"
#include "blobs/s3/object_transfer.h"
#include "blobs/s3/s3_store_fixture_fake.h"
#include "blobs/s3/storage_marker.h"

namespace koya {
namespace {

struct MemoryObjects {
  FakeObjectClient memory;
  ObjectClient& client() { return memory; }
};

INSTANTIATE_TEST_SUITE_P(S3, BlobStoreSuite,
                         ::testing::Values(&MakeBackend<S3Backend<MemoryObjects>>));

TEST(ObjectName, IsNeverTheSameTwiceAndHoldsTheDigest) {
  const Digest digest = Digest::Of("koya");
  const std::string hex = digest.hex();
  EXPECT_EQ(ObjectPrefixOf(digest), "sha256/" + hex.substr(0, 2) + "/" + hex.substr(2) + "/");
  std::string one = *FreshObjectName(digest);
  std::string other = *FreshObjectName(digest);
  EXPECT_TRUE(one.starts_with(ObjectPrefixOf(digest)));
  EXPECT_EQ(one.size(), other.size());
  EXPECT_NE(one, other);
}

// ---- committing

TEST_F(S3StoreTest, ACommitUploadsAndKeepsTheFileInTheCache) {
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  ASSERT_EQ(objects_.Names().size(), 1U);
  EXPECT_TRUE(objects_.Names()[0].starts_with(ObjectPrefixOf(Digest::Of("koya"))));
  EXPECT_EQ(ledger_.StateOf(objects_.Names()[0]), State::kStored);
  EXPECT_EQ(here_.Read("koya"), "koya");
  EXPECT_EQ(objects_.counts().gets, 0);
  EXPECT_EQ(here_.blobs().counts().uploads, 1U);
  EXPECT_EQ(here_.blobs().counts().upload_bytes, 4U);
  EXPECT_EQ(here_.blobs().counts().cache_opens, 1U);
}

TEST_F(S3StoreTest, WhatIsStoredIsNotSentAgain) {
  OtherStore("koya");
  ledger_.Advance(std::chrono::hours(2));
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  EXPECT_EQ(objects_.counts().puts, 1);
  EXPECT_EQ(RunTask(here_.blobs().RemoveIfOlder(Digest::Of("koya"), std::chrono::hours(1))), false)
      << "its age begins anew";
  EXPECT_EQ(here_.Read("koya"), "koya");
  EXPECT_EQ(objects_.counts().gets, 0) << "the staged file is in the cache";
}

TEST_F(S3StoreTest, WhatTheStoreNoLongerHasIsUploadedAnew) {
  for (const char* damage : {"", "koy"}) {
    const std::string name = OtherStore("koya");
    objects_.Erase(name);
    if (*damage != '\0') objects_.Set(name, damage);
    ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
    EXPECT_EQ(ledger_.StateOf(name), State::kLeaving) << damage;
    EXPECT_NE(RunTask(ledger_.FindStored(Digest::Of("koya")))->name, name);
    TestS3Server cold(objects_, ledger_, QuickTestOptions());
    EXPECT_EQ(cold.Read("koya"), "koya");
  }
  EXPECT_NE(here_.Log().find("has lost a blob"), std::string::npos);
}

// The cache holds the right bytes each time, and readers get them: a check has to look past it.
TEST_F(S3StoreTest, ACheckReadsTheStoreWhateverTheCacheHolds) {
  using Stored = StoredBlob::State;
  struct Row {
    std::optional<std::string> object;  // nullopt: it is gone
    Stored quick;
    Stored whole;
  };
  const Row rows[] = {
      {"koya", Stored::kWhole, Stored::kWhole},
      {std::nullopt, Stored::kMissing, Stored::kMissing},
      {"koy", Stored::kDamaged, Stored::kDamaged},
      {"koyas", Stored::kDamaged, Stored::kDamaged},
      {"kova", Stored::kWhole, Stored::kDamaged},
      {"", Stored::kDamaged, Stored::kDamaged},
  };
  const BlobInfo blob{Digest::Of("koya"), 4};
  for (const Row& row : rows) {
    for (bool quick : {true, false}) {
      const std::string what = row.object.value_or("gone") + (quick ? ", quick" : ", whole");
      ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya"))) << what;
      const std::string name = RunTask(ledger_.FindStored(blob.digest))->name;
      objects_.Erase(name);
      if (row.object) objects_.Set(name, *row.object);
      auto checked = RunTask(here_.blobs().CheckStored(blob, quick));
      ASSERT_TRUE(checked) << what;
      ASSERT_TRUE(*checked) << what;
      EXPECT_EQ((*checked)->state, quick ? row.quick : row.whole) << what;
      EXPECT_NE((*checked)->copy, nullptr) << what;
      EXPECT_EQ(here_.Read("koya"), "koya") << what;
      // The next commit stores a damaged blob again, and leaves an intact one alone.
      ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya"))) << what;
      const bool stays = (*checked)->state == Stored::kWhole;
      EXPECT_EQ(RunTask(ledger_.FindStored(blob.digest))->name == name, stays) << what;
      if (stays) objects_.Set(name, "koya");
    }
  }
  EXPECT_NE(here_.Log().find(blob.digest.ToString()), std::string::npos) << "its digest is said";
}

TEST_F(S3StoreTest, ACheckSaysWhetherACopyIsHere) {
  OtherStore("koya");
  const BlobInfo blob{Digest::Of("koya"), 4};
  auto checked = RunTask(here_.blobs().CheckStored(blob, false));
  ASSERT_TRUE(checked && *checked);
  EXPECT_EQ((*checked)->copy, nullptr);
  EXPECT_EQ(here_.Read("koya"), "koya");
  checked = RunTask(here_.blobs().CheckStored(blob, false));
  ASSERT_TRUE(checked && *checked);
  EXPECT_NE((*checked)->copy, nullptr);
  RunTask(here_.blobs().DropCopy(blob.digest));
  EXPECT_FALSE(std::filesystem::exists(here_.CachedPathOf("koya")));
  EXPECT_EQ(here_.Read("koya"), "koya") << "it is fetched again";
}

TEST_F(S3StoreTest, ACheckOfAStoreThatIsAwayFindsNothingLost) {
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  const BlobInfo blob{Digest::Of("koya"), 4};
  for (bool quick : {true, false}) {
    objects_.SetDown(true);
    EXPECT_EQ(KindOf(RunTask(here_.blobs().CheckStored(blob, quick))), ErrorKind::kUnavailable);
    objects_.SetDown(false);
    auto checked = RunTask(here_.blobs().CheckStored(blob, quick));
    ASSERT_TRUE(checked && *checked);
    EXPECT_EQ((*checked)->state, StoredBlob::State::kWhole);
  }
}

TEST_F(S3StoreTest, ObjectsThatNoRecordNamesAreListed) {
  const std::string known = OtherStore("koya");
  objects_.Set(std::string(kMarkerName), "ours");
  const std::string left = *FreshObjectName(Digest::Of("left"));
  objects_.Set(left, "left");
  std::vector<std::string> found;
  std::string after;
  do {
    auto page = RunTask(here_.blobs().ListUnknown(after));
    ASSERT_TRUE(page);
    for (const UnknownObjects::Object& object : page->objects) {
      found.push_back(object.name);
      EXPECT_EQ(object.size, 4U);
    }
    after = page->next;
  } while (!after.empty());
  EXPECT_EQ(found, std::vector{left});
  objects_.SetDown(true);
  EXPECT_EQ(KindOf(RunTask(here_.blobs().ListUnknown(""))), ErrorKind::kUnavailable);
}

TEST_F(S3StoreTest, ABlobThatNoLedgerNamesIsMissing) {
  auto checked = RunTask(here_.blobs().CheckStored({Digest::Of("never"), 5}, false));
  ASSERT_TRUE(checked && *checked);
  EXPECT_EQ((*checked)->state, StoredBlob::State::kMissing);
}

TEST_F(S3StoreTest, AStoreThatDoesNotAnswerProvesNothingAgainstTheLedger) {
  OtherStore("koya");
  objects_.SetDown(true);
  EXPECT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  EXPECT_EQ(KindOf(RunTask(Store(here_.blobs(), "other"))), ErrorKind::kUnavailable);
}

TEST_F(S3StoreTest, AnUploadThatFailsStoresNothingWhoeverIsRight) {
  using Fault = FakeObjectClient::PutFault;
  for (Fault fault : {Fault::kBeforeTheAct, Fault::kAfterTheAct}) {
    const std::string content = fault == Fault::kBeforeTheAct ? "before" : "after";
    objects_.FailPut(fault);
    EXPECT_EQ(KindOf(RunTask(Store(here_.blobs(), content))), ErrorKind::kUnavailable);
    EXPECT_EQ(KindOf(here_.Read(content)), ErrorKind::kNotFound);
    EXPECT_TRUE(RunTask(Store(here_.blobs(), content))) << "the same again";
    EXPECT_EQ(here_.Read(content), content);
  }
}

TEST_F(S3StoreTest, WithoutALedgerNothingIsSent) {
  ledger_.SetFailure(Error{ErrorKind::kUnavailable, "the catalog is down", {}});
  EXPECT_EQ(KindOf(RunTask(Store(here_.blobs(), "koya"))), ErrorKind::kUnavailable);
  EXPECT_EQ(objects_.counts().puts, 0);
}

TEST_F(S3StoreTest, WhoeverUploadsTheSameBytesLaterGivesWay) {
  std::atomic<bool> first = true;
  objects_.OnPut([&] {
    if (first.exchange(false)) EXPECT_TRUE(RunTask(Store(elsewhere_.blobs(), "koya")));
  });
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  std::vector<FakeBlobLedger::Row> rows = ledger_.Rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NE(rows[0].state, rows[1].state);
  for (const FakeBlobLedger::Row& row : rows) {
    EXPECT_TRUE(row.state == State::kStored || row.state == State::kLeaving);
    if (row.state == State::kLeaving) objects_.Erase(row.object.name);
  }
  TestS3Server cold(objects_, ledger_);
  EXPECT_EQ(cold.Read("koya"), "koya");
}

TEST_F(S3StoreTest, AnUploadThatWasGivenUpMeanwhileIsNotStored) {
  objects_.OnPut([&] {
    ledger_.Advance(std::chrono::hours(25));
    EXPECT_EQ(RunTask(ledger_.GiveUpArrivals(std::chrono::hours(24))), 1U);
  });
  EXPECT_EQ(KindOf(RunTask(Store(here_.blobs(), "koya"))), ErrorKind::kUnavailable);
  EXPECT_EQ(KindOf(here_.Read("koya")), ErrorKind::kNotFound);
  EXPECT_EQ(objects_.Names(), std::vector<std::string>()) << "nobody would find it to remove it";
}

Task<void> CommitMany(BlobStore& store, int count) {
  std::vector<std::unique_ptr<BlobWriter>> staged;
  std::vector<BlobWriter*> writers;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer,
                        co_await Stage(store, "blob " + std::to_string(i), 100));
    writers.push_back(writer.get());
    staged.push_back(std::move(writer));
  }
  co_return co_await store.CommitAll(std::move(writers));
}

TEST_F(S3StoreTest, CommitsSomeSideBySide) {
  std::latch together(4);
  std::atomic<int> put = 0;
  objects_.OnPut([&] {
    if (put++ < 4) together.arrive_and_wait();
  });
  ASSERT_TRUE(RunTask(CommitMany(here_.blobs(), 12)));
  EXPECT_EQ(objects_.most_puts_at_once(), 4);
  EXPECT_EQ(objects_.Names().size(), 12U);
}

TEST_F(S3StoreTest, OneCommitOfManyThatFailsIsTold) {
  objects_.FailPut(FakeObjectClient::PutFault::kBeforeTheAct);
  EXPECT_EQ(KindOf(RunTask(CommitMany(here_.blobs(), 12))), ErrorKind::kUnavailable);
  EXPECT_TRUE(RunTask(CommitMany(here_.blobs(), 12)));
}

TEST_F(S3StoreTest, CommitBeforeFinishIsRefused) {
  auto writer = here_.blobs().Create();
  ASSERT_TRUE(writer);
  EXPECT_EQ(KindOf(RunTask((*writer)->Commit())), ErrorKind::kInternal);
}

// ---- the cache's disk

TEST_F(S3StoreTest, ACacheThatCannotKeepABlobFailsNoCommit) {
  std::filesystem::remove_all(here_.cache_folder() + "/sha256");
  std::ofstream(here_.cache_folder() + "/sha256") << "in the way";
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  EXPECT_NE(here_.Log().find("a blob is not cached"), std::string::npos);
  EXPECT_EQ(here_.Read("koya"), "koya");
  EXPECT_EQ(here_.Read("koya"), "koya");
  EXPECT_EQ(objects_.counts().gets, 2);
}

TEST_F(S3StoreTest, WhatTheCacheHasLostIsReadFromTheStore) {
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  for (int transfers : {1, 2}) {
    ASSERT_TRUE(std::filesystem::remove(here_.CachedPathOf("koya")));
    EXPECT_EQ(here_.Read("koya"), "koya");
    EXPECT_EQ(here_.Read("koya"), "koya");
    EXPECT_EQ(objects_.counts().gets, transfers) << "it is kept again";
  }
}

TEST_F(S3StoreTest, ACacheThatCannotStageFailsWhatIsWritten) {
  OtherStore("koya");
  std::filesystem::remove_all(here_.cache_folder());
  EXPECT_EQ(KindOf(here_.Read("koya")), ErrorKind::kInternal);
  EXPECT_EQ(KindOf(RunTask(Store(here_.blobs(), "new"))), ErrorKind::kInternal);
  EXPECT_EQ(objects_.counts().puts, 1);
}

TEST_F(S3StoreTest, ADamagedFileOfTheCacheIsReadFromTheStore) {
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "whole content")));
  std::filesystem::resize_file(here_.CachedPathOf("whole content"), 5);
  EXPECT_EQ(here_.Read("whole content"), "whole content");
  EXPECT_EQ(objects_.counts().gets, 1);
  EXPECT_EQ(here_.Read("whole content"), "whole content");
  EXPECT_EQ(objects_.counts().gets, 1);
}

// ---- removing

TEST_F(S3StoreTest, WhatIsReferredToStays) {
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  ledger_.SetReferenced([](const Digest&) { return true; });
  EXPECT_EQ(RunTask(here_.blobs().RemoveIfOlder(Digest::Of("koya"), std::chrono::seconds(0))),
            false);
  EXPECT_EQ(here_.Read("koya"), "koya");
}

TEST_F(S3StoreTest, ARemovedBlobLeavesTheCacheAndItsObjectStays) {
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  EXPECT_EQ(RunTask(here_.blobs().RemoveIfOlder(Digest::Of("koya"), std::chrono::seconds(0))),
            true);
  EXPECT_FALSE(std::filesystem::exists(here_.CachedPathOf("koya")));
  EXPECT_EQ(objects_.Names().size(), 1U) << "until it is swept";
  ASSERT_TRUE(RunTask(Store(here_.blobs(), "koya")));
  EXPECT_EQ(objects_.Names().size(), 2U) << "under a name of its own";
}

// ---- redirects

struct RedirectCase {
  RedirectOptions::When when;
  std::uint64_t min;
  bool cached;
  bool redirected;
};

class S3RedirectTest : public S3StoreTest {
 protected:
  std::optional<std::string> UrlOf(TestS3Server& server, std::string_view content) {
    Result<std::shared_ptr<Blob>> blob = RunTask(server.blobs().Open(Digest::Of(content)));
    EXPECT_TRUE(blob);
    return RunTask((*blob)->RedirectUrl());
  }
  static S3BlobOptions With(RedirectOptions::When when, std::uint64_t min = 1) {
    S3BlobOptions options = QuickTestOptions();
    options.redirect.when = when;
    options.redirect.min = min;
    return options;
  }
};

TEST_F(S3RedirectTest, WhoIsSentToTheStore) {
  using enum RedirectOptions::When;
  const std::string name = OtherStore("koya");
  for (const RedirectCase& row : {RedirectCase{kOff, 1, false, false},
                                  {kOff, 1, true, false},
                                  {kMisses, 1, false, true},
                                  {kMisses, 1, true, false},
                                  {kMisses, 5, false, false},
                                  {kAll, 4, false, true},
                                  {kAll, 4, true, true},
                                  {kAll, 5, true, false}}) {
    TestS3Server server(objects_, ledger_, With(row.when, row.min));
    if (row.cached) EXPECT_EQ(server.Read("koya"), "koya");
    while (server.blobs().arriving() > 0) std::this_thread::yield();  // until it is in the cache
    std::optional<std::string> url = UrlOf(server, "koya");
    EXPECT_EQ(url.has_value(), row.redirected);
    if (url) EXPECT_EQ(*url, "https://store.test/" + name + "?ttl=300");
    EXPECT_EQ(server.blobs().counts().redirects, row.redirected ? 1U : 0U);
    EXPECT_EQ(server.Read("koya"), "koya") << "what is asked for all the same is sent from here";
  }
}

TEST_F(S3RedirectTest, AFillRunsBeside) {
  OtherStore("koya");
  TestS3Server server(objects_, ledger_, With(RedirectOptions::When::kMisses));
  ASSERT_TRUE(UrlOf(server, "koya"));
  EXPECT_EQ(server.Read("koya"), "koya");
  EXPECT_EQ(objects_.counts().gets, 1);
}

TEST_F(S3RedirectTest, NobodyIsSentWhereTheBytesAreNot) {
  const std::string name = OtherStore("koya");
  // All, since a redirect begins to fill the cache, which may be done before the next question.
  TestS3Server server(objects_, ledger_, With(RedirectOptions::When::kAll));
  objects_.Erase(name);
  EXPECT_FALSE(UrlOf(server, "koya"));
  objects_.Set(name, "other size");
  EXPECT_FALSE(UrlOf(server, "koya"));
  objects_.Set(name, "koya");
  EXPECT_TRUE(UrlOf(server, "koya"));
  ASSERT_TRUE(RunTask(ledger_.Lose(name)));
  EXPECT_FALSE(UrlOf(server, "koya")) << "it has the size, and perhaps other bytes";
  ASSERT_TRUE(RunTask(ledger_.Regain(name)));
  EXPECT_TRUE(UrlOf(server, "koya"));
  objects_.SetDown(true);
  EXPECT_FALSE(UrlOf(server, "koya"));
}

}  // namespace
}  // namespace koya
