#include "service/search/search_upkeep.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/contents_catalog.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/search_index.h"
#include "catalog/upstream_catalog.h"
#include "catalog/upstream_samples_fake.h"
#include "inspect/contents.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/leases.h"
#include "service/search/index_queue.h"
#include "service/search/reindex.h"
#include "service/search/search_entries.h"

namespace koya::service {
namespace {

class EmptyContents final : public ContentsSource {
 public:
  Task<SharedContents> Read(ModuleVersionRecord record) override {
    if (away) co_return FailUnavailable("the store is away");
    if (record.address.name() == "broken") co_return FailRefused("it is no archive");
    co_return std::make_shared<const inspect::ModuleContents>();
  }
  Task<SharedContents> ReadMirrored(UpstreamModuleVersion) override {
    co_return std::make_shared<const inspect::ModuleContents>();
  }
  Task<std::vector<SearchablePage>> ReadPages(ProviderAddress, Version) override {
    co_return std::vector<SearchablePage>();
  }
  bool away = false;
};

class SearchUpkeepTest : public ::testing::Test {
 protected:
  SearchUpkeepTest() {
    reindexing_ = std::make_unique<Reindexing>(catalog_, contents_, workers_);
    leases_ = std::make_unique<Leases>(catalog_, "here");
  }

  void Publish(std::string_view address, std::string_view version) {
    EXPECT_TRUE(RunTask(catalog_.modules().AddVersion(Tester(), koya::Record(address, version))));
  }
  std::size_t Missing(SearchKind kind) {
    return RunTask(catalog_.search_index().ListUnindexed(kind, std::nullopt)).value().size();
  }
  // Until it wants to rest for long.
  int WorkAll(SearchUpkeep& upkeep) {
    int works = 0;
    while (RunTask(upkeep.Work()) < SearchUpkeep::kBetweenLooks && works < 100) ++works;
    return works;
  }

  WorkerPool workers_{1};
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  EmptyContents contents_;
  TestCatalog catalog_;
  std::unique_ptr<Reindexing> reindexing_;
  std::unique_ptr<Leases> leases_;
};

TEST_F(SearchUpkeepTest, IndexesWhatLacksAndNothingElse) {
  for (const char* version : {"1.0.0", "2.0.0"}) Publish("acme/vpc/aws", version);
  Publish("acme/broken/aws", "1.0.0");
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0", "1");
  ASSERT_TRUE(RunTask(catalog_.keys().AddKey(Tester(), SampleKey("acme"))));
  ASSERT_TRUE(RunTask(catalog_.providers().AddRelease(Tester(), release, std::nullopt)));
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 4);
  EXPECT_EQ(Missing(SearchKind::kModule), 0u);
  EXPECT_EQ(Missing(SearchKind::kProvider), 0u);
  EXPECT_EQ(leases_->held(), 0u) << "others may look now";
  EXPECT_EQ(WorkAll(upkeep), 0);
  Publish("acme/vpc/aws", "3.0.0");
  EXPECT_EQ(WorkAll(upkeep), 1);
}

TEST_F(SearchUpkeepTest, IndexesWhatOfOtherRegistriesIsBack) {
  const UpstreamModuleVersion version = SampleUpstreamModule(kRemoteModule, "1.0.0");
  ASSERT_TRUE(RunTask(catalog_.upstream_modules().PinModule(version)));
  const ModuleSubject subject{version.module.host.ascii(), version.module.address, version.version};
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 0) << "nobody has read it";
  ASSERT_TRUE(RunTask(catalog_.contents().PutContents(
      subject, {.contents = ContentsRecord{1, "read"}, .entries = std::nullopt})));
  EXPECT_EQ(WorkAll(upkeep), 1);
  ASSERT_TRUE(RunTask(
      catalog_.upstream_holdings().ReleaseModule(Tester(), version.module, version.version)));
  EXPECT_EQ(RunTask(catalog_.search_index().ListSearchSubjects(std::nullopt))->size(), 0u);
  EXPECT_EQ(WorkAll(upkeep), 0);
  ASSERT_TRUE(RunTask(catalog_.upstream_modules().PinModule(version)));
  EXPECT_EQ(WorkAll(upkeep), 1);
  EXPECT_EQ(RunTask(catalog_.search_index().ListSearchSubjects(std::nullopt))->size(), 1u);
}

