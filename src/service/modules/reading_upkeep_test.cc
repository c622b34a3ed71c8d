#include "service/modules/reading_upkeep.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "archive/archive_builder_fake.h"
#include "base/manual_clock_fake.h"
#include "base/offload.h"
#include "base/run_task.h"
#include "blobs/blob_texts_fake.h"
#include "blobs/unreachable_blob_store_fake.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/contents_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/search_index.h"
#include "inspect/contents.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/leases.h"
#include "service/common/reading.h"
#include "service/modules/module_metadata.h"

namespace koya::service {
namespace {

class ReadingUpkeepTest : public ::testing::Test {
 protected:
  ReadingUpkeepTest() {
    insides_ = std::make_unique<ModuleMetadata>(catalog_, blobs_, workers_, ArchiveLimits{});
    readings_ = std::make_unique<AnalysisProgress>(catalog_, *insides_);
    leases_ = std::make_unique<Leases>(catalog_, "here");
  }

  // Publishes like an older program: without an analysis.
  ModuleVersionRecord Publish(std::string_view address, std::string_view version,
                              const std::string& bytes) {
    EXPECT_TRUE(RunTask(Store(blobs_, bytes)));
    return Add(address, version, Digest::Of(bytes), bytes.size());
  }
  ModuleVersionRecord Add(std::string_view address, std::string_view version, const Digest& digest,
                          std::uint64_t size) {
    ModuleVersionRecord record = Record(address, version);
    record.digest = digest;
    record.size = size;
    EXPECT_TRUE(RunTask(catalog_.modules().AddVersion(Tester(), record)));
    return record;
  }
  static std::string Archive(const std::string& text) {
    return TarGz({{.name = "main.tf", .content = text}});
  }
  std::uint64_t Unread() {
    return RunTask(catalog_.contents().CountUnread(inspect::kReaderVersion)).value_or(999);
  }
  std::size_t Unindexed() {
    return RunTask(catalog_.search_index().ListUnindexed(SearchKind::kModule, std::nullopt))
        .value()
        .size();
  }
  // Until a look is at its end.
  int WorkAll(ReadingUpkeep& upkeep) {
    int works = 0;
    while (RunTask(upkeep.Work()) < ReadingUpkeep::kBetweenLooks && works < 100) ++works;
    return works;
  }
  std::size_t Told(std::string_view words) {
    std::size_t times = 0;
    const std::string text = captured_.Text();
    for (std::size_t at = text.find(words); at != std::string::npos;
         at = text.find(words, at + 1)) {
      ++times;
    }
    return times;
  }

