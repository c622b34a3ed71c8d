// Usage statistics: which requests count, and who may see the counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "archive/archive_builder_fake.h"
#include "auth/token.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/credential_record.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"
#include "wire/usage.h"

namespace koya::api {
namespace {

constexpr const char* kCountedVpc = "acme/vpc/aws";
constexpr const char* kCountedDownload = "/v1/modules/acme/vpc/aws/1.0.0/download";
constexpr const char* kCountedArchive =
    "/download/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz";
constexpr const char* kVpcUsage = "/api/v1/usage/modules/acme/vpc/aws";
constexpr const char* kTofu = "OpenTofu/1.12.0 (+https://opentofu.org)";

class UsageApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    admin_ = api_.Token(Scope::kAdmin);
    api_.token = admin_;
    Publish("1.0.0");
    Publish("1.1.0");
    api_.token.clear();
  }

  void Publish(const std::string& version) {
    ASSERT_EQ(api_.Publish(kCountedVpc, version, ModuleArchive(version)).status, 201U);
  }
  void PublishProvider() {
    api_.token = admin_;
    const std::string drafts = "/api/v1/providers/acme/demo/1.0.0/drafts";
    Reply opened = api_.Ask({.method = http::Method::kPost, .path = drafts});
    const std::string draft = drafts + "/" + wire::Decode<wire::Draft>(opened.body).value().id;
    api_.Ask({.method = http::Method::kPut,
              .path = draft + "/files/terraform-provider-demo_1.0.0_linux_amd64.zip",
              .body = Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "x"}})});
    Reply done = api_.Ask(
        {.method = http::Method::kPost, .path = draft + "/commit", .body = R"({"sign": true})"});
    ASSERT_EQ(done.status, 201U) << done.body;
    api_.token.clear();
  }
  std::string ServiceToken(const std::string& name) {
    AccountRecord account{
        .id = auth::RandomId(), .kind = AccountKind::kService, .name = name, .admin = false};
    EXPECT_TRUE(RunTask(api_.catalog().accounts().AddAccount(Actor::Server(), account)));
    auth::MintedToken minted = auth::MintToken();
    TokenRecord record{.name = "of-" + name,
                       .secret = minted.secret,
                       .scope = Scope::kRead,
                       .account_id = account.id,
                       .created_by = "test"};
    EXPECT_TRUE(RunTask(api_.catalog().tokens().AddToken(Actor::Server(), record)));
    return minted.text;
  }

  // As the caller with this token; "": anonymous.
  Reply GetAs(const std::string& token, const std::string& path, const std::string& agent = kTofu) {
    api_.token = token;
    Reply reply = api_.Get(path, agent);
    api_.token.clear();
    return reply;
  }
  Reply AskAs(const std::string& token, const std::string& path, const std::string& query = "",
              const std::string& accept = "") {
    api_.token = token;
    Question question{.path = path, .query = query};
    if (!accept.empty()) question.fields = {{"Accept", accept}};
    Reply reply = api_.Ask(question);
    api_.token.clear();
    return reply;
  }
  wire::UsageReport Report(const std::string& path, const std::string& query = "") {
    api_.WriteUsage();
    Reply reply = AskAs(admin_, path, query);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return wire::Decode<wire::UsageReport>(reply.body).value_or(wire::UsageReport{});
  }
  // "NAME: COUNT+ARCHIVES".
  static std::vector<std::string> Rows(const std::vector<wire::UsageRow>& rows) {
    std::vector<std::string> texts;
    for (const wire::UsageRow& row : rows) {
      texts.push_back(fmt::format("{}: {}+{}", row.name, row.count, row.archives));
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  ApiFixture api_;
  std::string admin_;
};

TEST_F(UsageApiTest, DownloadDocumentsAreFetchesAndArchivesAreApart) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(GetAs("", kCountedDownload).status, 200U);
  EXPECT_EQ(GetAs("", kCountedDownload, "Terraform/1.11.4").status, 204U);
  EXPECT_EQ(GetAs("", "/v1/modules/ACME/VPC/aws/1.0.0/download").status, 200U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(GetAs("", kCountedArchive).status, 200U);
  EXPECT_EQ(GetAs("", "/v1/modules/acme/vpc/aws/1.1.0/download").status, 200U);
  // Requests that are not fetches.
  GetAs("", "/v1/modules/acme/vpc/aws/versions");
  GetAs("", "/v1/modules/acme/vpc/aws/1.0.0");
  GetAs("", "/v1/modules/acme/vpc/aws/9.9.9/download");
  GetAs("nonsense", kCountedDownload);
  api_.Ask({.method = http::Method::kHead, .path = kCountedDownload});
  const wire::UsageReport report = Report(kVpcUsage);
  EXPECT_EQ(report.address, kCountedVpc);
  EXPECT_EQ(report.by, "version");
  EXPECT_TRUE(report.counted);
  EXPECT_TRUE(report.named);
  EXPECT_FALSE(report.partial);
  EXPECT_EQ(report.total, 6U);
  EXPECT_EQ(report.archives, 2U);
  EXPECT_EQ(Rows(report.rows), (Texts{"1.1.0: 1+0", "1.0.0: 5+2"}));
  ASSERT_EQ(report.days.size(), 1U);
  EXPECT_EQ(report.days[0].count, 6U);
  EXPECT_EQ(report.days[0].day, report.rows[0].last_day);
  EXPECT_EQ(Rows(Report(kVpcUsage, "by=client").rows),
            (Texts{"OpenTofu 1.12: 5+2", "Terraform 1.11: 1+0"}));
}

TEST_F(UsageApiTest, ConsumersAreNamedToOwnersOnly) {
  const std::string robot = ServiceToken("robot");
  GetAs(robot, kCountedDownload);
  GetAs(robot, kCountedDownload, std::string(kTofu) + " koya-consumer/prod");
  GetAs(admin_, kCountedDownload);
  GetAs("", kCountedDownload);
  GetAs("", kCountedDownload, "RenovateBot/37.440.7");
  wire::UsageReport report = Report(kVpcUsage, "by=consumer");
  std::map<std::string, wire::UsageRow> rows;
  for (const wire::UsageRow& row : report.rows) rows[row.name] = row;
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows["service:robot"].principal, "service:robot");
  EXPECT_EQ(rows["prod"].principal, "service:robot");
  EXPECT_EQ(rows["prod"].label, "prod");
  EXPECT_EQ(rows["people"].count, 1U);
  EXPECT_EQ(rows["anonymous"].count, 1U);
  EXPECT_EQ(report.total, 4U);
  EXPECT_EQ(report.bots, 1U);
  EXPECT_EQ(report.consumers, 2U);
  EXPECT_EQ(report.people, 1U);

  const std::string owner = api_.Token(Scope::kAdmin, {"acme"});
  const std::string other = api_.Token(Scope::kAdmin, {"other"});
  const std::string reader = api_.Token(Scope::kRead, {"acme"});
  struct Case {
    std::string token;
    bool named;
  };
  for (const Case& each : {Case{owner, true}, Case{other, false}, Case{reader, false},
                           Case{robot, false}, Case{"", false}}) {
    Reply reply = AskAs(each.token, kVpcUsage, "by=consumer");
    ASSERT_EQ(reply.status, 200U) << reply.body;
    report = wire::Decode<wire::UsageReport>(reply.body).value();
    EXPECT_EQ(report.named, each.named);
    EXPECT_EQ(report.rows.empty(), !each.named);
    EXPECT_EQ(report.total, 4U);
    EXPECT_EQ(reply.body.contains("robot"), each.named);
    EXPECT_EQ(reply.Get("Cache-Control"), "private, no-store");
  }
}