TEST_F(SearchUpkeepTest, IndexesProvidersOfOtherRegistriesWhileTheyAreHeld) {
  UpstreamRelease release = SampleUpstreamRelease(kRemote, "1.0.0");
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(release, false)));
  const UpstreamModuleVersion module = SampleUpstreamModule(kRemoteModule, "1.0.0");
  ASSERT_TRUE(RunTask(catalog_.upstream_modules().PinModule(module)));
  const ModuleSubject read{module.module.host.ascii(), module.module.address, module.version};
  ASSERT_TRUE(RunTask(catalog_.contents().PutContents(
      read, {.contents = ContentsRecord{1, "read"}, .entries = std::nullopt})));
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 1) << "the module: nothing is held of the provider";
  const UpstreamPackage package = SampleHeldPackage("linux_amd64", "content");
  ASSERT_TRUE(RunTask(
      catalog_.upstream_releases().HoldPackage(release.provider, release.version, package)));
  release.version = *Version::Parse("1.1.0");
  release.packages[1] = package;
  ASSERT_TRUE(RunTask(catalog_.upstream_releases().PinRelease(release, false)));
  EXPECT_EQ(WorkAll(upkeep), 2);
  EXPECT_EQ(RunTask(catalog_.search_index().ListSearchSubjects(std::nullopt))->size(), 3u);
  EXPECT_EQ(WorkAll(upkeep), 0);
  ASSERT_TRUE(
      RunTask(catalog_.upstream_holdings().ReleaseHeld(Tester(), package.digest, "damaged")));
  EXPECT_EQ(RunTask(catalog_.search_index().ListSearchSubjects(std::nullopt))->size(), 1u);
  EXPECT_EQ(WorkAll(upkeep), 0);
}

TEST_F(SearchUpkeepTest, OneServerAtATime) {
  Publish("acme/vpc/aws", "1.0.0");
  Leases others(catalog_, "there");
  ASSERT_TRUE(RunTask(others.TakeLease(SearchUpkeep::kLease)).value());
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 0);
  EXPECT_EQ(Missing(SearchKind::kModule), 1u);
  ASSERT_TRUE(RunTask(others.GiveBack(SearchUpkeep::kLease)));
  EXPECT_EQ(WorkAll(upkeep), 1);
}

TEST_F(SearchUpkeepTest, AFailureIsToldAndTriedAgain) {
  Publish("acme/vpc/aws", "1.0.0");
  contents_.away = true;
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 0);
  contents_.away = false;
  WorkAll(upkeep);
  WorkAll(upkeep);
  EXPECT_EQ(Missing(SearchKind::kModule), 0u);
}

TEST_F(SearchUpkeepTest, NotesEachLook) {
  for (const char* version : {"1.0.0", "2.0.0"}) Publish("acme/vpc/aws", version);
  ManualClock clock;
  clock.now = 100;
  JobRuns runs(clock);
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_, &runs);
  RunTask(upkeep.Work());
  EXPECT_EQ(runs.All().at(0).ended_at, 0) << "it is at it";
  EXPECT_EQ(runs.All().at(0).measure.waiting, 2U);
  WorkAll(upkeep);
  const JobRun run = runs.All().at(0);
  EXPECT_EQ(run.job, SearchUpkeep::kLease);
  EXPECT_EQ(run.ended_at, 100);
  EXPECT_EQ(run.told, "missing versions indexed: 2");
  EXPECT_EQ(run.measure.waiting, 0U);
  EXPECT_TRUE(run.measure.took);
  Publish("acme/vpc/aws", "3.0.0");
  contents_.away = true;
  WorkAll(upkeep);
  EXPECT_TRUE(runs.All().at(0).failed);
  EXPECT_EQ(runs.All().at(0).runs, 2U);
  EXPECT_NE(runs.All().at(0).last_failure, "");
}

// Versions that were published a moment ago.
class IndexQueueTest : public SearchUpkeepTest {
 protected:
  static SearchSubject Module(std::string_view address, std::string_view version) {
    return SearchSubject::Of(*ModuleAddress::Parse(address), *Version::Parse(version));
  }
  std::size_t Indexed() {
    return RunTask(catalog_.search_index().ListSearchSubjects(std::nullopt))->size();
  }
  void Work() { RunTask(queue_.Work(*reindexing_, log_, stop_)); }

  IndexQueue queue_;
  std::atomic<bool> stop_ = false;
};

TEST_F(IndexQueueTest, IndexesWhatWasAddedAndIsStillThere) {
  Publish("acme/vpc/aws", "1.0.0");
  const ProviderRelease release = SampleRelease("acme/demo", "1.0.0", "1");
  ASSERT_TRUE(RunTask(catalog_.keys().AddKey(Tester(), SampleKey("acme"))));
  ASSERT_TRUE(RunTask(catalog_.providers().AddRelease(Tester(), release, std::nullopt)));
  queue_.Add(Module("acme/vpc/aws", "1.0.0"));
  queue_.Add(Module("acme/gone/aws", "1.0.0"));
  queue_.Add(Module("acme/vpc/aws", "2.0.0"));
  queue_.Add(SearchSubject::Of(release.address, release.version));
  Work();
  EXPECT_EQ(Indexed(), 2u);
  EXPECT_EQ(Missing(SearchKind::kModule), 0u);
  EXPECT_EQ(Missing(SearchKind::kProvider), 0u);
  EXPECT_EQ(captured_.Text(), "") << "what is gone is nobody's failure";
}

TEST_F(IndexQueueTest, WakesWhoWorksAfterEachAndUntilTold) {
  int woken = 0;
  queue_.Add(Module("acme/vpc/aws", "1.0.0"));
  queue_.WakeWith([&] { ++woken; });
  queue_.Add(Module("acme/vpc/aws", "1.1.0"));
  queue_.Add(Module("acme/vpc/aws", "1.2.0"));
  EXPECT_EQ(woken, 2);
  queue_.WakeWith({});
  queue_.Add(Module("acme/vpc/aws", "1.3.0"));
  EXPECT_EQ(woken, 2);
}

