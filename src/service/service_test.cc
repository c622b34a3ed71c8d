// Use cases over a real catalog and blobs in memory.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "blobs/memory/memory_blob_store.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/storage_catalog.h"
#include "domain/provider_record.h"
#include "domain/storage_record.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/change_feed.h"
#include "service/common/refused_updates_fake.h"
#include "service/modules/modules.h"
#include "service/operate/collect_garbage.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

const auth::Principal kOperator = auth::Principal::Operator();

class ServiceTest : public ::testing::Test {
 protected:
  Digest Store(const std::string& content) { return RunTask(StoreBytes(content)).value(); }

  Task<Digest> StoreBytes(std::string content) {
    ASSIGN_OR_CO_RETURN(std::unique_ptr<BlobWriter> writer, blobs_.Create());
    CO_RETURN_IF_ERROR(writer->Write(std::as_bytes(std::span(content))));
    ASSIGN_OR_CO_RETURN(BlobInfo info, writer->Finish());
    CO_RETURN_IF_ERROR(co_await writer->Commit());
    co_return info.digest;
  }

  bool Holds(Digest digest) { return RunTask(blobs_.Open(digest)).has_value(); }

  ModuleVersionRecord Record(const std::string& version, Digest digest) {
    return {.address = *ModuleAddress::Parse("acme/vpc/aws"),
            .version = *Version::Parse(version),
            .digest = digest,
            .size = 1,
            .upload_digest = digest,
            .published_at = clock_.now,
            .published_by = "ci"};
  }

  GarbageReport Collect(std::chrono::seconds grace) {
    GarbageOptions options{.grace = grace, .now = clock_.now, .stop = stop_};
    return RunTask(CollectGarbage(catalog_, catalog_, blobs_, options)).value();
  }

  GarbagePlan Plan(std::chrono::seconds grace) {
    GarbagePlanner planner(catalog_, blobs_, clock_, {.grace = grace});
    return RunTask(planner.Plan(kOperator, std::nullopt)).value();
  }

  TempFolder folder_;
  ManualClock clock_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  TestCatalog catalog_;
  MemoryBlobStore blobs_;
  std::atomic<bool> stop_ = false;
};

TEST_F(ServiceTest, GarbageIsWhatNoRecordNames) {
  Digest kept = Store("kept");
  Digest withdrawn = Store("withdrawn");
  Digest orphan = Store("orphan");
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), Record("1.0.0", kept))));
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), Record("1.1.0", withdrawn))));
  Withdrawal withdrawal{.at = clock_.now, .by = "ops", .reason = "broken"};
  ASSERT_TRUE(
      RunTask(catalog_.modules().Withdraw(Actor::Server(), *ModuleAddress::Parse("acme/vpc/aws"),
                                          *Version::Parse("1.1.0"), withdrawal)));

  const GarbagePlan waiting = Plan(std::chrono::hours(24));
  EXPECT_EQ(waiting.referenced, (StoredSum{.count = 1, .bytes = 4}));
  EXPECT_EQ(waiting.young, (StoredSum{.count = 2, .bytes = 15}));
  EXPECT_EQ(waiting.unused, StoredSum());
  const GarbagePlan plan = Plan(std::chrono::seconds(-1));
  EXPECT_EQ(plan.unused, (StoredSum{.count = 2, .bytes = 15}));
  EXPECT_EQ(plan.young, StoredSum());
  EXPECT_EQ(plan.named.size(), 2U);
  EXPECT_EQ(plan.next, std::nullopt);
  EXPECT_TRUE(Holds(orphan)) << "a plan removes nothing";

  GarbageReport young = Collect(std::chrono::hours(24));
  EXPECT_EQ(young.examined, 3U);
  EXPECT_EQ(young.removed, 0U) << "a publish may be about to name a young blob";

  GarbageReport report = Collect(std::chrono::seconds(-1));
  EXPECT_EQ(report.removed, 2U);
  EXPECT_EQ(report.removed_bytes, std::string("withdrawn").size() + std::string("orphan").size());
  EXPECT_TRUE(Holds(kept));
  EXPECT_FALSE(Holds(withdrawn));
  EXPECT_FALSE(Holds(orphan));
}