TEST_F(UsageApiTest, WhatCannotBeAskedIsRefused) {
  struct Case {
    std::string path;
    std::string query;
    unsigned status;
    std::string words;
  };
  const Case kCases[] = {
      {kVpcUsage, "days=0", 400, "from 1 to 3650"},
      {kVpcUsage, "days=3651", 400, "from 1 to 3650"},
      {kVpcUsage, "days=x", 400, "days"},
      {kVpcUsage, "days=-1", 400, "days"},
      {kVpcUsage, "by=x", 400, "version, consumer or client"},
      {kVpcUsage, "by=", 400, "version, consumer or client"},
      {kVpcUsage, "days=3650&by=client", 200, ""},
      {"/api/v1/usage/modules/acme/nothing/aws", "", 404, ""},
      {"/api/v1/usage/modules/acme/vpc", "", 404, ""},
      {"/api/v1/usage/providers/acme/demo", "", 404, ""},
      {"/api/v1/usage/impact/acme/vpc/aws/x", "", 404, ""},
      {"/api/v1/usage/impact/acme/nothing/aws/1.0.0", "", 404, ""},
      {"/api/v1/usage/impact/acme/vpc/aws/1.0.0", "days=0", 400, "from 1 to 3650"},
      {"/api/v1/usage/lag", "", 400, "namespace=acme"},
      {"/api/v1/usage/lag", "namespace=acme&days=0", 400, "from 1 to 3650"},
      {"/api/v1/usage/unused", "kind=x", 400, "modules or providers"},
      {"/api/v1/usage/unused", "offset=x", 400, "offset"},
  };
  for (const Case& each : kCases) {
    Reply reply = AskAs(admin_, each.path, each.query);
    EXPECT_EQ(reply.status, each.status) << each.path << "?" << each.query << reply.body;
    EXPECT_TRUE(reply.body.contains(each.words)) << reply.body;
  }
}

