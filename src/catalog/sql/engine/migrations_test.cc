#include "catalog/sql/engine/migrations.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "catalog/sql/engine/migrations_fixture_fake.h"

namespace koya::sql {
namespace {

constexpr Migration kFirst{1, "0001_first",
                           "CREATE TABLE a (id {{identity}}, word {{key}} NOT NULL);"
                           "INSERT INTO a (word) VALUES ('kept');"};
constexpr Migration kSecond{2, "0002_second", "ALTER TABLE a ADD COLUMN more TEXT"};
constexpr Migration kBroken{2, "0002_broken", "CREATE TABLE b (id BIGINT); CREATE NONSENSE"};

class MigrationsTest : public MigrationsFixture {};

INSTANTIATE_TEST_SUITE_P(Engines, MigrationsTest,
                         ::testing::Values(Dialect::kSqlite, Dialect::kPostgres), EngineName);

TEST_P(MigrationsTest, TheCatalogsOwnStepsRunFromEmptyAndOnlyOnce) {
  ASSERT_FALSE(AllMigrations().empty());
  std::int64_t number = 0;
  for (const Migration& migration : AllMigrations()) {
    EXPECT_EQ(migration.number, ++number) << "numbers have no gaps";
  }
  for (int i = 0; i < 2; ++i) {
    Status status = MigrateTo(AllMigrations());
    ASSERT_TRUE(status) << status.error().detail;
  }
  EXPECT_EQ(Ask("SELECT CAST(MAX(number) AS TEXT) FROM schema_migration"), std::to_string(number));
}

TEST_P(MigrationsTest, ANextStepMayFollowTheCatalogsOwn) {
  ASSERT_TRUE(MigrateTo(AllMigrations()));
  Run("INSERT INTO namespace (name_key, name, visibility, created_at, created_by) "
      "VALUES ('acme', 'Acme', 'private', 5, 'ann')");
  const std::int64_t last = AllMigrations().back().number;
  std::vector<Migration> next(AllMigrations().begin(), AllMigrations().end());
  next.push_back({last + 1, "next", "ALTER TABLE namespace ADD COLUMN made_up TEXT",
                  MigrationKind::kExpand, last});
  ASSERT_TRUE(MigrateTo(next));
  EXPECT_EQ(report_.taken, std::vector<std::string>{"next"});
  EXPECT_EQ(Ask("SELECT name FROM namespace WHERE made_up IS NULL"), "Acme");
  EXPECT_TRUE(MigrateTo(AllMigrations())) << "this program runs beside the next one";
}

TEST_P(MigrationsTest, ALaterStepKeepsWhatIsThere) {
  ASSERT_TRUE(MigrateTo({&kFirst, 1}));
  const std::array kBoth = {kFirst, kSecond};
  ASSERT_TRUE(MigrateTo(kBoth));
  EXPECT_EQ(Ask("SELECT word FROM a WHERE more IS NULL"), "kept");
}

TEST_P(MigrationsTest, ANewerSchemaIsRefused) {
  const std::array kBoth = {kFirst, kSecond};
  ASSERT_TRUE(MigrateTo(kBoth));
  Status status = MigrateTo({&kFirst, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kRefused);
  EXPECT_NE(status.error().message.find("newer koya"), std::string::npos);
  EXPECT_NE(status.error().message.find("migration 2"), std::string::npos);
}

TEST_P(MigrationsTest, ANewerSchemaWhoseFloorIsKnownIsTakenAsItIs) {
  const std::array kNewer = {
      kFirst,
      Migration{2, "0002_adds", "ALTER TABLE a ADD COLUMN more TEXT", MigrationKind::kExpand, 1},
      Migration{3, "0003_takes_away", "DROP TABLE a", MigrationKind::kContract, 2}};
  ASSERT_TRUE(MigrateTo(std::span(kNewer).first(2)));
  ASSERT_TRUE(MigrateTo({&kFirst, 1})) << "the program before runs beside the new one";
  EXPECT_EQ(Ask("SELECT word FROM a WHERE more IS NULL"), "kept");
  EXPECT_EQ(Ask("SELECT CAST(MAX(number) AS TEXT) FROM schema_migration"), "2");
  ASSERT_TRUE(MigrateTo(std::span(kNewer).first(2)));
  ASSERT_TRUE(MigrateTo(kNewer));
  EXPECT_TRUE(MigrateTo(std::span(kNewer).first(2)));
  Status status = MigrateTo({&kFirst, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kRefused);
  EXPECT_NE(
      status.error().message.find("is at migration 3 and needs a program that knows migration 2"),
      std::string::npos)
      << status.error().message;
  EXPECT_EQ(Ask("SELECT kind FROM schema_migration WHERE number = 3"), "contract");
}

// A catalog that knows who serves, a step that takes away, and one that comes after it.
constexpr std::array kThree = {
    Migration{1, "0001_replicas", "CREATE TABLE replica (schema_step BIGINT, seen_at BIGINT)"},
    Migration{2, "0002_takes_away", "CREATE TABLE taken_away (id BIGINT)", MigrationKind::kContract,
              2},
    Migration{3, "0003_adds", "CREATE TABLE added (id BIGINT)", MigrationKind::kExpand, 1}};

TEST_P(MigrationsTest, AContractStepWaitsUntilNobodyServesWhoDoesNotKnowIt) {
  ASSERT_TRUE(MigrateTo(std::span(kThree).first(1)));
  for (const char* who : {"3, {{now}}", "1, {{now}} - 29", "2, {{now}}"}) {
    Run("INSERT INTO replica (schema_step, seen_at) VALUES (" + std::string(who) + ")");
  }
  ASSERT_TRUE(MigrateTo(kThree));
  EXPECT_EQ(report_.taken, std::vector<std::string>{"0003_adds"});
  EXPECT_EQ(report_.waiting, std::vector<std::string>{"0002_takes_away"});
  EXPECT_TRUE(MigrateTo(std::span(kThree).first(1))) << "it may start again";

  Run("UPDATE replica SET seen_at = {{now}} - 32 WHERE schema_step = 1");
  ASSERT_TRUE(MigrateTo(kThree));
  EXPECT_EQ(report_.taken, std::vector<std::string>{"0002_takes_away"});
  EXPECT_EQ(report_.waiting, std::vector<std::string>{});
  EXPECT_EQ(MigrateTo(std::span(kThree).first(1)).error().kind, ErrorKind::kRefused);
  ASSERT_TRUE(MigrateTo(kThree));
  EXPECT_EQ(report_.taken, std::vector<std::string>{});
}

TEST_P(MigrationsTest, AContractStepIsTakenAtOnceWhereNobodyServesOrSomebodySaysSo) {
  ASSERT_TRUE(MigrateTo(kThree));
  EXPECT_EQ(report_.taken.size(), 3U);
  EXPECT_TRUE(report_.waiting.empty());
}

TEST_P(MigrationsTest, AContractStepIsTakenWhenItIsAskedForWhoeverServes) {
  ASSERT_TRUE(MigrateTo(std::span(kThree).first(1)));
  Run("INSERT INTO replica (schema_step, seen_at) VALUES (1, {{now}})");
  ASSERT_TRUE(MigrateTo(kThree, ContractSteps::kNow));
  EXPECT_EQ(report_.taken, (std::vector<std::string>{"0002_takes_away", "0003_adds"}));
  EXPECT_TRUE(report_.waiting.empty());
}

TEST_P(MigrationsTest, WhatIsMissingIsFoundWithoutTakingIt) {
  EXPECT_EQ(Missing(kThree), "0001_replicas 0003_adds ");
  ASSERT_TRUE(MigrateTo(std::span(kThree).first(1)));
  EXPECT_EQ(Missing(kThree), "0003_adds ") << "a program runs without its contract steps";
  EXPECT_EQ(Missing(std::span(kThree).first(1)), "");
  ASSERT_TRUE(MigrateTo(kThree));
  EXPECT_EQ(Missing(kThree), "");
  EXPECT_TRUE(
      Missing(std::span(kThree).first(1)).starts_with("the catalog was written by a newer"));
}

TEST_P(MigrationsTest, AStepDoesNotMakeEverybodyWaitBehindIt) {
  if (GetParam() == Dialect::kSqlite) return;  // no other program writes to its file
  ASSERT_TRUE(MigrateTo({&kFirst, 1}));
  Session other(database_->engine(), std::chrono::seconds(60));
  other.Run({"hold", "BEGIN; LOCK TABLE a IN ACCESS SHARE MODE"});
  const std::array kBoth = {kFirst, kSecond};
  Status status = MigrateTo(kBoth);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kUnavailable);
  other.Run({"let go", "COMMIT"});
  EXPECT_TRUE(MigrateTo(kBoth));
}

TEST_P(MigrationsTest, WhatOthersKeepBesideIsNotWaitedFor) {
  if (GetParam() == Dialect::kSqlite) return;
  ASSERT_TRUE(MigrateTo({&kFirst, 1}));
  Session other(database_->engine(), std::chrono::seconds(60));
  other.Run({"make", "CREATE TABLE somebody_elses (id BIGINT)"});
  other.Run({"hold", "BEGIN; LOCK TABLE somebody_elses"});
  const std::array kBoth = {kFirst, kSecond};
  Status status = MigrateTo(kBoth);
  EXPECT_TRUE(status) << status.error().detail;
  other.Run({"let go", "ROLLBACK; DROP TABLE somebody_elses"});
}

TEST_P(MigrationsTest, AStepThatWaitsHoldsNothingThatSomebodyElseWaitsFor) {
  if (GetParam() == Dialect::kSqlite) return;
  const std::array kTwo = {
      Migration{1, "0001_two", "CREATE TABLE a (id BIGINT); CREATE TABLE b (id BIGINT)"},
      Migration{2, "0002_both",
                "ALTER TABLE a ADD COLUMN c TEXT; ALTER TABLE b ADD COLUMN c TEXT"}};
  ASSERT_TRUE(MigrateTo(std::span(kTwo).first(1)));
  Session other(database_->engine(), std::chrono::seconds(60));
  other.Run({"hold", "BEGIN; LOCK TABLE b IN ROW EXCLUSIVE MODE"});
  Status status;
  std::thread migrates([&] { status = MigrateTo(kTwo); });
  std::string waiting = "0";
  while (waiting == "0") {
    Query query(other, Statement{"who waits",
                                 "SELECT CAST(COUNT(*) AS TEXT) FROM pg_locks WHERE NOT granted"});
    query.Into(waiting).Next();
  }
  EXPECT_NO_THROW(other.Run({"take more", "LOCK TABLE a IN ROW EXCLUSIVE MODE"}));
  other.Run({"let go", "COMMIT"});
  migrates.join();
  EXPECT_TRUE(status) << status.error().detail;
}

TEST_P(MigrationsTest, ANewerSchemaWithAChangedStepIsRefusedWhateverItsFloor) {
  const std::array kNewer = {kFirst, Migration{2, "0002_adds", "ALTER TABLE a ADD COLUMN more TEXT",
                                               MigrationKind::kExpand, 1}};
  ASSERT_TRUE(MigrateTo(kNewer));
  const Migration changed{1, "0001_first", "CREATE TABLE a (id {{identity}})"};
  Status status = MigrateTo({&changed, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kCorrupt);
}

TEST_P(MigrationsTest, AChangedStepIsRefused) {
  ASSERT_TRUE(MigrateTo({&kFirst, 1}));
  const Migration changed{1, "0001_first", "CREATE TABLE a (id {{identity}})"};
  Status status = MigrateTo({&changed, 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(status.error().message.find("0001_first"), std::string::npos);
}

TEST_P(MigrationsTest, AFailedStepLeavesNothingBehind) {
  ASSERT_TRUE(MigrateTo({&kFirst, 1}));
  const std::array kBoth = {kFirst, kBroken};
  Status status = MigrateTo(kBoth);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().detail.find("0002_broken"), std::string::npos);
  EXPECT_EQ(Ask("SELECT CAST(COUNT(*) AS TEXT) FROM schema_migration"), "1");
  EXPECT_TRUE(MigrateTo({&kFirst, 1}));
  EXPECT_NE(Ask("SELECT CAST(COUNT(*) AS TEXT) FROM b").find("b"), std::string::npos);
}

// Its numbers and floors are of other migrations, so that none of them says "newer".
TEST_P(MigrationsTest, ACatalogOfADevelopmentVersionIsRefusedAsSuch) {
  const std::array kThen = {Migration{1, "0001_then", "CREATE TABLE module (id {{identity}})"},
                            Migration{2, "0002_then", "CREATE TABLE provider (id {{identity}})"}};
  ASSERT_TRUE(MigrateTo(kThen));
  constexpr std::string_view kWhy =
      "the catalog was written by a development version of koya before the first release: its "
      "migration 1 (0001_then) is not this program's. ";
  const std::span<const Migration> first = AllMigrations().first(1);
  Status status = MigrateTo(first);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kCorrupt);
  EXPECT_TRUE(status.error().message.starts_with(kWhy)) << status.error().message;
  EXPECT_TRUE(Missing(first).starts_with(kWhy));
  EXPECT_EQ(Ask("SELECT CAST(COUNT(*) AS TEXT) FROM schema_migration"), "2");
  const std::array kChanged = {kThen[0], kSecond};
  EXPECT_TRUE(MigrateTo(kChanged).error().message.starts_with(
      "the catalog was written by a development version of koya: its migration 2 (0002_then)"));
}

}  // namespace
}  // namespace koya::sql