TEST_F(ServiceTest, ADraftKeepsItsFilesUntilItIsGone) {
  Digest zip = Store("zip");
  DraftRecord draft{.id = "abandoned",
                    .address = *ProviderAddress::Parse("acme/demo"),
                    .version = *Version::Parse("1.0.0"),
                    .created_at = clock_.now,
                    .created_by = "ci",
                    .expires_at = clock_.now + 100,
                    .files = {}};
  ASSERT_TRUE(RunTask(catalog_.drafts().AddDraft(draft, 1)));
  DraftFile file{.name = "a.zip", .digest = zip, .size = 3, .h1 = {}, .problems = {}};
  ASSERT_TRUE(RunTask(catalog_.drafts().PutDraftFile(draft.id, file, draft.expires_at, 1)));
  // The first: open. The second: expired, but a commit that found it open may still be at work.
  for (UnixSeconds later : {99, 3'600}) {
    clock_.now += later;
    GarbageReport report = Collect(std::chrono::seconds(-1));
    EXPECT_EQ(report.drafts, 0U);
    EXPECT_EQ(report.removed, 0U);
    EXPECT_EQ(Plan(std::chrono::seconds(-1)).open_drafts, (StoredSum{.count = 1, .bytes = 3}));
  }
  EXPECT_TRUE(Holds(zip));
  clock_.now += 1;
  EXPECT_EQ(Plan(std::chrono::seconds(-1)).expired_drafts, (StoredSum{.count = 1, .bytes = 3}));
  GarbageReport report = Collect(std::chrono::seconds(-1));
  EXPECT_EQ(report.drafts, 1U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_FALSE(Holds(zip));
}

// So many blobs that keeping them all in mind would show, of which nothing needs one in ten.
class ManyBlobs final : public BlobStore, public BlobReferences {
 public:
  explicit ManyBlobs(int count) {
    for (int i = 0; i < count; ++i) blobs_.insert(Digest::Of(std::to_string(i)));
  }
  Result<std::unique_ptr<BlobWriter>> Create() override { return Unused(); }
  WorkerPool& workers() override { return workers_; }
  Task<void> CommitAll(std::vector<BlobWriter*> /*writers*/) override { co_return Unused(); }
  Task<std::shared_ptr<Blob>> Open(Digest /*digest*/) override { co_return Unused(); }
  Task<bool> RemoveIfOlder(Digest digest, std::chrono::seconds /*older_than*/) override {
    if (refuses_after-- == 0) co_return FailUnavailable("the disk does not answer");
    co_return blobs_.erase(digest) == 1;
  }
  Task<std::vector<Digest>> RemoveAllIfOlder(std::vector<Digest> digests,
                                             std::chrono::seconds older_than) override {
    ++removals;
    most_removed = std::max(most_removed, digests.size());
    co_return co_await BlobStore::RemoveAllIfOlder(std::move(digests), older_than);
  }
  Task<std::vector<BlobInfo>> List(std::optional<Digest> after, std::size_t limit) override {
    most_listed = std::max(most_listed, limit);
    std::vector<BlobInfo> page;
    for (auto blob = after ? blobs_.upper_bound(*after) : blobs_.begin();
         blob != blobs_.end() && page.size() < limit; ++blob) {
      page.push_back({*blob, 1});
    }
    co_return page;
  }
  Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) override {
    ++questions;
    std::erase_if(digests, [](const Digest& digest) { return !IsGarbage(digest); });
    co_return digests;
  }
  Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> /*digests*/) override {
    co_return Unused();
  }
  static bool IsGarbage(const Digest& digest) { return digest.bytes()[5] < std::byte{26}; }

  std::size_t most_listed = 0;
  int questions = 0;
  int removals = 0;
  std::size_t most_removed = 0;
  int refuses_after = -1;  // so many removals; -1: none is refused

 private:
  static Failure Unused() { return FailInternal("not asked for here"); }

  std::set<Digest> blobs_;
  WorkerPool workers_{1};
};

