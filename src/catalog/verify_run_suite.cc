// What every catalog must do: store the reports of koya verify runs. See catalog_suite_base.h.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "catalog/catalog_suite_base.h"
#include "catalog/change_log.h"
#include "catalog/verify_run_catalog.h"
#include "domain/verify_run.h"

namespace koya {
namespace {

class VerifyRunSuite : public CatalogSuiteBase {
 protected:
  VerifyRunCatalog& runs() { return this->catalog(); }

  static VerifyProgress Progress() {
    return {.quick = true,
            .mirrored_only = false,
            .partial = true,
            .checked = 5'000'000'000,
            .wrong = 3,
            .repaired = 1,
            .found = {{"Größe/vpc/aws 1.0.0", "damaged", false},
                      {std::string("odd\n\0%'", 7), "missing", true}},
            .ended = false,
            .failure = "it's \"über\" full; --"};
  }
  Status Add(std::string id, VerifyProgress progress = {}) {
    return RunTask(runs().AddVerifyRun(
        {.id = std::move(id), .by = "user:größe", .progress = std::move(progress)}));
  }
  Status Tell(std::string id, VerifyProgress progress) {
    return RunTask(runs().ReportVerifyRun(std::move(id), std::move(progress)));
  }
  std::vector<VerifyRun> List() {
    auto found = RunTask(runs().ListVerifyRuns());
    EXPECT_TRUE(found) << found.error().message << found.error().detail;
    return found.value_or(std::vector<VerifyRun>());
  }
};
INSTANTIATE_CATALOG_SUITE(VerifyRunSuite);

TEST_P(VerifyRunSuite, ARunIsKeptAsItTellsOfItself) {
  EXPECT_TRUE(this->List().empty());
  const UnixSeconds before = SystemClock().Now() - 50;
  ASSERT_TRUE(this->Add("one"));
  ASSERT_EQ(this->List().size(), 1U);
  EXPECT_EQ(this->List()[0].by, "user:größe");
  EXPECT_EQ(this->List()[0].progress, VerifyProgress());
  VerifyProgress progress = this->Progress();
  Status told = this->Tell("one", progress);
  ASSERT_TRUE(told) << told.error().message << told.error().detail;
  VerifyRun run = this->List().at(0);
  EXPECT_EQ(run.id, "one");
  EXPECT_EQ(run.progress, progress);
  EXPECT_GT(run.began_at, before);
  EXPECT_GE(run.told_at, run.began_at);
  progress.found.clear();
  progress.mirrored_only = progress.ended = true;
  progress.failure = "";
  ASSERT_TRUE(this->Tell("one", progress));
  EXPECT_EQ(this->List().at(0).progress, progress);
  EXPECT_EQ(RunTask(changes().LatestChange())->sequence, 0) << "nothing that is served changed";
}

TEST_P(VerifyRunSuite, WhatHasEndedOrIsNotThereTellsNothingMore) {
  VerifyProgress progress = this->Progress();
  progress.ended = true;
  ASSERT_TRUE(this->Add("ended", progress));
  for (const std::string& id :
       {std::string("ended"), std::string("nobody"), std::string(), std::string("a\0b", 3)}) {
    EXPECT_EQ(CatalogErrorOf(this->Tell(id, {})), ErrorKind::kNotFound) << id;
  }
  EXPECT_EQ(this->List().at(0).progress, progress);
  EXPECT_EQ(CatalogErrorOf(this->Add("ended")), ErrorKind::kConflict);
  EXPECT_EQ(this->List().at(0).progress, progress);
}

TEST_P(VerifyRunSuite, TheLastAreKeptAndComeFirst) {
  constexpr std::size_t kMost = VerifyRunCatalog::kMostRuns;
  // Several begin in one second: then by their ids.
  for (std::size_t i = 0; i < kMost + 3; ++i) {
    ASSERT_TRUE(this->Add("run " + std::to_string(100 + i)));
  }
  const std::vector<VerifyRun> runs = this->List();
  ASSERT_EQ(runs.size(), kMost);
  EXPECT_EQ(runs.front().id, "run " + std::to_string(100 + kMost + 2));
  EXPECT_EQ(runs.back().id, "run 103");
  EXPECT_EQ(CatalogErrorOf(this->Tell("run 100", {})), ErrorKind::kNotFound);
}

TEST_P(VerifyRunSuite, WhatCannotBeKeptIsRefused) {
  ASSERT_TRUE(this->Add("one"));
  for (const std::string& text : {std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(CatalogErrorOf(this->Add(text)), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(this->Tell("one", {.failure = text})), ErrorKind::kInvalid);
    EXPECT_EQ(CatalogErrorOf(
                  RunTask(this->runs().AddVerifyRun({.id = "two", .by = text, .progress = {}}))),
              ErrorKind::kInvalid);
  }
  constexpr std::uint64_t kTooMuch = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(CatalogErrorOf(this->Tell("one", {.checked = kTooMuch})), ErrorKind::kInvalid);
  ASSERT_EQ(this->List().size(), 1U);
  EXPECT_EQ(this->List()[0].progress, VerifyProgress());
}

}  // namespace
}  // namespace koya
