// Limits of requests per token and per address, and the responses beyond them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "base/byte_budget.h"
#include "base/run_task.h"

namespace koya::api {
namespace {

constexpr const char* kLimited = "/v1/modules/acme/vpc/aws/versions";
constexpr const char* kHere = "192.0.2.7";
constexpr const char* kElsewhereAddress = "192.0.2.8";

class LimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api_.token = api_.Token(Scope::kAdmin);
    ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
    api_.token.clear();
  }
  // The limits start here: earlier requests do not count.
  void Limit(service::RequestAllowances allowances) {
    api_.allowances = allowances;
    api_.SettleMirror();
  }
  Reply Ask(std::string path, std::string remote, const std::string& token = "") {
    Question question{.path = std::move(path), .remote = std::move(remote)};
    if (!token.empty()) question.fields = {{"Authorization", "Bearer " + token}};
    return api_.Ask(question);
  }
  static void ExpectRefused(const Reply& reply, const std::string& limit,
                            const std::string& retry_after) {
    EXPECT_EQ(reply.status, 429U) << reply.body;
    EXPECT_EQ(reply.Get("Retry-After"), retry_after);
    EXPECT_EQ(reply.Get("Content-Type"), "application/json");
    EXPECT_EQ(reply.Get("Cache-Control"), "no-store");
    EXPECT_TRUE(reply.body.starts_with(R"({"errors":[")")) << reply.body;
    EXPECT_NE(reply.body.find(limit), std::string::npos) << reply.body;
    EXPECT_NE(reply.body.find("try again"), std::string::npos) << reply.body;
  }

  ApiFixture api_;
};

TEST_F(LimitsTest, NobodyIsLimitedUnlessItIsSaid) {
  for (int i = 0; i < 200; ++i) ASSERT_EQ(Ask(kLimited, kHere).status, 200U);
}

TEST_F(LimitsTest, AnAddressThatAsksTooOftenIsToldWhenToAskAgain) {
  Limit({.token = {}, .address = {.requests = 2}});
  // The first is made, the second is at hand, and discovery counts like any other.
  EXPECT_EQ(Ask(kLimited, kHere).status, 200U);
  EXPECT_EQ(Ask(kLimited, kHere).status, 200U);
  for (const char* path : {kLimited, "/.well-known/terraform.json", "/v1/modules", "/nowhere",
                           "/v1/modules/acme/none/aws/versions", "/mirror/a/b/c/index.json"}) {
    ExpectRefused(Ask(path, kHere), "limits.address_requests", "1");
  }
  EXPECT_EQ(Ask(kLimited, kElsewhereAddress).status, 200U) << "others are not affected";
  api_.since_boot += std::chrono::milliseconds(500);
  EXPECT_EQ(Ask("/.well-known/terraform.json", kHere).status, 200U);
  ExpectRefused(Ask("/.well-known/terraform.json", kHere), "limits.address_requests", "1");
}

TEST_F(LimitsTest, ATokenHasALimitOfItsOwnWhereverItIsSentFrom) {
  const std::string one = api_.Token(Scope::kRead);
  const std::string two = api_.Token(Scope::kRead);
  Limit({.token = {.requests = 2}, .address = {.requests = 1}});
  EXPECT_EQ(Ask(kLimited, kHere).status, 200U);
  ExpectRefused(Ask(kLimited, kHere), "limits.address_requests", "1");
  // The first use of a token asks the catalog, the second does not.
  EXPECT_EQ(Ask(kLimited, kHere, one).status, 200U);
  EXPECT_EQ(Ask(kLimited, kElsewhereAddress, one).status, 200U);
  ExpectRefused(Ask(kLimited, kElsewhereAddress, one), "limits.token_requests", "1");
  EXPECT_EQ(Ask(kLimited, kHere, two).status, 200U);
  EXPECT_EQ(Ask(kLimited, kElsewhereAddress).status, 200U);
}

TEST_F(LimitsTest, ATokenThatIsNotGoodCountsForItsAddress) {
  const std::string good = api_.Token(Scope::kRead);
  Limit({.token = {.requests = 100}, .address = {.requests = 2}});
  const std::string unknown = "koya_" + std::string(43, 'a');
  EXPECT_EQ(Ask(kLimited, kHere, unknown).status, 401U);
  EXPECT_EQ(Ask(kLimited, kHere, "no token at all").status, 401U);
  ExpectRefused(Ask(kLimited, kHere, unknown), "limits.address_requests", "1");
  EXPECT_EQ(Ask(kLimited, kElsewhereAddress, unknown).status, 401U);
  EXPECT_EQ(Ask(kLimited, kHere, good).status, 200U);
}

TEST_F(LimitsTest, WhatIsRefusedChangesNothing) {
  const std::string token = api_.Token(Scope::kAdmin);
  Limit({.token = {.requests = 1}, .address = {}});
  EXPECT_EQ(Ask(kLimited, kHere, token).status, 200U);
  api_.token = token;
  ExpectRefused(api_.Publish("acme/vpc/aws", "2.0.0", ModuleArchive()), "limits.token_requests",
                "1");
  api_.since_boot += std::chrono::seconds(1);
  EXPECT_EQ(api_.Get("/v1/modules/acme/vpc/aws/2.0.0").status, 404U);
  api_.since_boot += std::chrono::seconds(1);
  EXPECT_EQ(api_.Publish("acme/vpc/aws", "2.0.0", ModuleArchive()).status, 201U);
}

TEST_F(LimitsTest, ADaysBytesEndWithTheDay) {
  constexpr UnixSeconds kDay = 86'400;
  api_.clock.now = api_.clock.now / kDay * kDay + kDay - 100;
  const std::string token = api_.Token(Scope::kRead);
  Limit({.token = {.bytes_per_day = 200}, .address = {.bytes_per_day = 200}});
  for (const std::string& sent : {std::string(), token}) {
    const std::string limit =
        sent.empty() ? "limits.address_bytes_per_day" : "limits.token_bytes_per_day";
    Reply first = Ask(kLimited, kHere, sent);
    ASSERT_EQ(first.status, 200U);
    for (std::size_t bytes = first.body.size(); bytes < 200; bytes += first.body.size()) {
      ASSERT_EQ(Ask(kLimited, kHere, sent).status, 200U);
    }
    ExpectRefused(Ask(kLimited, kHere, sent), limit, "100");
    api_.ShareSentBytes();
    ExpectRefused(Ask(kLimited, kHere, sent), limit, "100");
  }
  EXPECT_EQ(Ask(kLimited, kElsewhereAddress).status, 200U);
  api_.clock.now += 100;
  EXPECT_EQ(Ask(kLimited, kHere).status, 200U);
  EXPECT_EQ(Ask(kLimited, kHere, token).status, 200U);
}

// Clients fetch archives without their token, by a URL that was made for it.
TEST_F(LimitsTest, ACapabilityUrlCountsForTheTokenThatItWasMadeFor) {
  const std::string token = api_.Token(Scope::kRead);
  api_.access.anonymous_read = false;
  Limit({.token = {.requests = 3}, .address = {.requests = 1}});
  Reply reply = Ask("/v1/modules/acme/vpc/aws/1.0.0/download", kHere, token);
  const std::string location = reply.Get("X-Terraform-Get");
  ASSERT_NE(location, "") << reply.status << reply.body;
  const std::size_t path = location.find("/download/");
  const std::size_t query = location.find('?');
  Question question{.path = location.substr(path, query - path),
                    .query = location.substr(query + 1),
                    .remote = kHere};
  EXPECT_EQ(api_.Ask(question).status, 200U);
  EXPECT_EQ(api_.Ask(question).status, 200U);
  ExpectRefused(api_.Ask(question), "limits.token_requests", "1");
  EXPECT_EQ(Ask("/.well-known/terraform.json", kHere).status, 200U)
      << "nothing counted for the address";
}

// ---- what readers hold in memory

class ReadingLimitsTest : public ::testing::Test {
 protected:
  using Claims = std::vector<std::shared_ptr<ByteBudget::Claim>>;