TEST_F(IndexQueueTest, WhoSearchesWaitsForWhatWasAddedBefore) {
  const auto wait = [&](std::chrono::seconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    RunTask(queue_.WaitForThoseBefore(deadline));
    return std::chrono::steady_clock::now() < deadline;
  };
  Publish("acme/vpc/aws", "1.0.0");
  queue_.Add(Module("acme/vpc/aws", "1.0.0"));
  EXPECT_TRUE(wait(std::chrono::hours(1))) << "nobody works: it would be in vain";
  EXPECT_EQ(Indexed(), 0u);
  queue_.WakeWith([] {});
  EXPECT_FALSE(wait(std::chrono::seconds(0))) << "it is not in";
  {
    std::jthread worker([&] { Work(); });
    EXPECT_TRUE(wait(std::chrono::hours(1)));
    EXPECT_EQ(Indexed(), 1u);
  }
  EXPECT_TRUE(wait(std::chrono::hours(1))) << "nothing is before it";
  queue_.Add(Module("acme/gone/aws", "1.0.0"));
  {
    std::jthread worker([&] { Work(); });
    EXPECT_TRUE(wait(std::chrono::hours(1))) << "what cannot be indexed is worked through, too";
  }
}

TEST_F(IndexQueueTest, NobodyWaitsForMoreThanSomeNorForWhoHasLeft) {
  queue_.WakeWith([] {});
  for (std::size_t i = 0; i <= IndexQueue::kMostWaitedFor; ++i) {
    queue_.Add(Module("acme/gone/aws", "1.0.0"));
  }
  const auto late = std::chrono::steady_clock::now() + std::chrono::hours(1);
  RunTask(queue_.WaitForThoseBefore(late));  // returns
  stop_ = true;
  Work();
  stop_ = false;
  EXPECT_EQ(queue_.waiting(), IndexQueue::kMostWaitedFor + 1);
  Work();
  queue_.Add(Module("acme/gone/aws", "1.0.0"));
  std::jthread leaving([&] { queue_.WakeWith({}); });
  RunTask(queue_.WaitForThoseBefore(late));  // returns
  EXPECT_EQ(queue_.waiting(), 1u);
}

TEST_F(IndexQueueTest, WhatFailsIsToldAndLeftToTheUpkeep) {
  Publish("acme/vpc/aws", "1.0.0");
  Publish("acme/broken/aws", "1.0.0");
  contents_.away = true;
  queue_.Add(Module("acme/vpc/aws", "1.0.0"));
  Work();
  EXPECT_EQ(Indexed(), 0u);
  EXPECT_TRUE(captured_.Text().contains("is added to the search index later")) << captured_.Text();
  contents_.away = false;
  queue_.Add(Module("acme/broken/aws", "1.0.0"));
  Work();
  EXPECT_EQ(Indexed(), 1u) << "by its name alone";
  EXPECT_TRUE(captured_.Text().contains("it is no archive")) << captured_.Text();
  SearchUpkeep upkeep(catalog_, *reindexing_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 1);
}

TEST_F(IndexQueueTest, NotesWhatItIndexedAndNoLookThatFoundNothing) {
  ManualClock clock;
  JobRuns runs(clock);
  const auto work = [&] { RunTask(queue_.Work(*reindexing_, log_, stop_, &runs)); };
  work();
  EXPECT_TRUE(runs.All().empty());
  Publish("acme/vpc/aws", "1.0.0");
  queue_.Add(Module("acme/vpc/aws", "1.0.0"));
  queue_.Add(Module("acme/gone/aws", "1.0.0"));
  EXPECT_EQ(queue_.waiting(), 2U);
  work();
  JobRun run = runs.All().at(0);
  EXPECT_EQ(run.job, IndexQueue::kJob);
  EXPECT_EQ(run.told, "versions indexed: 1");
  EXPECT_EQ(run.measure.waiting, 0U);
  EXPECT_TRUE(run.measure.took);
  EXPECT_FALSE(run.failed);
  Publish("acme/vpc/aws", "2.0.0");
  contents_.away = true;
  queue_.Add(Module("acme/vpc/aws", "2.0.0"));
  queue_.Add(Module("acme/gone/aws", "1.0.0"));
  work();
  run = runs.All().at(0);
  EXPECT_TRUE(run.failed) << "though the last one went well";
  EXPECT_EQ(run.failures, 1U);
}

TEST_F(IndexQueueTest, EndsWhenItIsToldAndHoldsNoMoreThanItMay) {
  Publish("acme/vpc/aws", "1.0.0");
  for (std::size_t i = 0; i < IndexQueue::kMostWaiting; ++i) {
    queue_.Add(Module("acme/gone/aws", "1.0.0"));
  }
  queue_.Add(Module("acme/vpc/aws", "1.0.0"));
  stop_ = true;
  Work();
  stop_ = false;
  Work();
  EXPECT_EQ(Indexed(), 0u) << "what is too much is left to the upkeep";
}

}  // namespace
}  // namespace koya::service
