#include "service/operate/storage_upkeep.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/storage_catalog.h"
#include "domain/archive_kind.h"
#include "domain/audit_record.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/storage_sums.h"
#include "domain/version.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

constexpr std::int64_t kSampleDay = 20'522;  // 2026-03-10

class StorageUpkeepTest : public ::testing::Test {
 protected:
  void Publish(const std::string& version, std::uint64_t size) {
    const ModuleVersionRecord record{.address = *ModuleAddress::Parse("acme/vpc/aws"),
                                     .version = *Version::Parse(version),
                                     .kind = ArchiveKind::kZip,
                                     .digest = Digest::Of(version),
                                     .size = size,
                                     .upload_digest = Digest::Of(version),
                                     .description = "",
                                     .published_at = 1,
                                     .published_by = "ci"};
    ASSERT_TRUE(RunTask(catalog_.modules().AddVersion(Actor::Server(), record)));
  }
  static UnixSeconds At(std::int64_t day) { return day * kSecondsOfStorageDay + 1; }
  std::vector<StorageDay> Kept() { return RunTask(catalog_.storage().ListStorageDays(0)).value(); }

  TestCatalog catalog_;
  std::chrono::nanoseconds now_ = std::chrono::hours(1);
  Leases ours_{catalog_, "one", [this] { return now_; }};
  Leases others_{catalog_, "two", [this] { return now_; }};
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  StorageUpkeep upkeep_{catalog_, ours_, log_};
};

TEST_F(StorageUpkeepTest, ADayIsCountedOnce) {
  Publish("1.0.0", 100);
  RunTask(upkeep_.Sample(At(kSampleDay)));
  ASSERT_EQ(Kept().size(), 1U);
  EXPECT_EQ(Kept()[0], (StorageDay{.day = kSampleDay, .modules = 100}));
  Publish("1.1.0", 11);
  RunTask(upkeep_.Sample(At(kSampleDay) + 3600));
  StorageUpkeep second(catalog_, others_, log_);
  RunTask(second.Sample(At(kSampleDay) + 7200));
  EXPECT_EQ(Kept()[0].modules, 100U) << "neither by this server nor by another";
  RunTask(second.Sample(At(kSampleDay + 1)));
  ASSERT_EQ(Kept().size(), 2U);
  EXPECT_EQ(Kept()[1], (StorageDay{.day = kSampleDay + 1, .modules = 111}));
  EXPECT_EQ(captured_.Text(), "");
}

TEST_F(StorageUpkeepTest, OldDaysGo) {
  for (std::int64_t day : {kSampleDay - 401, kSampleDay - 400, kSampleDay - 1}) {
    ASSERT_TRUE(RunTask(catalog_.storage().KeepStorageDay({.day = day})));
  }
  RunTask(upkeep_.Sample(At(kSampleDay)));
  ASSERT_EQ(Kept().size(), 3U);
  EXPECT_EQ(Kept()[0].day, kSampleDay - 400);
}

TEST_F(StorageUpkeepTest, OneServerCountsAtATime) {
  ASSERT_TRUE(RunTask(others_.TakeLease(StorageUpkeep::kLease)).value());
  RunTask(upkeep_.Sample(At(kSampleDay)));
  EXPECT_TRUE(Kept().empty());
  ASSERT_TRUE(RunTask(others_.GiveBack(StorageUpkeep::kLease)));
  RunTask(upkeep_.Sample(At(kSampleDay)));
  EXPECT_EQ(Kept().size(), 1U);
}

}  // namespace
}  // namespace koya::service