TEST_F(UsageApiTest, TablesComeToThoseWhoAskForThem) {
  GetAs("", kCountedDownload);
  api_.WriteUsage();
  Reply reply = AskAs(admin_, kVpcUsage, "", "text/csv, */*;q=0.1");
  EXPECT_EQ(reply.Get("Content-Type"), "text/csv; charset=utf-8; header=present");
  EXPECT_TRUE(reply.body.starts_with(
      "name,principal,label,count,archives,bots,consumers,people,last_day\r\n1.0.0,,,1,0,0,0,0,"))
      << reply.body;
}

TEST_F(UsageApiTest, ProvidersAndMirroredThingsAreCounted) {
  PublishProvider();
  EXPECT_EQ(GetAs("", "/v1/providers/acme/demo/1.0.0/download/linux/amd64").status, 200U);
  EXPECT_EQ(GetAs("", "/mirror/registry.example.com/acme/demo/1.0.0.json").status, 200U);
  const std::string files = "/download/providers/acme/demo/1.0.0/terraform-provider-demo_1.0.0_";
  EXPECT_EQ(GetAs("", files + "linux_amd64.zip").status, 200U);
  EXPECT_EQ(GetAs("", files + "SHA256SUMS").status, 200U);
  EXPECT_EQ(Rows(Report("/api/v1/usage/providers/acme/demo").rows), Texts{"1.0.0: 2+1"});

  const std::string origin = "/origin/registry.example.org/v1/modules/acme/vpc/aws/1.0.0/";
  EXPECT_EQ(GetAs("", origin + "download").status, 200U);
  EXPECT_EQ(GetAs("", origin + "download").status, 200U);
  EXPECT_EQ(GetAs("", origin + "acme-vpc-aws-1.0.0.tar.gz").status, 200U);
  const std::string mirrored = "/api/v1/usage/mirror/modules/registry.example.org/";
  EXPECT_EQ(Rows(Report(mirrored + "acme/vpc/aws").rows), Texts{"1.0.0: 2+1"});
  EXPECT_EQ(Rows(Report(mirrored + "acme/nothing/aws").rows), Texts{});
  EXPECT_EQ(Rows(Report(kVpcUsage).rows), Texts{}) << "ours is another";

  // An empty document is no fetch.
  EXPECT_EQ(GetAs("", "/mirror/other.example.com/acme/demo/1.0.0.json").status, 200U);
  EXPECT_EQ(Report("/api/v1/usage/mirror/providers/other.example.com/acme/demo").total, 0U);
}

