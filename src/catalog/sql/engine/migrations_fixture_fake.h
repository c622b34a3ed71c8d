// What the tests of migrations share: an empty database of either kind, and ways to bring it to a
// schema, to write into it and to ask it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/temp_folder_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/migrations.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/sqlite_engine.h"

namespace koya::sql {

class MigrationsFixture : public ::testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    if (GetParam() == Dialect::kSqlite) {
      engine_url_ = folder_ / "a.db";
    } else {
      std::string reason;
      PostgresServer* server = PostgresServer::Shared(&reason);
      if (server == nullptr) GTEST_SKIP() << reason;
      engine_url_ = *PostgresConnectionString(server->MakeDatabase());
    }
    auto engine = GetParam() == Dialect::kSqlite ? MakeSqliteEngine({.path = engine_url_})
                                                 : MakePostgresEngine(engine_url_);
    database_.emplace(std::move(engine), Database::Pools{.readers = 1, .writers = 1});
    transactions_.emplace(*database_, signal_);
  }

  Status MigrateTo(std::span<const Migration> migrations,
                   ContractSteps contract = ContractSteps::kWhenUnknownToNobody) {
    return database_->WriteNow([&](Session& session) -> Status {
      ASSIGN_OR_RETURN(report_, Migrate(session, migrations, contract));
      return {};
    });
  }
  // Missing migrations, as "NAME NAME".
  std::string Missing(std::span<const Migration> migrations) {
    std::string names;
    Status status = database_->WriteNow([&](Session& session) -> Status {
      ASSIGN_OR_RETURN(MigrationReport report, FindMissingSteps(session, migrations));
      for (const std::string& name : report.waiting) names += name + " ";
      return {};
    });
    return status ? names : status.error().message;
  }
  void Run(const std::string& statement) {
    Status status = database_->WriteNow([&](Session& session) -> Status {
      session.Run(Statement{"test", statement});
      return {};
    });
    ASSERT_TRUE(status) << status.error().message << status.error().detail;
  }
  // The first column of the first row, or what went wrong.
  std::string Ask(std::string_view question) {
    std::string answer;
    Status status = database_->WriteNow([&](Session& session) -> Status {
      Query query(session, Statement{"ask", question});
      query.Into(answer).Next();
      return {};
    });
    return status ? answer : status.error().detail;
  }

  Executor& transactions() { return *transactions_; }

  TempFolder folder_;
  std::string engine_url_;
  ChangeSignal signal_;
  MigrationReport report_;  // of the last that went well
  std::optional<Database> database_;
  std::optional<Executor> transactions_;
};

inline std::string EngineName(const ::testing::TestParamInfo<Dialect>& engine) {
  return engine.param == Dialect::kSqlite ? "Sqlite" : "Postgres";
}

}  // namespace koya::sql
