// Programs of before are let in until something is kept that they would do wrong.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "catalog/postgres_fixture_fake.h"
#include "catalog/provider_samples_fake.h"
#include "catalog/sign_in_suite_base.h"
#include "catalog/sql/access/account_catalog.h"
#include "catalog/sql/access/namespace_catalog.h"
#include "catalog/sql/access/token_catalog.h"
#include "catalog/sql/engine/change_signal.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/migrations.h"
#include "catalog/sql/engine/postgres_engine.h"
#include "catalog/sql/engine/sqlite_engine.h"
#include "catalog/sql/operate/replica_catalog.h"
#include "catalog/sql/providers/key_catalog.h"
#include "catalog/sql/providers/provider_catalog.h"

namespace koya::sql {
namespace {

class SchemaFloorTest : public ::testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    std::unique_ptr<Engine> engine;
    if (GetParam() == Dialect::kSqlite) {
      engine = MakeSqliteEngine({.path = folder_ / "a.db"});
    } else {
      std::string reason;
      PostgresServer* server = PostgresServer::Shared(&reason);
      if (server == nullptr) GTEST_SKIP() << reason;
      engine = MakePostgresEngine(*PostgresConnectionString(server->MakeDatabase()));
    }
    database_.emplace(std::move(engine), Database::Pools{.readers = 1, .writers = 1});
    transactions_.emplace(*database_, signal_);
    ASSERT_EQ(RefusedBelow(), 0U);
  }

  // Whether a program that knows that many steps starts; a schema with more stays as it is.
  Status StartKnowing(std::size_t steps) {
    return database_->WriteNow([&](Session& session) -> Status {
      RETURN_IF_ERROR(Migrate(session, AllMigrations()));
      RETURN_IF_ERROR(Migrate(session, AllMigrations().first(steps)));
      return {};
    });
  }
  // The fewest steps with which a program is let in; 0: those of before all kinds and floors.
  std::size_t RefusedBelow() {
    for (std::size_t steps = AllMigrations().size(); steps > kBeforeFloors; --steps) {
      Status status = StartKnowing(steps - 1);
      if (status) continue;
      EXPECT_EQ(status.error().kind, ErrorKind::kRefused) << status.error().detail;
      EXPECT_TRUE(status.error().message.contains("written by a newer koya"));
      return steps;
    }
    return 0;
  }
  SqlNamespaces namespaces() { return SqlNamespaces(*transactions_); }
  Status Add(const std::string& ns, Visibility visibility) {
    NamespaceRecord record{
        .name = ns, .visibility = visibility, .created_at = kSuiteNow, .created_by = "who"};
    Result<bool> added = RunTask(namespaces().AddNamespace(Tester(), record));
    return added ? Status() : Failure(added.error());
  }

  static constexpr std::size_t kBeforeFloors = 3;  // ADR 19
  TempFolder folder_;
  ChangeSignal signal_;
  std::optional<Database> database_;
  std::optional<Executor> transactions_;
};

INSTANTIATE_TEST_SUITE_P(Engines, SchemaFloorTest,
                         ::testing::Values(Dialect::kSqlite, Dialect::kPostgres),
                         [](const auto& engine) {
                           return engine.param == Dialect::kSqlite ? "Sqlite" : "Postgres";
                         });

TEST_P(SchemaFloorTest, WhatTheyWouldNotDoWrongLetsThemIn) {
  ASSERT_TRUE(Add("open", Visibility::kPublic));
  ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "open", Visibility::kPublic)));
  SqlAccounts accounts(*transactions_);
  ASSERT_TRUE(RunTask(accounts.AddAccount(Tester(), SampleAccount("ann"))));
  ASSERT_TRUE(RunTask(SqlTokens(*transactions_).AddToken(Tester(), SampleToken("of its own"))));
  SqlReplicas replicas(*transactions_);
  ASSERT_TRUE(RunTask(replicas.AdoptInstallation({.id = "id", .secret_mark = "mark"})));
  ASSERT_TRUE(RunTask(replicas.KeepBlobsIn("folder")));
  EXPECT_EQ(RefusedBelow(), 0U);
}

TEST_P(SchemaFloorTest, ANamespaceThatIsNotPublicIsNothingForWhoeverKnowsNone) {
  ASSERT_TRUE(Add("open", Visibility::kPublic));
  EXPECT_FALSE(RunTask(namespaces().SetVisibility(Tester(), "none", Visibility::kPrivate)));
  EXPECT_EQ(RefusedBelow(), 0U);
  ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "open", Visibility::kInternal)));
  EXPECT_EQ(RefusedBelow(), 5U);
  ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "open", Visibility::kPublic)));
  EXPECT_EQ(RefusedBelow(), 5U) << "a floor stays";
}

TEST_P(SchemaFloorTest, ANamespaceMayBeHiddenFromItsBeginning) {
  ASSERT_TRUE(Add("closed", Visibility::kPrivate));
  EXPECT_EQ(RefusedBelow(), 5U);
}

TEST_P(SchemaFloorTest, ATokenOfAnAccountIsNothingForWhoeverKnowsNone) {
  const AccountRecord ann = SampleAccount("ann");
  ASSERT_TRUE(RunTask(SqlAccounts(*transactions_).AddAccount(Tester(), ann)));
  ASSERT_TRUE(RunTask(SqlTokens(*transactions_).AddToken(Tester(), SampleToken("hers", ann.id))));
  EXPECT_EQ(RefusedBelow(), 5U);
}

TEST_P(SchemaFloorTest, ABucketIsNothingForWhoeverKnowsOnlyFolders) {
  SqlReplicas replicas(*transactions_);
  ASSERT_TRUE(RunTask(replicas.AdoptInstallation({.id = "id", .secret_mark = "mark"})));
  ASSERT_TRUE(RunTask(replicas.KeepBlobsIn("s3://bucket/prefix")));
  EXPECT_EQ(RefusedBelow(), 11U);
}

TEST_P(SchemaFloorTest, DocsAreRemovedByWhoeverKnowsNone) {
  ASSERT_TRUE(Add("acme", Visibility::kPublic));
  ASSERT_TRUE(RunTask(SqlKeys(*transactions_).AddKey(Tester(), SampleKey("acme"))));
  SqlProviders sql_providers(*transactions_);
  ProviderCatalog& providers = sql_providers;
  ReleaseExtras extras;
  extras.warnings = {{.file = "docs/a.md", .line = 1, .text = "odd"}};
  ASSERT_TRUE(RunTask(
      providers.AddRelease(Tester(), SampleRelease("acme/demo", "1.0.0"), std::nullopt, extras)));
  EXPECT_EQ(RefusedBelow(), 0U) << "a warning is lost by nobody";
  extras.docs = ReleaseDocs{.archive = {.digest = Digest::Of("docs"), .size = 1}, .pages = {}};
  ASSERT_TRUE(RunTask(
      providers.AddRelease(Tester(), SampleRelease("acme/demo", "1.1.0"), std::nullopt, extras)));
  EXPECT_EQ(RefusedBelow(), static_cast<std::size_t>(NeededStep::kDocs));
}

}  // namespace
}  // namespace koya::sql
