#include "service/usage/usage_counter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/usage_catalog.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

constexpr UsageDay kFirstDay = 20'522;  // 2026-03-10

class UsageUpkeepTest : public ::testing::Test {
 protected:
  void Fetch(UsageDay day) {
    const UsageItem item =
        UsageItem::Of(*ModuleAddress::Parse("acme/vpc/aws"), *Version::Parse("1.0.0"));
    const UsageRow row{day, item, {"service:ci", "prod", {}}, {1, 0}};
    ASSERT_TRUE(RunTask(catalog_.usage().AddUsage({std::to_string(++batches_), {row}})).value());
  }
  // "NAME COUNT" of each stored sum.
  std::vector<std::string> Kept() {
    std::vector<std::string> kept;
    auto sums = RunTask(catalog_.usage().ListUsage({.address = "acme/vpc/aws", .ns = ""})).value();
    for (const UsageSum& sum : sums) {
      kept.push_back(sum.by.principal + " " + std::to_string(sum.counts.fetches));
    }
    return kept;
  }
  void Tidy(UsageDay today) { RunTask(upkeep_.Tidy(today * kSecondsOfDay + 1)); }
  using Texts = std::vector<std::string>;

  TestCatalog catalog_;
  std::chrono::nanoseconds now_ = std::chrono::hours(1);
  Leases ours_{catalog_, "one", [this] { return now_; }};
  Leases others_{catalog_, "two", [this] { return now_; }};
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  UsageUpkeep upkeep_{{catalog_, catalog_},
                      ours_,
                      log_,
                      {.detail = std::chrono::days(90), .totals = std::chrono::days(400)}};
  int batches_ = 0;
};

TEST_F(UsageUpkeepTest, NamesGoFirstAndThenTheSums) {
  Fetch(kFirstDay);
  Fetch(kFirstDay + 1);
  Tidy(kFirstDay + 90);
  EXPECT_EQ(Kept(), Texts{"service:ci 2"});
  Tidy(kFirstDay + 91);
  EXPECT_EQ(Kept(), (Texts{" 1", "service:ci 1"}));
  Tidy(kFirstDay + 92);
  EXPECT_EQ(Kept(), Texts{" 2"});
  Tidy(kFirstDay + 400);
  EXPECT_EQ(Kept(), Texts{" 2"}) << "a part of the month is young";
  Tidy(kFirstDay + 400 + 31);
  EXPECT_EQ(Kept(), Texts());
  EXPECT_TRUE(captured_.Lines().empty());
}

TEST_F(UsageUpkeepTest, WhatTheMirrorDidGoesWithTheSums) {
  const MirrorCount count{kFirstDay, MirrorCountKind::kSent, 1, 10};
  ASSERT_TRUE(RunTask(catalog_.mirror_counts().AddMirrorCounts({"one", {count}})).value());
  const auto days = [this] {
    return RunTask(catalog_.mirror_counts().ListMirrorDays(0)).value().size();
  };
  Tidy(kFirstDay + 400);
  EXPECT_EQ(days(), 1U);
  Tidy(kFirstDay + 400 + 31);
  EXPECT_EQ(days(), 0U);
  EXPECT_TRUE(captured_.Lines().empty());
}

TEST_F(UsageUpkeepTest, OneServerTidiesAtATime) {
  Fetch(kFirstDay);
  ASSERT_TRUE(RunTask(others_.TakeLease(UsageUpkeep::kLease)).value());
  Tidy(kFirstDay + 91);
  EXPECT_EQ(Kept(), Texts{"service:ci 1"});
  ASSERT_TRUE(RunTask(others_.GiveBack(UsageUpkeep::kLease)));
  Tidy(kFirstDay + 91);
  EXPECT_EQ(Kept(), Texts{" 1"});
  EXPECT_TRUE(RunTask(others_.TakeLease(UsageUpkeep::kLease)).value()) << "it was given back";
}

TEST_F(UsageUpkeepTest, OneGoHasABound) {
  for (UsageDay day = kFirstDay; day < kFirstDay + 120; ++day) Fetch(day);
  Tidy(kFirstDay + 300);
  EXPECT_EQ(Kept(), (Texts{" 100", "service:ci 20"}));
  Tidy(kFirstDay + 300);
  EXPECT_EQ(Kept(), Texts{" 120"});
}

}  // namespace
}  // namespace koya::service
