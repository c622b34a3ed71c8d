// /api/v1/mirror/…: the inventory of other registries' packages, for its administrators.
#include <gtest/gtest.h>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "catalog/audit_catalog.h"
#include "domain/audit_record.h"
#include "domain/host_name.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "wire/inventory.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

constexpr const char* kRelease = "/api/v1/mirror/providers/registry.example.net/acme/demo/1.0.0";
constexpr const char* kModule = "/api/v1/mirror/modules/registry.example.net/acme/vpc/aws/1.0.0";

class InventoryApiTest : public ::testing::Test {
 protected:
  InventoryApiTest() { api.token = api.Token(Scope::kAdmin); }

  std::string Zip(const std::string& platform = "linux_amd64") {
    return api.upstream.Zip("1.0.0", *Platform::Parse(platform));
  }
  Reply Send(http::Method method, const std::string& path, std::string body = {}) {
    Question question;
    question.method = method;
    question.path = path;
    question.body = std::move(body);
    return api.Ask(question);
  }
  Reply Put(const std::string& path, std::string body) {
    return Send(http::Method::kPut, path, std::move(body));
  }
  std::string Documents() {
    auto download = api.upstream.Download(
        *HostName::Parse("registry.example.net"), *ProviderAddress::Parse("acme/demo"),
        *Version::Parse("1.0.0"), *Platform::Parse("linux_amd64"), {});
    return wire::Encode(wire::ReleaseDocuments{download->protocols, download->sums,
                                               download->signature, download->keys});
  }

  ApiFixture api;
  const std::string package = std::string(kRelease) + "/linux/amd64";
};

TEST_F(InventoryApiTest, APackageIsImportedListedCheckedAndLetGo) {
  EXPECT_EQ(Put(package, Zip()).status, 201U);
  EXPECT_EQ(Put(package, Zip()).status, 200U);
  EXPECT_EQ(api.Get("/mirror/registry.example.net/acme/demo/1.0.0/"
                    "terraform-provider-demo_1.0.0_linux_amd64.zip")
                .body,
            Zip());
  auto list = wire::Decode<wire::InventoryReleases>(api.Get("/api/v1/mirror/providers").body);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->releases.size(), 1U);
  EXPECT_EQ(list->next, "");
  EXPECT_FALSE(list->releases[0].has_signature);
  EXPECT_TRUE(list->releases[0].packages[0].held);
  auto outcome = wire::Decode<wire::CheckOutcome>(
      Send(http::Method::kPost, package + "/verify", R"({"repair":true})").body);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->state, "ok");
  EXPECT_EQ(Send(http::Method::kDelete, package).status, 204U);
  EXPECT_EQ(Send(http::Method::kDelete, package).status, 204U);
  EXPECT_TRUE(Send(http::Method::kPost, package + "/verify").body.contains("not_held"));
  EXPECT_EQ(api.Get("/mirror/registry.example.net/acme/demo/1.0.0.json").body,
            R"({"archives":{}})");
}

TEST_F(InventoryApiTest, DocumentsComeAndGo) {
  EXPECT_EQ(api.Get(std::string(kRelease) + "/release").status, 404U);
  EXPECT_EQ(Put(std::string(kRelease) + "/release", Documents()).status, 201U);
  EXPECT_EQ(Put(std::string(kRelease) + "/release", Documents()).status, 200U);
  EXPECT_EQ(api.Get(std::string(kRelease) + "/release").body, Documents());
  EXPECT_EQ(Put(std::string(kRelease) + "/release", "{}").status, 400U);
  EXPECT_TRUE(Send(http::Method::kPost, std::string(kRelease) + "/verify").body.contains("\"ok\""));
  EXPECT_EQ(Put(package, Zip("darwin_arm64")).status, 409U);
  EXPECT_EQ(Put(std::string(kRelease) + "/plan9/386", Zip()).status, 409U);
  EXPECT_EQ(Put(package, Zip()).status, 201U);
  EXPECT_EQ(
      api.Get("/origin/registry.example.net/v1/providers/acme/demo/1.0.0/download/linux/amd64")
          .status,
      200U);
}

TEST_F(InventoryApiTest, ModulesLikewise) {
  const std::string archive = koya::Zip({{.name = "main.tf", .content = "# nothing"}});
  EXPECT_EQ(Put(kModule, archive).status, 201U);
  EXPECT_EQ(Put(kModule, archive).status, 200U);
  EXPECT_EQ(Put(kModule, koya::Zip({{.name = "a.tf", .content = "#"}})).status, 409U);
  EXPECT_EQ(api.Get(kModule).body, archive);
  auto list = wire::Decode<wire::InventoryModules>(api.Get("/api/v1/mirror/modules").body);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->modules.size(), 1U);
  EXPECT_EQ(list->modules[0].kind, "zip");
  EXPECT_TRUE(Send(http::Method::kPost, std::string(kModule) + "/verify").body.contains("\"ok\""));
  ASSERT_TRUE(RunTask(api.blobs().RemoveIfOlder(Digest::Of(archive), std::chrono::seconds(0))));
  EXPECT_EQ(api.Get(kModule).status, 500U) << "held, and missing: that is not what 404 says";
  EXPECT_EQ(Send(http::Method::kDelete, kModule).status, 204U);
  EXPECT_EQ(api.Get(kModule).status, 404U);
}