TEST_F(UsageApiTest, TheImpactTellsWhoWouldMissAVersion) {
  const std::string robot = ServiceToken("robot");
  GetAs(robot, kCountedDownload);
  GetAs(robot, "/v1/modules/acme/vpc/aws/1.1.0/download");
  GetAs(robot, "/v1/modules/acme/vpc/aws/1.1.0/download");
  api_.WriteUsage();
  Reply reply = AskAs(admin_, "/api/v1/usage/impact/acme/vpc/aws/1.0.0");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  auto impact = wire::Decode<wire::UsageImpact>(reply.body).value();
  EXPECT_EQ(impact.version, "1.0.0");
  EXPECT_EQ(impact.total, 1U);
  EXPECT_EQ(impact.all, 3U);
  EXPECT_EQ(impact.consumers, 1U);
  EXPECT_EQ(Rows(impact.rows), Texts{"service:robot: 1+0"});
  reply = AskAs("", "/api/v1/usage/impact/acme/vpc/aws/1.0.0");
  impact = wire::Decode<wire::UsageImpact>(reply.body).value();
  EXPECT_EQ(impact.total, 1U);
  EXPECT_TRUE(impact.rows.empty());
  reply = AskAs(admin_, "/api/v1/usage/impact/acme/vpc/aws/1.0.0", "", "text/csv");
  EXPECT_TRUE(reply.body.contains("service:robot,service:robot,,1,0,0,")) << reply.body;
}

TEST_F(UsageApiTest, TheImpactNamesModulesThatTakeTheVersion) {
  const std::string main =
      "module \"vpc\" {\n  source = \"registry.example.com/acme/vpc/aws\"\n  version = "
      "\"1.0.0\"\n}\n";
  api_.token = admin_;
  for (const char* address : {"acme/app/aws", "hidden/app/aws"}) {
    ASSERT_EQ(api_.Publish(address, "2.0.0", PackFiles({{"main.tf", main}})).status, 201U);
  }
  Reply set = api_.Ask({.method = http::Method::kPut,
                        .path = "/api/v1/namespaces/hidden",
                        .body = R"({"visibility":"private"})"});
  ASSERT_EQ(set.status, 200U) << set.body;
  const wire::CallingModule open{"acme/app/aws", "2.0.0", "", "1.0.0", ""};
  const wire::CallingModule hidden{"hidden/app/aws", "2.0.0", "", "1.0.0", ""};
  auto impact = wire::Decode<wire::UsageImpact>(
      AskAs(admin_, "/api/v1/usage/impact/acme/vpc/aws/1.0.0").body);
  ASSERT_TRUE(impact);
  EXPECT_EQ(impact->callers, (std::vector{open, hidden}));
  EXPECT_FALSE(impact->callers_more);
  impact =
      wire::Decode<wire::UsageImpact>(AskAs("", "/api/v1/usage/impact/acme/vpc/aws/1.0.0").body);
  ASSERT_TRUE(impact);
  EXPECT_EQ(impact->callers, std::vector{open}) << "a stranger is not told of private ones";
  impact = wire::Decode<wire::UsageImpact>(
      AskAs(admin_, "/api/v1/usage/impact/acme/vpc/aws/1.1.0").body);
  ASSERT_TRUE(impact);
  EXPECT_TRUE(impact->callers.empty());
}

