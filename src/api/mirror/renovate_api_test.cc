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
