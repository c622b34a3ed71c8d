// Documents for updaters: of own things, of mirrored ones, and who gets them.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"

namespace koya::api {
namespace {

constexpr const char* kRenovateOwn = "/api/v1/renovate/modules/registry.example.com/acme/vpc/aws";
constexpr const char* kRenovateModule =
    "/api/v1/renovate/modules/registry.example.org/acme/vpc/aws";
constexpr const char* kRenovateProvider =
    "/api/v1/renovate/providers/registry.example.org/acme/demo";

class RenovateApiTest : public ::testing::Test {
 protected:
  void SetUp() override { api.token = api.Token(Scope::kAdmin); }

  ApiFixture api;
};

TEST_F(RenovateApiTest, ListsOwnVersionsWithTheirTimes) {
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("one")).status, 201U);
  ASSERT_EQ(api.Publish("acme/vpc/aws", "2.0.0-rc.1", ModuleArchive("two")).status, 201U);
  Reply reply = api.Get(kRenovateOwn);
  ASSERT_EQ(reply.status, 200U) << reply.body;
  EXPECT_EQ(reply.Get("Content-Type"), "application/json");
  for (const char* part :
       {R"("version":"1.0.0","releaseTimestamp":"20)",
        R"("changelogUrl":"https://registry.example.com/modules/acme/vpc/aws/1.0.0/changes")",
        R"("digest":"sha256:)", R"("tags":{"latest":"1.0.0"})"}) {
    EXPECT_TRUE(reply.body.contains(part)) << part << reply.body;
  }
  EXPECT_FALSE(reply.body.contains("sourceUrl")) << "no CI job published it";
  EXPECT_EQ(api.Get("/api/v1/renovate/modules/REGISTRY.example.com/ACME/vpc/aws").body, reply.body);
}

TEST_F(RenovateApiTest, ListsMirroredVersionsWithTheTimesThatAreKnown) {
  api.upstream_modules.discovered["1.1.0"] = "2026-04-07T10:11:12Z";
  Reply module = api.Get(kRenovateModule);
  EXPECT_EQ(module.status, 200U);
  EXPECT_EQ(module.body,
            R"({"releases":[{"version":"1.1.0","releaseTimestamp":"2026-04-07T10:11:12Z"},)"
            R"({"version":"1.0.0"}],"tags":{"latest":"1.1.0"}})");
  Reply provider = api.Get(kRenovateProvider);
  EXPECT_EQ(provider.status, 200U);
  EXPECT_EQ(provider.body,
            R"({"releases":[{"version":"1.0.0"},{"version":"1.1.0"}],"tags":{"latest":"1.1.0"}})");
}