// For those who may read the thing; callers that they may not read are not shown or counted.
TEST_F(UsageApiTest, TheImpactOfAnyVersionListsCallersAndCountsUnknownCalls) {
  const std::string main =
      "module \"vpc\" {\n  source = \"registry.example.com/acme/vpc/aws\"\n  version = "
      "\"~> 1.0\"\n}\nmodule \"any\" {\n  source = var.source\n}\n";
  api_.token = admin_;
  for (const char* address : {"acme/app/aws", "hidden/app/aws"}) {
    ASSERT_EQ(api_.Publish(address, "2.0.0", PackFiles({{"main.tf", main}})).status, 201U);
  }
  ASSERT_EQ(api_.Ask({.method = http::Method::kPut,
                      .path = "/api/v1/namespaces/hidden",
                      .body = R"({"visibility":"private"})"})
                .status,
            200U);
  const std::string path = "/api/v1/impact/modules/acme/vpc/aws";
  const wire::ImpactCaller open{"acme/app/aws", "2.0.0", "", "~> 1.0"};
  const wire::ImpactCaller hidden{"hidden/app/aws", "2.0.0", "", "~> 1.0"};
  const Reply all = AskAs(admin_, path);
  ASSERT_EQ(all.status, 200U) << all.body;
  EXPECT_EQ(wire::Decode<wire::Impact>(all.body),
            (wire::Impact{.callers = {open, hidden}, .unknown = 2}));
  EXPECT_EQ(wire::Decode<wire::Impact>(AskAs("", path).body),
            (wire::Impact{.callers = {open}, .unknown = 1}));
  EXPECT_EQ(AskAs("", "/api/v1/impact/modules/hidden/app/aws").status, 404U);
  EXPECT_EQ(AskAs(admin_, "/api/v1/impact/modules/hidden/app/aws").status, 200U);
  for (const char* unknown :
       {"/api/v1/impact/modules/acme/nothing/aws", "/api/v1/impact/modules/acme/vpc/AWS",
        "/api/v1/impact/providers/acme/nothing", "/api/v1/impact/providers/acme_/demo"}) {
    EXPECT_EQ(AskAs(admin_, unknown).status, 404U) << unknown;
  }
  const auto of_version =
      wire::Decode<wire::UsageImpact>(AskAs("", "/api/v1/usage/impact/acme/vpc/aws/1.0.0").body);
  ASSERT_TRUE(of_version);
  EXPECT_EQ(of_version->unknown, 1U);
}

TEST_F(UsageApiTest, OwnersLearnWhoIsBehind) {
  const std::string robot = ServiceToken("robot");
  GetAs(robot, kCountedDownload);
  api_.WriteUsage();
  api_.clock.now += 5 * 86'400;
  for (const std::string& token : {admin_, api_.Token(Scope::kAdmin, {"acme"})}) {
    Reply reply = AskAs(token, "/api/v1/usage/lag", "namespace=ACME");
    ASSERT_EQ(reply.status, 200U) << reply.body;
    auto lag = wire::Decode<wire::UsageLag>(reply.body).value();
    ASSERT_EQ(lag.rows.size(), 1U);
    EXPECT_EQ(lag.rows[0], (wire::UsageLagRow{"service:robot", "", "module", kCountedVpc, "1.0.0",
                                              "1.1.0", 1, 5}));
    EXPECT_EQ(lag.behind_median, 1U);
  }
  for (const std::string& token :
       {api_.Token(Scope::kAdmin, {"other"}), api_.Token(Scope::kPublish), robot}) {
    EXPECT_EQ(AskAs(token, "/api/v1/usage/lag", "namespace=acme").status, 403U);
    EXPECT_EQ(AskAs(token, "/api/v1/usage/unused", "namespace=acme").status, 403U);
  }
  EXPECT_EQ(AskAs("", "/api/v1/usage/lag", "namespace=acme").status, 401U);
}