TEST_F(InventoryApiTest, AnImportedZipIsInstalledAsOne) {
  const std::string archive = koya::Zip({{.name = "main.tf", .content = "# nothing"}});
  ASSERT_EQ(Put(kModule, archive).status, 201U);
  constexpr std::string_view kBase = "https://registry.example.com";
  const std::string origin = "/origin/registry.example.net/v1/modules/acme/vpc/aws/1.0.0/";
  std::string location = api.Get(origin + "download").Get("X-Terraform-Get");
  ASSERT_TRUE(location.starts_with(kBase)) << location;
  std::string path = location.substr(kBase.size(), location.find('?') - kBase.size());
  EXPECT_TRUE(path.ends_with(".zip")) << path;
  Reply reply = api.Get(path);
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.body, archive);
  EXPECT_EQ(reply.Get("Content-Type"), "application/zip");
  EXPECT_EQ(api.Get(origin + "acme-vpc-aws-1.0.0.tar.gz").status, 404U);
}

TEST_F(InventoryApiTest, PagesFollowEachOther) {
  for (const char* version : {"1.0.0", "1.1.0", "1.2.0"}) {
    std::string path = "/api/v1/mirror/providers/registry.example.net/acme/demo/";
    ASSERT_EQ(Put(path + version + "/linux/amd64", Zip()).status, 201U);
  }
  std::string next;
  std::vector<std::string> versions;
  do {
    Question question;
    question.path = "/api/v1/mirror/providers";
    question.query = "limit=1&after=" + next;
    auto page = wire::Decode<wire::InventoryReleases>(api.Ask(question).body);
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& release : page->releases) versions.push_back(release.version);
    next = page->next;
  } while (!next.empty() && versions.size() < 10);
  EXPECT_EQ(versions, (std::vector<std::string>{"1.0.0", "1.1.0", "1.2.0"}));
  for (const char* after : {"nothing", "a/b@c", "registry.example.net/acme@1.0.0", "/@1.0.0"}) {
    Question question;
    question.path = "/api/v1/mirror/providers";
    question.query = std::string("after=") + after;
    EXPECT_EQ(api.Ask(question).status, 400U) << after;
  }
}

TEST_F(InventoryApiTest, TheAuditLogNamesWhoDidIt) {
  const std::string archive = koya::Zip({{.name = "main.tf", .content = "# nothing"}});
  EXPECT_EQ(Put(std::string(kRelease) + "/release", Documents()).status, 201U);
  EXPECT_EQ(Put(package, Zip()).status, 201U);
  EXPECT_EQ(Put(package, Zip()).status, 200U);
  EXPECT_EQ(Put(kModule, archive).status, 201U);
  ASSERT_TRUE(RunTask(api.blobs().RemoveIfOlder(Digest::Of(archive), std::chrono::seconds(0))));
  EXPECT_TRUE(Send(http::Method::kPost, std::string(kModule) + "/verify").body.contains("missing"));
  EXPECT_EQ(Put(kModule, archive).status, 201U);
  EXPECT_EQ(Send(http::Method::kDelete, kModule).status, 204U);
  EXPECT_EQ(Send(http::Method::kDelete, package).status, 204U);
  std::vector<std::string> actions;
  for (const AuditRecord& record :
       RunTask(api.catalog().audit().ListAudit({.action = "mirror"}, 10)).value()) {
    EXPECT_EQ(record.entry.by.name, "token:t1");
    EXPECT_EQ(record.entry.by.token, "t1");
    EXPECT_NE(record.entry.by.request_id, "");
    EXPECT_EQ(record.entry.ns, "");
    actions.push_back(record.entry.action.substr(7) + " " + record.entry.target.substr(0, 6));
  }
  EXPECT_EQ(actions, (std::vector<std::string>{"remove provid", "remove module", "import module",
                                               "remove module", "import module", "import provid",
                                               "import provid"}));
}

TEST_F(InventoryApiTest, WhatIsRefused) {
  struct Case {
    std::string path;
    unsigned status;
    const char* words;
  };
  const std::string base = "/api/v1/mirror/providers/";
  const Case kCases[] = {
      {base + "registry.example.com/acme/demo/1.0.0/linux/amd64", 400, "own name"},
      {base + "no_host/acme/demo/1.0.0/linux/amd64", 400, "no_host"},
      {base + "registry.example.net/a.b/demo/1.0.0/linux/amd64", 400, "a.b"},
      {base + "registry.example.net/acme/demo/1.0/linux/amd64", 400, "1.0"},
      {base + "registry.example.net/acme/demo/0.0.0/linux/amd64", 400, "0.0.0"},
      {base + "registry.example.net/acme/demo/1.0.0/linux/amd65", 400, "amd65"},
      {base + "registry.example.net/denied/demo/1.0.0/linux/amd64", 403, "*/denied/*"}};
  api.Deny("*/denied/*");
  for (const Case& bad : kCases) {
    Reply reply = Put(bad.path, Zip());
    EXPECT_EQ(reply.status, bad.status) << bad.path << reply.body;
    EXPECT_TRUE(reply.body.contains(bad.words)) << reply.body;
  }
  EXPECT_EQ(Put(package, "no zip").status, 422U);
  for (Scope scope : {Scope::kRead, Scope::kPublish}) {
    api.token = api.Token(scope);
    EXPECT_EQ(Put(package, Zip()).status, 403U);
    EXPECT_EQ(Send(http::Method::kDelete, package).status, 403U);
    EXPECT_EQ(Send(http::Method::kPost, package + "/verify").status, 403U);
    EXPECT_EQ(Put(kModule, "x").status, 403U);
  }
  api.token.clear();
  EXPECT_EQ(Put(std::string(kRelease) + "/release", Documents()).status, 401U);
  EXPECT_EQ(api.Get("/api/v1/mirror/providers").status, 200U) << "reading is open";
}

}  // namespace
}  // namespace koya::api