  WorkerPool workers_{1};
  UnreachableBlobStore blobs_;
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  TestCatalog catalog_;
  std::unique_ptr<ModuleMetadata> insides_;
  std::unique_ptr<AnalysisProgress> readings_;
  std::unique_ptr<Leases> leases_;
};

TEST_F(ReadingUpkeepTest, ReadsWhatNobodyReadAndIndexesItWithThat) {
  for (const char* version : {"1.0.0", "2.0.0"}) {
    Publish("acme/vpc/aws", version, Archive("variable \"a\" {}\n# " + std::string(version)));
  }
  ReadingUpkeep upkeep(catalog_, *readings_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 2);
  EXPECT_EQ(Unread(), 0u);
  EXPECT_EQ(Unindexed(), 0u) << "nothing is left to do for the index";
  EXPECT_EQ(readings_->totals().read, 2u);
  EXPECT_EQ(readings_->totals().unread, 0u);
  EXPECT_EQ(leases_->held(), 0u) << "others may look now";
  EXPECT_EQ(WorkAll(upkeep), 0);
  Publish("acme/vpc/aws", "3.0.0", Archive("variable \"b\" {}\n"));
  EXPECT_EQ(WorkAll(upkeep), 1);
}

TEST_F(ReadingUpkeepTest, WhatCannotBeReadIsToldOnceAndHoldsUpNobody) {
  Publish("acme/broken/aws", "1.0.0", "this is no archive");
  Add("acme/lost/aws", "1.0.0", Digest::Of("bytes that are gone"), 19);
  Publish("acme/vpc/aws", "1.0.0", Archive("variable \"a\" {}\n"));
  ReadingUpkeep upkeep(catalog_, *readings_, *leases_, log_);
  EXPECT_EQ(WorkAll(upkeep), 3);
  EXPECT_EQ(Unread(), 2u);
  EXPECT_EQ(readings_->totals().failed, 2u);
  EXPECT_EQ(readings_->totals().unread, 2u);
  EXPECT_EQ(WorkAll(upkeep), 0) << "not again with every look";
  EXPECT_EQ(Told("acme/broken/aws"), 1u) << captured_.Text();
  EXPECT_EQ(Told("its archive cannot be read"), 2u) << captured_.Text();
}

TEST_F(ReadingUpkeepTest, NotesEachLookAndWhatIsLeft) {
  Publish("acme/broken/aws", "1.0.0", "this is no archive");
  for (const char* version : {"1.0.0", "2.0.0"}) {
    Publish("acme/vpc/aws", version, Archive("variable \"a\" {}\n# " + std::string(version)));
  }
  ManualClock clock;
  clock.now = 100;
  JobRuns runs(clock);
  ReadingUpkeep upkeep(catalog_, *readings_, *leases_, log_, &runs);
  EXPECT_LT(RunTask(upkeep.Work()), ReadingUpkeep::kBetweenLooks);
  JobRun run = runs.All().at(0);
  EXPECT_EQ(run.job, ReadingUpkeep::kLease);
  EXPECT_EQ(run.ended_at, 0) << "it is at it";
  EXPECT_EQ(run.measure.waiting, 3U) << "the broken one is still unread";
  WorkAll(upkeep);
  run = runs.All().at(0);
  EXPECT_EQ(run.ended_at, 100);
  EXPECT_EQ(run.told, "versions analyzed: 2; failed: 1");
  EXPECT_EQ(run.measure.waiting, 1U);
  EXPECT_TRUE(run.measure.took);
  WorkAll(upkeep);
  run = runs.All().at(0);
  EXPECT_EQ(run.runs, 2U);
  EXPECT_EQ(run.told, "versions analyzed: 0; failed: 0") << "each look tells of itself";
}

TEST_F(ReadingUpkeepTest, NotesWhyItCannotReadNowAndLeavesWhatOthersDoToThem) {
  Publish("acme/vpc/aws", "1.0.0", Archive("variable \"a\" {}\n"));
  ManualClock clock;
  JobRuns runs(clock);
  ReadingUpkeep upkeep(catalog_, *readings_, *leases_, log_, &runs);
  Leases others(catalog_, "there");
  ASSERT_TRUE(RunTask(others.TakeLease(ReadingUpkeep::kLease)).value());
  RunTask(upkeep.Work());
  EXPECT_EQ(runs.All().at(0).runs, 0U) << "another server is at it";
  EXPECT_EQ(runs.All().at(0).measure.waiting, 1U);
  ASSERT_TRUE(RunTask(others.GiveBack(ReadingUpkeep::kLease)));
  blobs_.away = true;
  RunTask(upkeep.Work());
  EXPECT_TRUE(runs.All().at(0).failed);
  EXPECT_NE(runs.All().at(0).last_failure, "");
}

TEST_F(ReadingUpkeepTest, OneServerAtATime) {
  Publish("acme/vpc/aws", "1.0.0", Archive("variable \"a\" {}\n"));
  Leases others(catalog_, "there");
  ASSERT_TRUE(RunTask(others.TakeLease(ReadingUpkeep::kLease)).value());
  ReadingUpkeep upkeep(catalog_, *readings_, *leases_, log_);
  EXPECT_EQ(RunTask(upkeep.Work()), ReadingUpkeep::kPause);
  EXPECT_EQ(Unread(), 1u);
  EXPECT_EQ(readings_->totals().unread, 1u) << "all count";
  ASSERT_TRUE(RunTask(others.GiveBack(ReadingUpkeep::kLease)));
  EXPECT_EQ(WorkAll(upkeep), 1);
}

TEST_F(ReadingUpkeepTest, AStoreThatIsAwayMakesItPause) {
  Publish("acme/vpc/aws", "1.0.0", Archive("variable \"a\" {}\n"));
  ReadingUpkeep upkeep(catalog_, *readings_, *leases_, log_);
  blobs_.away = true;
  for (ErrorKind kind : {ErrorKind::kUnavailable, ErrorKind::kTimeout}) {
    blobs_.failure = kind;
    EXPECT_EQ(RunTask(upkeep.Work()), ReadingUpkeep::kPause);
    EXPECT_EQ(RunTask(upkeep.Work()), ReadingUpkeep::kBetweenLooks) << "the others go on";
    auto step = RunTask(readings_->Step(""));
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().kind, kind);
  }
  EXPECT_EQ(readings_->totals().failed, 0u) << "it says nothing of the version";
  blobs_.away = false;
  EXPECT_EQ(WorkAll(upkeep), 1);
  EXPECT_EQ(Unread(), 0u);
}

TEST_F(ReadingUpkeepTest, StepsGoThroughAll) {
  for (const char* version : {"1.0.0", "2.0.0"}) {
    Publish("acme/vpc/aws", version, Archive("variable \"a\" {}\n# " + std::string(version)));
  }
  Publish("acme/broken/aws", "1.0.0", "this is no archive");
  auto step = RunTask(readings_->Step(""));
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(step->next, "");
  EXPECT_EQ(step->read, 2u);
  EXPECT_EQ(step->left, 1u);
  ASSERT_EQ(step->problems.size(), 1u);
  EXPECT_EQ(step->problems[0].address, "acme/broken/aws");
  EXPECT_EQ(step->problems[0].version, "1.0.0");
  EXPECT_NE(step->problems[0].problem, "");
  EXPECT_EQ(RunTask(readings_->Step("mirrored/0"))->problems.size(), 0u) << "it goes on from there";
  for (const char* place : {"published/", "published/x", "published/-1", "elsewhere/1", "1"}) {
    auto refused = RunTask(readings_->Step(place));
    ASSERT_FALSE(refused) << place;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid) << place;
  }
}

}  // namespace
}  // namespace koya::service
