// Cached responses while the catalog does not answer, and who gets them.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"
#include "wire/admin.h"

namespace koya::api {
namespace {

constexpr const char* kUnreachableMark = "111 koya \"Catalog Unreachable\"";

class OfflineApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }
  ApiFixture api;
};

TEST_F(OfflineApiTest, WhatIsHeldIsMarkedWhileTheCatalogIsAwayAndNotGivenForEver) {
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("one")).status, 201U);
  const std::string path = "/v1/modules/acme/vpc/aws/versions";
  const std::string body = api.Get(path).body;
  EXPECT_EQ(api.Get(path).Get("Warning"), "");
  for (const std::chrono::nanoseconds silence :
       {std::chrono::nanoseconds(1), std::chrono::nanoseconds(std::chrono::hours(1))}) {
    api.silent_for = silence;
    Reply held = api.Get(path);
    EXPECT_EQ(held.status, 200U);
    EXPECT_EQ(held.body, body);
    EXPECT_EQ(held.Get("Warning"), kUnreachableMark);
  }
  // Archives never change.
  const std::string archive = "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(api.Get(archive).status, 200U);
    EXPECT_EQ(api.Get(archive).Get("Warning"), "");
  }
  // Too old: the catalog itself is asked, which answers here.
  api.silent_for += std::chrono::nanoseconds(1);
  EXPECT_EQ(api.Get(path).status, 200U);
  EXPECT_EQ(api.Get(path).Get("Warning"), "");
}

TEST_F(OfflineApiTest, WhatIsSignedForEachReaderIsMarkedToo) {
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("one")).status, 201U);
  Question hide;
  hide.method = http::Method::kPut;
  hide.path = "/api/v1/namespaces/acme";
  hide.body = R"({"visibility":"private"})";
  ASSERT_EQ(api.Ask(hide).status, 200U);
  const std::string path = "/v1/modules/acme/vpc/aws/1.0.0/download";
  ASSERT_EQ(api.Get(path).status, 204U);
  EXPECT_EQ(api.Get(path).Get("Warning"), "");
  api.silent_for = std::chrono::minutes(1);
  EXPECT_EQ(api.Get(path).Get("Warning"), kUnreachableMark);
  api.silent_for = std::chrono::hours(2);
  EXPECT_EQ(api.Get(path).Get("Warning"), "");
}

TEST_F(OfflineApiTest, WhatDoesNotComeFromTheCatalogIsNotMarked) {
  api.silent_for = std::chrono::hours(2);
  for (int i = 0; i < 2; ++i) {
    Reply discovery = api.Get("/.well-known/terraform.json");
    EXPECT_EQ(discovery.status, 200U);
    EXPECT_EQ(discovery.Get("Warning"), "");
  }
}

TEST_F(OfflineApiTest, WhoeverServesIsShownToAnAdministrator) {
  EXPECT_EQ(api.Get("/api/v1/admin/replicas").body, R"({"replicas":[]})");
  const ReplicaRecord replica{.id = "one",
                              .address = "host:8443",
                              .version = "1.2.3",
                              .schema_step = 10,
                              .feed_age = std::chrono::milliseconds(400),
                              .clock_ahead = std::chrono::milliseconds(-1500)};
  ASSERT_TRUE(RunTask(api.catalog().replicas().KeepReplica(replica, std::chrono::seconds(9))));
  LeaseRecord lease{.name = "gc", .holder = "one", .address = "", .until = 0};
  ASSERT_EQ(RunTask(api.catalog().leases().TakeLease(lease, std::chrono::seconds(60))), true);
  Reply reply = api.Get("/api/v1/admin/replicas");
  ASSERT_EQ(reply.status, 200U);
  auto found = wire::Decode<wire::ReplicaList>(reply.body);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->items.size(), 1U);
  const wire::Replica& one = found->items.front();
  EXPECT_EQ(one.id + " " + one.address + " " + one.version, "one host:8443 1.2.3");
  EXPECT_EQ(one.schema_step, 10U);
  EXPECT_EQ(one.feed_age_ms, 400U);
  EXPECT_EQ(one.clock_ahead_ms, -1500);
  EXPECT_EQ(one.leases, std::vector<std::string>{"gc"});
  EXPECT_TRUE(one.seen_at.ends_with("Z")) << one.seen_at;
}

}  // namespace
}  // namespace koya::api