TEST_F(ServiceTest, WhatWasRemovedBeforeAFailureIsCounted) {
  ManyBlobs blobs(20'500);
  blobs.refuses_after = 50;
  auto some = RunTask(blobs.BlobStore::RemoveAllIfOlder(std::vector<Digest>(60, Digest::Of("0")),
                                                        std::chrono::seconds(0)));
  ASSERT_TRUE(some) << "as many as were removed";
  EXPECT_EQ(some->size(), 1U);
  blobs.refuses_after = 0;
  EXPECT_FALSE(RunTask(blobs.BlobStore::RemoveAllIfOlder({Digest::Of("1")}, {})));
  blobs.refuses_after = 1000;
  GarbageTotals totals;
  GarbageOptions options{
      .grace = std::chrono::hours(24), .now = clock_.now, .stop = stop_, .totals = &totals};
  (void)RunTask(
      CollectGarbage(catalog_, blobs, blobs, options));  // whether it meets it again or not
  EXPECT_GE(totals.marked, 1000U);
}

TEST_F(ServiceTest, GarbageIsCollectedInPagesWithOneQuestionEach) {
  ManyBlobs blobs(20'500);
  GarbageTotals totals;
  GarbageOptions options{
      .grace = std::chrono::hours(24), .now = clock_.now, .stop = stop_, .totals = &totals};
  auto report = RunTask(CollectGarbage(catalog_, blobs, blobs, options));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->examined, 20'500U);
  EXPECT_GT(report->removed, 1'500U);
  EXPECT_LT(report->removed, 2'500U);
  EXPECT_EQ(report->removed_bytes, report->removed);
  EXPECT_EQ(blobs.most_listed, 1000U);
  EXPECT_EQ(blobs.questions, 21);
  EXPECT_EQ(totals.examined, report->examined);
  EXPECT_EQ(totals.marked, report->removed);
  EXPECT_EQ(totals.marked_bytes, report->removed_bytes);
  // A hundred of each page, more or less: one step, or two.
  EXPECT_LE(blobs.removals, 42);
  EXPECT_LE(blobs.most_removed, 100U);
  const std::uint64_t left = 20'500 - report->removed;
  report = RunTask(CollectGarbage(catalog_, blobs, blobs, options));
  EXPECT_EQ(report->examined, left);
  EXPECT_EQ(report->removed, 0U);
}

TEST_F(ServiceTest, GarbageCollectionEndsWhenTold) {
  Digest orphan = Store("orphan");
  stop_ = true;
  EXPECT_EQ(Collect(std::chrono::seconds(-1)).examined, 0U);
  EXPECT_TRUE(Holds(orphan));
}

TEST_F(ServiceTest, AVersionWhoseBlobIsGoneIsCorruptNotUnknown) {
  ASSERT_TRUE(RunTask(
      catalog_.modules().AddVersion(Actor::Server(), Record("1.0.0", Digest::Of("never stored")))));
  IndexQueue index;
  Modules modules(catalog_, blobs_, index, clock_, std::chrono::hours(24));
  auto open =
      RunTask(modules.OpenVersion(*ModuleAddress::Parse("acme/vpc/aws"), *Version::Parse("1.0.0")));
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(open.error().message.find("backup"), std::string::npos) << open.error().message;
}

TEST_F(ServiceTest, AChangeMadeHereIsAnnouncedBeforeItsMakerGoesOn) {
  std::vector<std::string> heard;
  ChangeFeed changes(catalog_);
  changes.AddListener([&](std::string_view topic) { heard.emplace_back(topic); });
  auto record = Record("1.0.0", Digest::Of("a"));
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  EXPECT_EQ(heard, std::vector<std::string>{"module:acme/vpc/aws"});
  ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  record.description = "\xff";
  record.version = *Version::Parse("1.0.1");
  ASSERT_FALSE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  EXPECT_EQ(heard.size(), 1U) << "nothing changed";
}

// A change log that is down for a while.
class FlakyLog final : public ChangeLog {
 public:
  Task<ChangePosition> LatestChange() override { co_return ChangePosition{}; }
  Task<std::vector<Change>> ChangesSince(ChangePosition /*after*/) override {
    ++asked;
    if (asked <= 3) co_return FailUnavailable("down");
    co_return std::vector<Change>();
  }
  Task<void> WaitForChange() override { co_return Status(); }
  Task<std::string> ServerRun() override { co_return asked > 3 ? after : std::string("first"); }
  bool NotificationsWork() const override { return asked < 3 || asked > 4; }
  void SetListener(std::function<void(const std::vector<Change>&)> /*listener*/) override {}
  int asked = 0;
  std::string after = "second";  // which server answers then
};

// A change log of five changes.
class FiveChanges final : public ChangeLog {
 public:
  Task<ChangePosition> LatestChange() override { co_return ChangePosition{1, {}}; }
  Task<std::vector<Change>> ChangesSince(ChangePosition after) override {
    std::vector<Change> changes;
    for (std::int64_t i = after.sequence + 1; i <= 5; ++i) {
      changes.push_back({i, std::to_string(i), {}});
    }
    co_return changes;
  }
  Task<void> WaitForChange() override { co_return Status(); }
  Task<std::string> ServerRun() override { co_return std::string("only"); }
  bool NotificationsWork() const override { return true; }
  void SetListener(std::function<void(const std::vector<Change>&)> listener) override {
    made_here = std::move(listener);
  }
  std::function<void(const std::vector<Change>&)> made_here;
};

TEST(ChangeFeedTest, EachChangeIsAnnouncedOnceWhereverItWasMade) {
  FiveChanges log;
  {
    ChangeFeed changes(log);
    std::vector<std::string> heard;
    changes.AddListener([&](std::string_view topic) {
      heard.emplace_back(topic);
      if (topic == "5") changes.Stop();
    });
    ASSERT_TRUE(RunTask(changes.Start()));
    log.made_here({{2, "2", {}}, {4, "4", {}}});
    EXPECT_EQ(heard, (std::vector<std::string>{"2", "4"}));
    ChangeFeed::Outage unheard{
        .begins = [](const Error&) {}, .is_over = [] {}, .hearing = [](bool) {}};
    RunTask(changes.Run(unheard));
    EXPECT_EQ(heard, (std::vector<std::string>{"2", "4", "3", "5"}));
    log.made_here({{5, "5", {}}});
    EXPECT_EQ(heard.size(), 4U) << "the log was quicker";
  }
  EXPECT_FALSE(log.made_here) << "nobody hears any more";
}

TEST(ChangeFeedTest, AnothersChangeWithTheNumberOfOneThatWasMadeHereIsAnnounced) {
  FiveChanges log;
  ChangeFeed changes(log);
  std::vector<std::string> heard;
  changes.AddListener([&](std::string_view topic) {
    heard.emplace_back(topic);
    if (topic == "5") changes.Stop();
  });
  ASSERT_TRUE(RunTask(changes.Start()));
  log.made_here({{3, "lost in a failover", "a mark"}});
  ChangeFeed::Outage unheard{
      .begins = [](const Error&) {}, .is_over = [] {}, .hearing = [](bool) {}};
  RunTask(changes.Run(unheard));
  EXPECT_EQ(heard, (std::vector<std::string>{"lost in a failover", "2", "3", "4", "5"}));
}

TEST(ChangeFeedTest, AnOutageAndItsEndAreToldOnceAndAnotherServerMakesEverythingStale) {
  FlakyLog log;
  ChangeFeed changes(log);
  ASSERT_TRUE(RunTask(changes.Start()));
  std::vector<std::string> heard;
  std::vector<std::string> told;
  std::vector<bool> confirmed;
  changes.AddListener([&](std::string_view topic) {
    heard.emplace_back(topic);
    changes.Stop();
  });
  auto tell = [&](std::string_view what) {
    told.emplace_back(what);
    confirmed.push_back(changes.ConfirmedAt() != std::chrono::steady_clock::time_point());
  };
  ChangeFeed::Outage outage{.begins = [&](const Error& error) { tell(error.message); },
                            .is_over = [&] { tell("over"); },
                            .hearing = [](bool) {}};
  RunTask(changes.Run(outage));
  EXPECT_EQ(told, (std::vector<std::string>{"down", "over"}));
  EXPECT_EQ(confirmed, (std::vector<bool>{true, true}));
  EXPECT_EQ(heard, (std::vector<std::string>{""}));
}

TEST(ChangeFeedTest, WhatIsKeptStaysWhenTheSameServerAnswersAgain) {
  FlakyLog log;
  log.after = "first";
  ChangeFeed changes(log);
  ASSERT_TRUE(RunTask(changes.Start()));
  std::vector<std::string> heard;
  changes.AddListener([&](std::string_view topic) { heard.emplace_back(topic); });
  ChangeFeed::Outage outage{
      .begins = [](const Error&) {}, .is_over = [&] { changes.Stop(); }, .hearing = [](bool) {}};
  RunTask(changes.Run(outage));
  EXPECT_EQ(heard, std::vector<std::string>{});
}

TEST(ChangeFeedTest, SaysUntilWhenEverythingWasTold) {
  // The second read is empty: every change committed before it started has been announced.
  class OneChange final : public ChangeLog {
   public:
    Task<ChangePosition> LatestChange() override { co_return ChangePosition{}; }
    Task<std::vector<Change>> ChangesSince(ChangePosition after) override {
      began.push_back(TimeSinceBoot());
      if (after.sequence == 0) co_return std::vector<Change>{{1, "one", {}}};
      co_return std::vector<Change>();
    }
    Task<void> WaitForChange() override { co_return Status(); }
    Task<std::string> ServerRun() override { co_return std::string("only"); }
    bool NotificationsWork() const override { return began.size() != 2; }
    void SetListener(std::function<void(const std::vector<Change>&)> /*listener*/) override {}
    std::vector<std::chrono::nanoseconds> began;
  };
  OneChange log;
  ChangeFeed changes(log);
  ASSERT_TRUE(RunTask(changes.Start()));
  EXPECT_EQ(changes.SeenUntil().count(), 0) << "nothing was read yet";
  ChangeFeed::Outage outage{.begins = [](const Error&) {},
                            .is_over = [] {},
                            .hearing = [&](bool /*hears*/) { changes.Stop(); }};
  RunTask(changes.Run(outage));
  ASSERT_EQ(log.began.size(), 2U);
  EXPECT_GE(changes.SeenUntil(), log.began[0]);
  EXPECT_LE(changes.SeenUntil(), log.began[1]);
}

TEST(ChangeFeedTest, ThatNotificationsDoNotArriveIsToldOnceAndThatTheyDoAgain) {
  FlakyLog log;
  ChangeFeed changes(log);
  std::vector<bool> told;
  ChangeFeed::Outage outage{.begins = [](const Error&) {},
                            .is_over = [] {},
                            .hearing =
                                [&](bool hears) {
                                  told.push_back(hears);
                                  if (hears) changes.Stop();
                                }};
  RunTask(changes.Run(outage));
  EXPECT_EQ(told, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace koya::service
