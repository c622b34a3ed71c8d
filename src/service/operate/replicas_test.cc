#include "service/operate/replicas.h"

#include <gtest/gtest.h>

#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "obs/line_writer.h"
#include "obs/log.h"
#include "service/common/change_feed.h"
#include "service/common/database_clock.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

class ReplicasTest : public ::testing::Test {
 protected:
  std::vector<Replicas::Seen> List() {
    return RunTask(Replicas(catalog_, catalog_).List()).value();
  }

  TestCatalog catalog_;
  LineWriter lines_{{.descriptor = -1}};
  Logger log_{lines_, LogLevel::kError};
  ChangeFeed changes_{catalog_};
  DatabaseClock clock_{catalog_, log_};
  Leases one_{catalog_, "one:8443"};
  Leases two_{catalog_, "two:8443"};
  Replica first_{catalog_,
                 one_,
                 changes_,
                 clock_,
                 {.version = "1.2.3", .schema_step = 9, .settings = {{"policy.deny", "aa"}}}};
  Replica second_{catalog_,
                  two_,
                  changes_,
                  clock_,
                  {.version = "1.3.0", .schema_step = 10, .settings = {{"policy.deny", "bb"}}}};
};

TEST_F(ReplicasTest, WhoeverServesIsSeenWithWhatItHolds) {
  ASSERT_TRUE(RunTask(changes_.Start()));
  EXPECT_TRUE(List().empty());
  ASSERT_TRUE(RunTask(first_.RenewRegistration()));
  ASSERT_TRUE(RunTask(second_.RenewRegistration()));
  for (const char* work : {"gc", "audit"}) ASSERT_EQ(RunTask(two_.TakeLease(work)), true);
  std::vector<Replicas::Seen> seen = List();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].replica.address, "one:8443");
  EXPECT_EQ(seen[0].replica.version, "1.2.3");
  EXPECT_EQ(seen[0].replica.schema_step, 9);
  EXPECT_LT(seen[0].replica.feed_age, std::chrono::seconds(60));
  EXPECT_TRUE(seen[0].leases.empty());
  EXPECT_EQ(seen[1].leases, (std::vector<std::string>{"audit", "gc"}));
  ASSERT_TRUE(RunTask(second_.Unregister()));
  ASSERT_EQ(List().size(), 1U);
  EXPECT_EQ(List()[0].replica.id, one_.holder());
}

TEST_F(ReplicasTest, ServersThatDoNotAgreeAreNamed) {
  ASSERT_TRUE(RunTask(first_.RenewRegistration()));
  EXPECT_TRUE(Replicas::DescribeDifferences(List()).empty());
  ASSERT_TRUE(RunTask(second_.RenewRegistration()));
  EXPECT_EQ(Replicas::DescribeDifferences(List()),
            (std::vector<std::string>{
                "policy.deny is not the same on all servers, and must be: one:8443 | two:8443"}));
}

TEST_F(ReplicasTest, ItsLeasesAreKeptAndWhatWasLostIsNotHeld) {
  ASSERT_EQ(RunTask(one_.TakeLease("gc")), true);
  ASSERT_TRUE(RunTask(first_.RenewRegistration()));
  EXPECT_TRUE(one_.Holds("gc"));
  ASSERT_TRUE(RunTask(catalog_.leases().GiveLeaseBack("gc", one_.holder())));
  ASSERT_TRUE(RunTask(first_.RenewRegistration()));
  EXPECT_FALSE(one_.Holds("gc"));
}

TEST_F(ReplicasTest, WhoeverHasNobodyToSayItToSaysItSeldomAndKeepsItsLeasesAllTheSame) {
  Replica alone(catalog_, one_, changes_, clock_,
                {.version = "1.2.3", .schema_step = 9, .rest = std::chrono::hours(1)});
  ASSERT_TRUE(RunTask(alone.RenewRegistration()));
  ASSERT_EQ(List().size(), 1U);
  ASSERT_TRUE(RunTask(catalog_.replicas().RemoveReplica(one_.holder())));
  ASSERT_EQ(RunTask(one_.TakeLease("gc")), true);
  ASSERT_TRUE(RunTask(catalog_.leases().GiveLeaseBack("gc", one_.holder())));
  ASSERT_TRUE(RunTask(alone.RenewRegistration()));
  EXPECT_FALSE(one_.Holds("gc")) << "it was asked for";
  EXPECT_TRUE(List().empty()) << "it was not said again";
}

// The feed was never confirmed, so the catalog counts as down, and the stop does not wait for it.
TEST_F(ReplicasTest, AStopDoesNotWaitForACatalogThatIsAway) {
  ASSERT_TRUE(RunTask(first_.RenewRegistration()));
  ASSERT_TRUE(RunTask(first_.Unregister()));
  EXPECT_EQ(List().size(), 1U);
}

}  // namespace
}  // namespace koya::service