// Numbers are for all readers of the module; names are not.
TEST_F(UsageApiTest, UsedByListsConsumersVersionsAndDependents) {
  const std::string path = std::string(kVpcUsage) + "/used-by";
  const std::string page = "/modules/acme/vpc/aws/latest/used-by";
  EXPECT_TRUE(GetAs("", page).body.contains("No fetch has been counted yet."));
  const std::string main =
      "module \"vpc\" {\n  source = \"registry.example.com/acme/vpc/aws\"\n  version = "
      "\"~> 1.0\"\n}\n";
  api_.token = admin_;
  ASSERT_EQ(api_.Publish("acme/app/aws", "2.0.0", PackFiles({{"main.tf", main}})).status, 201U);
  GetAs(ServiceToken("pipeline-seven"), kCountedDownload);
  GetAs(ServiceToken("pipeline-eight"), "/v1/modules/acme/vpc/aws/1.1.0/download");
  api_.WriteUsage();
  const auto used = wire::Decode<wire::UsedBy>(AskAs(admin_, path).body);
  ASSERT_TRUE(used);
  ASSERT_EQ(used->consumers.size(), 2U);
  EXPECT_EQ(used->consumers[0].name, "service:pipeline-seven");
  EXPECT_EQ(used->consumers[0].behind, 1U);
  EXPECT_EQ(used->consumers[0].versions[0].version, "1.0.0");
  EXPECT_EQ(used->consumers[0].versions[0].last, used->counted_since);
  EXPECT_EQ(used->consumers[1].behind, 0U);
  EXPECT_EQ(used->behind, 1U);
  EXPECT_EQ(used->dependents,
            (std::vector<wire::ImpactCaller>{{"acme/app/aws", "2.0.0", "", "~> 1.0"}}));
  const auto second = wire::Decode<wire::UsedBy>(AskAs(admin_, path, "limit=1&offset=1").body);
  ASSERT_TRUE(second);
  ASSERT_EQ(second->consumers.size(), 1U);
  EXPECT_EQ(second->consumers[0].name, "service:pipeline-eight");
  EXPECT_EQ(second->meta, (wire::UsedByMeta{1, 1, 2}));
  const auto stranger = wire::Decode<wire::UsedBy>(AskAs("", path).body);
  ASSERT_TRUE(stranger);
  EXPECT_FALSE(stranger->named);
  EXPECT_TRUE(stranger->consumers.empty());
  EXPECT_EQ(stranger->meta.total, 2U);
  EXPECT_EQ(stranger->behind, 1U);
  const std::string body = GetAs("", page).body;
  EXPECT_TRUE(body.contains("<dt>Behind</dt><dd><bdi>1</bdi>") || body.contains("Behind</dt><dd>1"))
      << body;
  EXPECT_TRUE(body.contains("/modules/acme/app/aws"));
  EXPECT_FALSE(body.contains("pipeline-seven"));
}

TEST_F(UsageApiTest, UsedByHidesDependentsThatTheReaderMayNotRead) {
  const std::string main =
      "module \"vpc\" {\n  source = \"registry.example.com/acme/vpc/aws\"\n}\n";
  api_.token = admin_;
  ASSERT_EQ(api_.Publish("hidden/app/aws", "2.0.0", PackFiles({{"main.tf", main}})).status, 201U);
  ASSERT_EQ(api_.Ask({.method = http::Method::kPut,
                      .path = "/api/v1/namespaces/hidden",
                      .body = R"({"visibility":"private"})"})
                .status,
            200U);
  const std::string path = std::string(kVpcUsage) + "/used-by";
  EXPECT_TRUE(AskAs(admin_, path).body.contains("hidden/app/aws"));
  EXPECT_FALSE(AskAs("", path).body.contains("hidden"));
  EXPECT_FALSE(GetAs("", "/modules/acme/vpc/aws/latest/used-by").body.contains("hidden/"));
  for (const char* unknown : {"/api/v1/usage/modules/acme/nothing/aws/used-by",
                              "/api/v1/usage/modules/acme/vpc/AWS/used-by",
                              "/api/v1/usage/modules/hidden/app/aws/used-by",
                              "/api/v1/usage/providers/acme/nothing/used-by"}) {
    EXPECT_EQ(AskAs("", unknown).status, 404U) << unknown;
  }
  for (const char* query : {"days=0", "days=x", "limit=x", "offset=-1", "days=3651"}) {
    EXPECT_EQ(AskAs(admin_, path, query).status, 400U) << query;
  }
}

