#include "catalog/sql/engine/audit_log.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/open_catalog.h"
#include "domain/audit_record.h"

namespace koya {
namespace {

// Two servers on one PostgreSQL database.
class SharedAuditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    server_ = PostgresServer::Shared(&reason);
    if (server_ == nullptr) GTEST_SKIP() << reason;
    url_ = server_->MakeDatabase();
    one_ = Open();
    other_ = Open();
  }
  std::unique_ptr<Catalog> Open() const {
    return OpenCatalog({.url = url_, .read_timeout = kPatience, .write_timeout = kPatience})
        .value();
  }
  std::string Run(const std::string& statement) { return server_->Run(url_, statement); }

  // Walks the whole chain. Returns the actions along it.
  Texts WalkChain() {
    const AuditEnds ends = RunTask(one_->FindAuditEnds()).value();
    AuditAnchor last = ends.anchor;
    Texts actions;
    for (const AuditRecord& record : RunTask(one_->ListAuditChain(last.sequence, 1000)).value()) {
      last = NextAuditLink(last, record.entry);
      EXPECT_EQ(record.link, std::optional(last)) << last.sequence;
      actions.push_back(record.entry.action);
    }
    EXPECT_EQ(last, ends.head);
    return actions;
  }

  PostgresServer* server_ = nullptr;
  std::string url_;
  std::unique_ptr<Catalog> one_;
  std::unique_ptr<Catalog> other_;
};

TEST_F(SharedAuditTest, TwoWhoChainAndTrimAtOnceDoNotMeet) {
  Racers racers;
  std::vector<Status> appended;
  std::vector<Result<std::uint64_t>> linked;
  std::vector<Result<std::uint64_t>> trimmed;
  for (int i = 0; i < 60; ++i) {
    for (Catalog* catalog : {one_.get(), other_.get()}) {
      racers.Add(catalog->AppendAudit({SampleAuditEntry(std::to_string(i))}), &appended);
      racers.Add(catalog->ChainAudit(3), &linked);
      if (i % 4 == 0) racers.Add(catalog->TrimAudit(kSuiteNow + 1, 2), &trimmed);
    }
  }
  racers.Run();
  std::uint64_t links = 0;
  std::uint64_t gone = 0;
  for (const auto& each : appended) ASSERT_TRUE(each) << each.error().message;
  for (const auto& each : linked) links += each.value();
  for (const auto& each : trimmed) gone += each.value();
  for (auto more = RunTask(other_->ChainAudit(1000)); *more > 0;
       more = RunTask(one_->ChainAudit(1000))) {
    links += *more;
  }
  EXPECT_EQ(links, 120U) << "none was linked twice";
  EXPECT_EQ(WalkChain().size() + gone, 120U);
}

// A transaction takes its number when it writes, and may be the last to commit.
TEST_F(SharedAuditTest, AnEntryThatShowsLateComesLaterInTheChain) {
  Run("INSERT INTO audit (kind, at, actor, token, address, user_agent, request_id, action, target, "
      "namespace, before_change, after_change, count) SELECT 'change', 5, '', '', '', '', '', "
      "'gone', '', '', '', '', 1; DELETE FROM audit");  // takes the number 1
  ASSERT_TRUE(RunTask(one_->AppendAudit({SampleAuditEntry("soon")})));
  EXPECT_EQ(RunTask(one_->ChainAudit(10)).value(), 1U);
  Run("INSERT INTO audit (id, kind, at, actor, token, address, user_agent, request_id, action, "
      "target, namespace, before_change, after_change, count) VALUES (1, 'change', 5, '', '', '', "
      "'', '', 'late', '', '', '', '', 1)");
  EXPECT_EQ(RunTask(other_->ChainAudit(10)).value(), 1U);
  EXPECT_EQ(WalkChain(), (Texts{"soon", "late"}));
}

TEST_F(SharedAuditTest, WhoWritesDoesNotWaitForWhoChains) {
  ASSERT_TRUE(RunTask(one_->AppendAudit({SampleAuditEntry("before")})));
  sql::Database database(sql::MakePostgresEngine(*sql::PostgresConnectionString(url_)),
                         {.readers = 1, .writers = 1});
  Status held = database.WriteNow([this](sql::Session& session) -> Status {
    session.Run({"lock", "SELECT id FROM audit_chain FOR UPDATE"});
    session.Run({"link", "UPDATE audit SET sequence = 1, hash = '' WHERE sequence IS NULL"});
    EXPECT_TRUE(RunTask(one_->AppendAudit({SampleAuditEntry("meanwhile")})));
    EXPECT_EQ(RunTask(one_->ListAudit({}, 10))->size(), 2U);
    return FailConflict("given up");
  });
  EXPECT_FALSE(held);
  EXPECT_EQ(RunTask(one_->ChainAudit(10)).value(), 2U);
  EXPECT_EQ(WalkChain(), (Texts{"before", "meanwhile"}));
}

}  // namespace
}  // namespace koya
