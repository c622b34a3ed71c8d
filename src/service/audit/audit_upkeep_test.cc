#include "service/audit/audit.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "service/audit/audit_catalog_fake.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

constexpr UnixSeconds kKept = 86'400;         // how long entries are
constexpr UnixSeconds kAnonymousKept = 3600;  // and those of anonymous attempts

class AuditUpkeepTest : public ::testing::Test {
 protected:
  void Write(int count, UnixSeconds at = 1000) {
    const AuditEntry entry{.at = at, .action = "a"};
    std::vector<AuditEntry> entries(static_cast<std::size_t>(count), entry);
    ASSERT_TRUE(RunTask(audit_.AppendAudit(std::move(entries))));
  }
  bool HasUnlinked() { return RunTask(audit_.HasUnlinkedAudit()).value(); }

  TestCatalog catalog_;
  AuditCatalogFake audit_;
  std::chrono::nanoseconds now_ = std::chrono::hours(1);
  Leases ours_{catalog_, "one", [this] { return now_; }};
  Leases others_{catalog_, "two", [this] { return now_; }};
  LogCapture captured_;
  Logger log_{captured_.writer(), LogLevel::kInfo};
  AuditUpkeep upkeep_{
      audit_, ours_, log_, {std::chrono::seconds(kKept), std::chrono::seconds(kAnonymousKept)}};
};

TEST_F(AuditUpkeepTest, WhatWasWrittenIsChainedInOneGo) {
  Write(700);
  RunTask(upkeep_.Chain());
  EXPECT_FALSE(HasUnlinked());
  EXPECT_EQ(audit_.ends.head.sequence, 700);
}

TEST_F(AuditUpkeepTest, WhatStrangersWereDeniedIsNotChainedAndGoesSooner) {
  for (UnixSeconds at : {1000, 1001}) {
    ASSERT_TRUE(RunTask(audit_.AppendAudit(
        {{.kind = AuditKind::kDenied, .at = at, .action = "GET /v1/modules/…"},
         {.kind = AuditKind::kDenied, .at = at, .by = {.name = "token:ci"}, .action = "b"},
         {.at = at, .action = "c"}})));
  }
  RunTask(upkeep_.Chain());
  EXPECT_FALSE(HasUnlinked());
  EXPECT_EQ(audit_.ends.head.sequence, 4);
  RunTask(upkeep_.Trim(1001 + kAnonymousKept));
  EXPECT_EQ(audit_.records.size(), 5U);
  RunTask(upkeep_.Trim(1002 + kAnonymousKept));
  EXPECT_EQ(audit_.records.size(), 4U);
  RunTask(upkeep_.Trim(1002 + kKept));
  EXPECT_EQ(audit_.records.size(), 0U);
}

TEST_F(AuditUpkeepTest, OneServerChainsAtATime) {
  ASSERT_TRUE(RunTask(others_.TakeLease(AuditUpkeep::kLease)).value());
  Write(1);
  RunTask(upkeep_.Chain());
  EXPECT_TRUE(HasUnlinked());
  ASSERT_TRUE(RunTask(others_.GiveBack(AuditUpkeep::kLease)));
  RunTask(upkeep_.Chain());
  EXPECT_FALSE(HasUnlinked());
}

// A lease is kept by writing to the catalog every three seconds.
TEST_F(AuditUpkeepTest, WhoHasNothingToDoHoldsNothing) {
  RunTask(upkeep_.Chain());
  EXPECT_FALSE(ours_.Holds(AuditUpkeep::kLease));
  Write(1);
  RunTask(upkeep_.Chain());
  EXPECT_TRUE(ours_.Holds(AuditUpkeep::kLease));
  RunTask(upkeep_.Chain());
  EXPECT_FALSE(ours_.Holds(AuditUpkeep::kLease));
  EXPECT_TRUE(RunTask(others_.TakeLease(AuditUpkeep::kLease)).value());
}

TEST_F(AuditUpkeepTest, AnOutageIsToldOnce) {
  Write(1);
  audit_.away = true;
  for (int i = 0; i < 3; ++i) RunTask(upkeep_.Chain());
  EXPECT_EQ(captured_.Lines().size(), 1U);
  audit_.away = false;
  RunTask(upkeep_.Chain());
  EXPECT_FALSE(HasUnlinked());
  audit_.away = true;
  RunTask(upkeep_.Chain());
  EXPECT_EQ(captured_.Lines().size(), 2U);
}

TEST_F(AuditUpkeepTest, EntriesGoWhenTheyAreOld) {
  Write(1200, 1000);
  Write(1, 2000);
  RunTask(upkeep_.Trim(1001 + kKept));
  EXPECT_EQ(audit_.records.size(), 1201U) << "what is not chained stays";
  RunTask(upkeep_.Chain());
  RunTask(upkeep_.Trim(1000 + kKept));
  EXPECT_EQ(audit_.records.size(), 1201U);
  RunTask(upkeep_.Trim(1001 + kKept));
  EXPECT_EQ(audit_.records.size(), 1U);
  ASSERT_EQ(captured_.Lines().size(), 1U);
  EXPECT_EQ(captured_.Lines()[0].at("entries").to_number<int>(), 1200);
}

}  // namespace
}  // namespace koya::service