  void SetUp() override {
    api_.token = api_.Token(Scope::kAdmin);
    std::string inputs;
    for (int i = 0; i < 6000; ++i) inputs += fmt::format("variable \"v{}\" {{}}\n", i);
    for (const char* version : {"1.0.0", "1.1.0"}) {
      Publish("acme/large/aws", version, {{"main.tf", inputs}, {"README.md", "# Large\n"}});
    }
    Publish("acme/small/aws", "1.0.0", {{"main.tf", "variable \"a\" {}\n"}});
    api_.token.clear();
  }
  void Publish(const std::string& address, const std::string& version,
               const std::map<std::string, std::string>& files) {
    ASSERT_EQ(api_.Publish(address, version, PackFiles(files)).status, 201U);
  }
  // As if others held all that there is for large readings, or for small ones.
  Claims TakeAll(std::uint64_t piece) {
    Claims claims;
    for (;;) {
      std::string client = std::to_string(claims.size());
      auto claim = RunTask(api_.reading_bytes.ClaimBytes(std::move(client), piece));
      if (!claim) return claims;
      claims.push_back(*std::move(claim));
    }
  }
  static constexpr std::uint64_t kLarge = 2U << 20U;
  static constexpr std::uint64_t kSmall = 1U << 20U;

  ApiFixture api_;
};

constexpr std::array kLargeReadings{
    "/modules/acme/large/aws",
    "/modules/acme/large/aws/1.0.0",
    "/modules/acme/large/aws/1.0.0/inputs",
    "/modules/acme/large/aws/1.1.0/outputs",
    "/modules/acme/large/aws/1.0.0/usage",
    "/modules/acme/large/aws/1.0.0/files",
    "/modules/acme/large/aws/1.0.0/resources",
    "/modules/acme/large/aws/1.0.0/dependencies",
    "/modules/acme/large/aws/1.1.0/changes",
    "/modules/acme/large/aws.json",
    "/modules/acme/large/aws.md",
    "/v1/modules/acme/large/aws",
    "/v1/modules/acme/large/aws/1.0.0",
    "/api/v1/modules/acme/large/aws/1.0.0",
    "/api/v1/modules/acme/large/aws/1.0.0/readme",
};

TEST_F(ReadingLimitsTest, WhatIsLargeWaitsForOthersAndIsAnswered503) {
  Claims others = TakeAll(kLarge);
  for (const char* path : kLargeReadings) {
    Reply reply = api_.Get(path);
    EXPECT_EQ(reply.status, 503U) << path;
    EXPECT_EQ(reply.Get("Retry-After"), "2") << path;
    EXPECT_NE(reply.body.find("other running requests"), std::string::npos) << path;
  }
  EXPECT_EQ(api_.Get("/modules/acme/small/aws/1.0.0/inputs").status, 200U);
  EXPECT_EQ(api_.Get("/api/v1/modules/acme/small/aws/1.0.0").status, 200U);
  others.clear();
  EXPECT_EQ(api_.reading_bytes.held(), 0U);
  for (const char* path : kLargeReadings) {
    EXPECT_EQ(api_.Get(path).status, 200U) << path;
    EXPECT_EQ(api_.reading_bytes.held(), 0U) << "of what has been sent: " << path;
  }
}

TEST_F(ReadingLimitsTest, AComparisonClaimsForBothVersions) {
  Question question{.path = "/api/v1/modules/acme/large/aws/diff"};
  question.query = "from=1.0.0&to=1.1.0";
  Claims others = TakeAll(kLarge);
  Reply refused = api_.Ask(question);
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.Get("Retry-After"), "2");
  others.clear();
  EXPECT_EQ(api_.Ask(question).status, 200U);
  EXPECT_EQ(api_.reading_bytes.held(), 0U);
}