TEST_F(RenovateApiTest, ListsTheRepositoryThatThePublisherStates) {
  Question put{.method = http::Method::kPut,
               .path = "/api/v1/modules/acme/vpc/aws/1.0.0",
               .query = "source_url=git%40github.com%3Aacme%2Fnetwork%2F%2Fmodules%2Fvpc",
               .body = ModuleArchive("one")};
  put.fields = {{"Authorization", "Bearer " + api.Token(Scope::kPublish)}};
  const Reply published = api.Ask(put);
  ASSERT_EQ(published.status, 201U) << published.body;
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("two")).status, 201U);
  const std::string body = api.Get(kRenovateOwn).body;
  const std::string source =
      R"("sourceUrl":"https://github.com/acme/network","sourceDirectory":"modules/vpc")";
  EXPECT_TRUE(body.contains(source)) << body;
  EXPECT_EQ(body.find(source), body.rfind(source)) << "of the version that stated it";
  EXPECT_TRUE(api.Get("/v1/modules/acme/vpc/aws/1.0.0")
                  .body.contains(R"("source":"https://github.com/acme/network")"));
  EXPECT_TRUE(api.Get("/v1/modules/acme/vpc/aws/1.0.0")
                  .body.contains(R"("source_url":"https://github.com/acme/network")"));
  EXPECT_TRUE(api.Get("/modules/acme/vpc/aws/1.0.0.json").body.contains(R"("source_url":"https:)"));
  EXPECT_TRUE(api.Get("/modules/acme/vpc/aws/1.0.0")
                  .body.contains(R"(<a href="https://github.com/acme/network" rel="external )"));
  EXPECT_FALSE(api.Get("/modules/acme/vpc/aws/1.1.0").body.contains(R"(href="https://github)"));
  EXPECT_FALSE(api.Get("/v1/modules/acme/vpc/aws/1.1.0").body.contains(R"("source":"https)"));
  for (const char* query :
       {"source_url=http%3A%2F%2Fme%3Asecret%40github.com%2Facme%2Fvpc", "source_url=acme%2Fvpc",
        "source_url=https%3A%2F%2Fgithub.com%2Facme%2Fvpc%3Ftoken%3Dsecret",
        "dry_run=true&source_url=https%3A%2F%2Fgithub.com%2Facme%2Fvpc%2F%2F..%2Fx"}) {
    put.path = "/api/v1/modules/acme/vpc/aws/2.0.0";
    put.query = query;
    const Reply reply = api.Ask(put);
    EXPECT_EQ(reply.status, 422U) << query << reply.body;
    EXPECT_TRUE(reply.body.contains("source_url cannot be stored")) << reply.body;
    EXPECT_FALSE(reply.body.contains("secret")) << reply.body;
  }
}

TEST_F(RenovateApiTest, UnknownThingsAreNotFound) {
  for (const char* path : {kRenovateOwn, "/api/v1/renovate/modules/registry.example.com/_/vpc/aws",
                           "/api/v1/renovate/modules/other.example.org/acme/vpc/aws",
                           "/api/v1/renovate/modules/-/acme/vpc/aws",
                           "/api/v1/renovate/modules/registry.example.com:8443/acme/vpc/aws",
                           "/api/v1/renovate/providers/registry.example.com/acme/demo",
                           "/api/v1/renovate/providers/other.example.org/acme/demo"}) {
    EXPECT_EQ(api.Get(path).status, 404U) << path;
  }
}

TEST_F(RenovateApiTest, ADeniedThingHasNoVersions) {
  using Denied = std::pair<const char*, const char*>;
  for (const auto& [pattern, path] :
       {Denied("*/acme/*/*", kRenovateModule), Denied("*/acme/*", kRenovateProvider)}) {
    api.Deny(pattern);
    const Reply reply = api.Get(path);
    EXPECT_EQ(reply.status, 200U) << path;
    EXPECT_EQ(reply.body, R"({"releases":[]})") << path;
  }
}

TEST_F(RenovateApiTest, APrivateModuleIsForItsReaders) {
  ASSERT_EQ(api.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
  const std::string admin = api.Token(Scope::kAdmin);
  Question hide{.method = http::Method::kPut,
                .path = "/api/v1/namespaces/acme",
                .body = R"({"visibility":"private"})"};
  hide.fields = {{"Authorization", "Bearer " + admin}};
  ASSERT_LT(api.Ask(hide).status, 300U);
  Question ask{.path = kRenovateOwn};
  api.token.clear();
  const Reply hidden = api.Ask(ask);
  EXPECT_EQ(hidden.status, 404U);
  ask.path = "/api/v1/renovate/modules/registry.example.com/acme/nothing/aws";
  EXPECT_EQ(api.Ask(ask).body, hidden.body);
  ask = {.path = kRenovateOwn,
         .fields = {{"Authorization", "Bearer " + api.Token(Scope::kRead, {"acme"})}}};
  const Reply shown = api.Ask(ask);
  EXPECT_EQ(shown.status, 200U);
  EXPECT_EQ(shown.Get("Cache-Control"), "private, no-cache");
}

TEST_F(RenovateApiTest, RegistriesBehindItHaveTheirOwnDiscovery) {
  Reply reply = api.Get("/origin/registry.example.org/.well-known/terraform.json");
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(
      reply.body,
      R"({"modules.v1":"https://registry.example.com/origin/registry.example.org/v1/modules/",)"
      R"("providers.v1":"https://registry.example.com/origin/registry.example.org/v1/providers/"})");
  EXPECT_TRUE(api.Get("/origin/registry.example.com/.well-known/terraform.json")
                  .body.contains(R"("modules.v1":"https://registry.example.com/v1/modules/")"));
  EXPECT_EQ(api.Get("/origin/-/.well-known/terraform.json").status, 404U);
}

}  // namespace
}  // namespace koya::api
