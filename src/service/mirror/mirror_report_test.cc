#include "service/mirror/mirror_report.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "base/run_task.h"
#include "blobs/fill.h"
#include "service/mirror/inventory_fake.h"
#include "service/mirror/mirror_counter.h"

namespace koya::service {
namespace {

class MirrorReportTest : public InventoryTest {
 protected:
  MirrorReport Report(std::uint64_t days = 30) {
    RunTask(mirror_->counter.Write());
    auto report = RunTask(ReadMirrorReport(mirror_->context, days));
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(MirrorReport{});
  }
  bool AsksFor(std::string_view ns) {
    return RunTask(mirror_->providers.ListVersions(Demo(kPulled, ns))).has_value();
  }
};

TEST_F(MirrorReportTest, EveryDayIsThereAndTheLastIsToday) {
  MirrorReport empty = Report();
  EXPECT_EQ(empty.days.size(), 30U);
  EXPECT_EQ(empty.sum, MirrorActivity{});
  mirror_->counter.NoteSent(100);
  mirror_->counter.NoteSent(100);
  mirror_->counter.RecordFetched(50);
  Report();
  clock_.now += 2 * kSecondsOfDay;
  mirror_->counter.NoteSent(7);
  const MirrorReport report = Report();
  ASSERT_EQ(report.days.size(), 30U);
  EXPECT_EQ(report.since, clock_.now / kSecondsOfDay - 29);
  EXPECT_EQ(report.days[27].sent, 2U);
  EXPECT_EQ(report.days[27].kept_bytes(), 150U);
  EXPECT_EQ(report.days[28], MirrorActivity{});
  EXPECT_EQ(report.days[29].sent_bytes, 7U);
  EXPECT_EQ(report.sum.sent, 3U);
  EXPECT_EQ(report.sum.kept(), 2U);
  EXPECT_EQ(Report(1).sum.sent, 1U);
  EXPECT_EQ(Report(1).days.size(), 1U);
}

TEST_F(MirrorReportTest, AbsurdNumbersOfDaysAreBounded) {
  EXPECT_EQ(Report(0).days.size(), 1U);
  EXPECT_EQ(Report(~std::uint64_t{0}).days.size(), MirrorReport::kMostDays);
}

TEST_F(MirrorReportTest, MoreBroughtThanSentIsNothingKept) {
  mirror_->counter.NoteSent(10);
  mirror_->counter.RecordFetched(20);
  mirror_->counter.RecordFetched(20);
  EXPECT_EQ(Report().sum.kept(), 0U);
  EXPECT_EQ(Report().sum.kept_bytes(), 0U);
}

TEST_F(MirrorReportTest, WhoIsTurnedAwayIsCounted) {
  EXPECT_FALSE(AsksFor("denied"));
  EXPECT_FALSE(AsksFor("denied"));
  EXPECT_FALSE(RunTask(
      mirror_->providers.FindRelease(Demo(kPulled, "denied"), *Version::Parse("1.0.0"), {})));
  EXPECT_TRUE(AsksFor("acme")) << "what is answered is counted where it is";
  EXPECT_FALSE(RunTask(mirror_->providers.ListVersions(Demo(kOther)))) << "that is no rule's doing";
  EXPECT_EQ(Report().turned_away, 3U);
}

TEST_F(MirrorReportTest, TurnedAwayModulesAreCounted) {
  const UpstreamModule module{*HostName::Parse(kPulled), *ModuleAddress::Parse("denied/vpc/aws")};
  const Version version = *Version::Parse("1.0.0");
  EXPECT_FALSE(RunTask(mirror_->modules.ListVersions(module)));
  EXPECT_FALSE(RunTask(mirror_->modules.FindVersion(module, version)));
  EXPECT_FALSE(RunTask(mirror_->modules.OpenArchive(module, version, ArchiveKind::kTarGz)));
  EXPECT_EQ(Report().turned_away, 3U);
}

TEST_F(MirrorReportTest, WhatComesFromARegistryIsBroughtOnce) {
  const std::string file = "terraform-provider-demo_1.0.0_linux_amd64.zip";
  const Version version = *Version::Parse("1.0.0");
  auto opened = RunTask(mirror_->providers.OpenFile(Demo(kPulled), version, file));
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_TRUE(RunTask(WaitUntilWhole(opened->blob)));
  while (mirror_->provider_fetch.under_way() > 0) std::this_thread::yield();
  ASSERT_TRUE(RunTask(mirror_->providers.OpenFile(Demo(kPulled), version, file)));
  const MirrorReport report = Report();
  EXPECT_EQ(report.sum.brought, 1U);
  EXPECT_EQ(report.sum.fetched_bytes, Zip().size());
  EXPECT_EQ(report.sum.sent, 0U) << "that is counted where it is answered";
}

}  // namespace
}  // namespace koya::service