TEST_F(UsageApiTest, WhatIsPrivateHasNoUsageForOthers) {
  PublishProvider();
  GetAs("", kCountedDownload);
  api_.WriteUsage();
  api_.token = admin_;
  ASSERT_EQ(api_.Ask({.method = http::Method::kPut,
                      .path = "/api/v1/namespaces/acme",
                      .body = R"({"visibility":"private"})"})
                .status,
            200U);
  api_.token.clear();
  for (const std::string& path :
       {std::string(kVpcUsage), std::string("/api/v1/usage/providers/acme/demo"),
        std::string("/api/v1/usage/impact/acme/vpc/aws/1.0.0")}) {
    EXPECT_EQ(AskAs(admin_, path).status, 200U) << path;
    Reply hidden = AskAs("", path);
    EXPECT_EQ(hidden.status, 404U) << path << hidden.body;
  }
}

TEST_F(UsageApiTest, WhatNobodyFetchesIsListed) {
  const std::string owner = api_.Token(Scope::kAdmin, {"acme"});
  auto unused = [&](const std::string& token, const std::string& query) {
    Reply reply = AskAs(token, "/api/v1/usage/unused", query);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return wire::Decode<wire::UnusedPage>(reply.body).value_or(wire::UnusedPage{}).rows;
  };
  EXPECT_TRUE(unused(admin_, "").empty()) << "it is new";
  api_.clock.now += 200 * 86'400;
  admin_ = api_.Token(Scope::kAdmin);
  auto rows = unused(admin_, "");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].address, kCountedVpc);
  EXPECT_EQ(rows[0].latest, "1.1.0");
  EXPECT_EQ(rows[0].versions, 2U);
  EXPECT_EQ(rows[0].last_day, "");
  EXPECT_EQ(unused(owner, "namespace=acme").size(), 1U);
  EXPECT_TRUE(unused(admin_, "days=201").empty());
  EXPECT_TRUE(unused(admin_, "kind=providers").empty());
  EXPECT_TRUE(unused(admin_, "namespace=other").empty());
  EXPECT_TRUE(unused(admin_, "offset=1").empty());
  EXPECT_EQ(AskAs(owner, "/api/v1/usage/unused").status, 403U) << "not of all";
  GetAs("", kCountedDownload);
  api_.WriteUsage();
  EXPECT_TRUE(unused(admin_, "").empty());
}

TEST_F(UsageApiTest, SomebodyIsForgotten) {
  const std::string robot = ServiceToken("robot");
  api_.AddUser("ada", "a-long-password-1");
  GetAs(robot, kCountedDownload);
  api_.WriteUsage();
  auto forget = [&](const std::string& token, const std::string& body) {
    api_.token = token;
    Reply reply =
        api_.Ask({.method = http::Method::kPost, .path = "/api/v1/usage/forget", .body = body});
    api_.token.clear();
    return reply;
  };
  EXPECT_EQ(forget(robot, R"({"principal":"service:robot"})").status, 403U);
  EXPECT_EQ(forget(api_.Token(Scope::kAdmin, {"acme"}), R"({"principal":"service:robot"})").status,
            403U);
  for (const char* wrong : {"", "{}", R"({"principal":"robot"})", R"({"principal":"service:"})",
                            R"({"principal":"team:x"})"}) {
    EXPECT_EQ(forget(admin_, wrong).status, 400U) << wrong;
  }
  EXPECT_EQ(forget(admin_, R"({"principal":"service:robot"})").body,
            R"({"principal":"service:robot","rows":1})");
  EXPECT_EQ(forget(admin_, R"({"principal":"user:ada"})").body,
            R"({"principal":"user:ada","rows":0})");
  const wire::UsageReport report = Report(kVpcUsage, "by=consumer");
  EXPECT_EQ(Rows(report.rows), Texts{"anonymous: 1+0"});
  EXPECT_EQ(report.consumers, 0U);
}

