#include "catalog/replica_catalog.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/run_task.h"
#include "catalog/sql/engine/migrations_fixture_fake.h"
#include "domain/replica_record.h"

namespace koya::sql {
namespace {

class ReplicaCatalogTest : public MigrationsFixture {};

INSTANTIATE_TEST_SUITE_P(Engines, ReplicaCatalogTest,
                         ::testing::Values(Dialect::kSqlite, Dialect::kPostgres), EngineName);

TEST_P(ReplicaCatalogTest, AReplicaThatWasNotSeenForLongCountsForNothingAndGoesAfterADay) {
  ASSERT_TRUE(MigrateTo(AllMigrations()));
  ReplicaCatalog replicas(transactions());
  const std::chrono::seconds life(10);
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_TRUE(RunTask(replicas.KeepReplica({.id = id, .address = "x", .version = "1"}, life)));
  }
  Run("UPDATE replica SET seen_at = {{now}} - 32 WHERE id = 'a'");
  Run("UPDATE replica SET seen_at = {{now}} - 86400 - 2 WHERE id = 'b'");
  EXPECT_EQ(RunTask(replicas.ListReplicas())->size(), 1U);
  ASSERT_TRUE(RunTask(replicas.KeepReplica({.id = "c", .address = "x", .version = "1"}, life)));
  EXPECT_EQ(Ask("SELECT CAST(COUNT(*) AS TEXT) FROM replica"), "2");
  ASSERT_TRUE(RunTask(replicas.KeepReplica({.id = "a", .address = "x", .version = "1"}, life)));
  EXPECT_EQ(RunTask(replicas.ListReplicas())->size(), 2U) << "it goes on";
}

}  // namespace
}  // namespace koya::sql