TEST_F(ReadingLimitsTest, FilesAreClaimedUntilTheyAreSent) {
  const std::string path = "/modules/acme/small/aws/1.0.0/files/main.tf";
  Question raw{.path = path};
  raw.query = "raw=1";
  Claims others = TakeAll(kLarge);
  EXPECT_EQ(api_.Ask(raw).status, 503U) << "its size is not known yet";
  EXPECT_EQ(api_.Get(path).status, 200U);
  others.clear();
  EXPECT_EQ(api_.Ask(raw).status, 200U);
  EXPECT_EQ(api_.reading_bytes.held(), 0U);
}

// Kept documents cost nothing, however their address is spelled.
TEST_F(ReadingLimitsTest, OneDocumentIsMadeForAllSpellingsOfAnAddress) {
  ASSERT_EQ(api_.Get("/api/v1/modules/ACME/Small/aws/1.0.0").status, 200U);
  Claims large = TakeAll(kLarge);
  Claims small = TakeAll(kSmall);
  Claims rest = TakeAll(1);
  for (const char* path :
       {"/api/v1/modules/acme/small/aws/1.0.0", "/api/v1/modules/aCMe/smALL/AWS/v1.0.0",
        "/api/v1/modules/ACME/Small/aws/1.0.0"}) {
    EXPECT_EQ(api_.Get(path).status, 200U) << path;
  }
  EXPECT_EQ(api_.Get("/api/v1/modules/acme/small/aws/1.0.0/readme").status, 503U);
}

}  // namespace
}  // namespace koya::api