TEST_F(UsageApiTest, TheModuleApiTellsDownloads) {
  auto downloads = [&](const std::string& path) {
    return wire::Decode<wire::ModuleDetails>(GetAs("", path).body)
        .value_or(wire::ModuleDetails{})
        .downloads;
  };
  EXPECT_EQ(downloads("/v1/modules/acme/vpc/aws"), 0U);
  GetAs("", kCountedDownload);
  GetAs("", kCountedDownload);
  GetAs("", "/v1/modules/acme/vpc/aws/1.1.0/download");
  api_.WriteUsage();
  EXPECT_EQ(downloads("/v1/modules/acme/vpc/aws"), 0U) << "it is kept for a minute";
  api_.clock.now += 60;
  EXPECT_EQ(downloads("/v1/modules/acme/vpc/aws"), 3U);
  EXPECT_EQ(downloads("/v1/modules/acme/vpc/aws/1.0.0"), 2U);
  EXPECT_EQ(downloads("/v1/modules/acme/vpc/aws/1.1.0"), 1U);
  for (const char* path : {"/v1/modules", "/v1/modules/acme", "/v1/modules/acme/vpc"}) {
    auto list = wire::DecodeModuleList(GetAs("", path).body).value();
    ASSERT_EQ(list.modules.size(), 1U);
    EXPECT_EQ(list.modules[0].downloads, 3U) << path;
  }
}

TEST_F(UsageApiTest, TheSummaryTellsDownloadsOfWeekMonthAndYear) {
  const std::string path = "/v2/modules/acme/vpc/aws/downloads/summary";
  auto summary = [&] {
    return wire::Decode<wire::DownloadSummary>(GetAs("", path).body)
        .value_or(wire::DownloadSummary{})
        .data;
  };
  EXPECT_EQ(summary(), (wire::DownloadData{.id = kCountedVpc, .attributes = {}}));
  for (std::uint64_t days_later : {0, 20, 20}) {
    api_.clock.now += static_cast<UnixSeconds>(days_later * 86'400);
    GetAs("", kCountedDownload);
    GetAs("", kCountedDownload, "Renovate/40.0.0");
    api_.WriteUsage();
  }
  api_.clock.now += 60;
  const wire::DownloadData told = summary();
  EXPECT_EQ(told.id, kCountedVpc);
  EXPECT_EQ(told.type, "module-downloads-summary");
  EXPECT_EQ(told.attributes.week, 1U);
  EXPECT_EQ(told.attributes.month, 2U);
  EXPECT_EQ(told.attributes.year, 3U);
  EXPECT_EQ(
      told.attributes.total,
      wire::Decode<wire::ModuleDetails>(GetAs("", "/v1/modules/acme/vpc/aws").body)->downloads)
      << "as the module itself says";
  EXPECT_GE(told.attributes.total, 3U);
}

TEST_F(UsageApiTest, TheSummaryIsForWhoeverMayRead) {
  for (const char* path :
       {"/v2/modules/acme/nothing/aws/downloads/summary",
        "/v2/modules/acme/vpc/%20/downloads/summary",
        "/v2/modules/nobody/vpc/aws/downloads/summary", "/v2/modules/acme/vpc/aws/downloads"}) {
    Reply reply = GetAs("", path);
    EXPECT_TRUE(reply.status == 404U || reply.status == 400U) << path << ": " << reply.status;
    EXPECT_TRUE(reply.Get("Content-Type").starts_with("application/json")) << path;
  }
  api_.token = admin_;
  api_.Ask({.method = http::Method::kPut,
            .path = "/api/v1/namespaces/acme",
            .body = R"({"visibility":"private"})"});
  api_.token.clear();
  const std::string path = "/v2/modules/acme/vpc/aws/downloads/summary";
  EXPECT_EQ(GetAs("", path).status, 404U);
  EXPECT_EQ(GetAs(admin_, path).status, 200U);
}

TEST_F(UsageApiTest, NothingIsCountedWhenItIsOff) {
  api_.usage_rules.enabled = false;
  api_.SettleMirror();
  GetAs("", kCountedDownload);
  const wire::UsageReport report = Report(kVpcUsage);
  EXPECT_FALSE(report.counted);
  EXPECT_EQ(report.total, 0U);
}

}  // namespace
}  // namespace koya::api
