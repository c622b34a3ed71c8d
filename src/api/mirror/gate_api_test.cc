// The gate on every route that hands out releases of other registries: for each verdict, whether
// the version was handed out before or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "api/common/api_fixture_fake.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/policy_catalog.h"
#include "domain/actor.h"
#include "domain/policy_record.h"

namespace koya::api {
namespace {

constexpr std::string_view kHeldVersion = "1.1.0";

// Answers of routes about 1.1.0 while it is stopped.
enum class Stopped {
  kUnlisted,   // 200, without the version
  kNoArchive,  // 200, an empty document
  kForbidden,  // 403, with the reason
  kUngated,    // it hands out nothing of a release
};

struct GatedRoute {
  std::string_view path;
  Stopped answer = Stopped::kForbidden;
};

const std::map<std::string_view, GatedRoute> kGatedRoutes = {
    {"/mirror/{hostname}/{namespace}/{type}/{file}",
     {"/mirror/registry.example.org/acme/demo/index.json", Stopped::kUnlisted}},
    // The same route.
    {"/mirror/…/VERSION.json",
     {"/mirror/registry.example.org/acme/demo/1.1.0.json", Stopped::kNoArchive}},
    {"/mirror/{hostname}/{namespace}/{type}/{version}/{file}",
     {"/mirror/registry.example.org/acme/demo/1.1.0/"
      "terraform-provider-demo_1.1.0_linux_amd64.zip"}},
    {"/mirror/…/SHA256SUMS",
     {"/mirror/registry.example.org/acme/demo/1.1.0/terraform-provider-demo_1.1.0_SHA256SUMS"}},
    {"/mirror/…/SHA256SUMS.sig",
     {"/mirror/registry.example.org/acme/demo/1.1.0/terraform-provider-demo_1.1.0_SHA256SUMS.sig"}},
    {"/origin/{hostname}/.well-known/terraform.json",
     {"/origin/registry.example.org/.well-known/terraform.json", Stopped::kUngated}},
    {"/origin/{hostname}/v1/providers/{namespace}/{type}/versions",
     {"/origin/registry.example.org/v1/providers/acme/demo/versions", Stopped::kUnlisted}},
    {"/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}",
     {"/origin/registry.example.org/v1/providers/acme/demo/1.1.0/download/linux/amd64"}},
    {"/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/attachments/{file}",
     {"/origin/registry.example.org/v1/providers/acme/demo/1.1.0/attachments/demo.cdx.json"}},
    {"/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions",
     {"/origin/registry.example.org/v1/modules/acme/vpc/aws/versions", Stopped::kUnlisted}},
    {"/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download",
     {"/origin/registry.example.org/v1/modules/acme/vpc/aws/1.1.0/download"}},
    {"/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}",
     {"/origin/registry.example.org/v1/modules/acme/vpc/aws/1.1.0/acme-vpc-aws-1.1.0.tar.gz"}},
    {"/api/v1/renovate/modules/{hostname}/{namespace}/{name}/{system}",
     {"/api/v1/renovate/modules/registry.example.org/acme/vpc/aws", Stopped::kUnlisted}},
    {"/api/v1/renovate/providers/{hostname}/{namespace}/{type}",
     {"/api/v1/renovate/providers/registry.example.org/acme/demo", Stopped::kUnlisted}},
};

class GateApiTest : public ::testing::Test {
 protected:
  GateApiTest() { api.upstream.Attach("demo.cdx.json", R"({"bomFormat":"CycloneDX"})"); }

  // Rules that let 1.0.0 through, and stop 1.1.0 unless it was admitted.
  static std::string Rules(std::string_view condition) {
    return fmt::format(
        "version = 1\n[[rule]]\nname = \"the-rule\"\nmatch = [\"*/*/*\", \"*/*/*/*\"]\n"
        "versions = \">= 1.1.0\"\n{}\n",
        condition);
  }
  void Set(std::string toml) {
    ASSERT_TRUE(RunTask(api.catalog().policy().SetPolicy(
        Actor(), {.text = std::move(toml), .reason = "r", .admits_pinned = false})));
  }
  void ExpectServed(const GatedRoute& route) {
    Reply reply = api.Get(std::string(route.path));
    EXPECT_TRUE(reply.status == 200 || reply.status == 204) << route.path << " " << reply.status;
    if (route.answer == Stopped::kUnlisted) {
      EXPECT_TRUE(reply.body.contains(kHeldVersion)) << route.path << " " << reply.body;
    }
    if (route.answer == Stopped::kNoArchive) {
      EXPECT_NE(reply.body, R"({"archives":{}})") << route.path;
    }
  }
  void ExpectStopped(const GatedRoute& route) {
    Reply reply = api.Get(std::string(route.path));
    switch (route.answer) {
      case Stopped::kUngated:
        EXPECT_EQ(reply.status, 200U) << route.path;
        break;
      case Stopped::kNoArchive:
        EXPECT_EQ(reply.status, 200U) << route.path;
        EXPECT_EQ(reply.body, R"({"archives":{}})") << route.path;
        break;
      case Stopped::kUnlisted:
        EXPECT_EQ(reply.status, 200U) << route.path;
        EXPECT_FALSE(reply.body.contains("\"1.1.0\"")) << route.path << " " << reply.body;
        EXPECT_TRUE(reply.body.contains("\"1.0.0\"")) << route.path << " " << reply.body;
        break;
      case Stopped::kForbidden:
        EXPECT_EQ(reply.status, 403U) << route.path;
        EXPECT_TRUE(reply.body.contains("rule the-rule")) << route.path << " " << reply.body;
        break;
    }
  }

  ApiFixture api;
};

TEST_F(GateApiTest, EveryRouteOfOtherRegistriesIsInTheTable) {
  for (const Route& route : Routes()) {
    const std::string_view pattern = route.pattern;
    const bool mirrored = pattern.starts_with("/mirror/") || pattern.starts_with("/origin/") ||
                          (pattern.starts_with("/api/v1/renovate/"));
    EXPECT_TRUE(!mirrored || kGatedRoutes.contains(pattern))
        << pattern << ": add it to the table, and have it judged by the gate";
  }
}

TEST_F(GateApiTest, AStoppedVersionIsStoppedOnEveryRoute) {
  for (const char* condition : {"minimum_age = \"7d\"", "deny = true"}) {
    SCOPED_TRACE(condition);
    Set(Rules(condition));
    for (const auto& [pattern, route] : kGatedRoutes) ExpectStopped(route);
  }
}

TEST_F(GateApiTest, AnAdmittedVersionIsServedOnEveryRouteUnlessARuleSaysOtherwise) {
  Set("version = 1\n");
  for (const auto& [pattern, route] : kGatedRoutes) ExpectServed(route);
  api.SettleMirror();
  Set(Rules("minimum_age = \"7d\""));
  for (const auto& [pattern, route] : kGatedRoutes) ExpectServed(route);
  Set(Rules("minimum_age = \"7d\"\nadmitted = \"note\""));
  for (const auto& [pattern, route] : kGatedRoutes) ExpectServed(route);
  Set(Rules("minimum_age = \"7d\"\nadmitted = \"refuse\""));
  for (const auto& [pattern, route] : kGatedRoutes) ExpectStopped(route);
  Set(Rules("deny = true"));
  for (const auto& [pattern, route] : kGatedRoutes) ExpectStopped(route);
}

TEST_F(GateApiTest, ListsSayWhyTheNewestIsHeld) {
  Set(Rules("minimum_age = \"7d\""));
  Reply reply = api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions");
  EXPECT_TRUE(
      reply.body.contains("\"warnings\":[\"registry.example.org/acme/demo 1.1.0 is held "
                          "until 2026-11-28T16:41:10Z: releases must be 7 days old"))
      << reply.body;
}

TEST_F(GateApiTest, AHeldVersionIsListedWhenItsTimeHasCome) {
  Set(Rules("minimum_age = \"200s\""));
  const std::string path = "/mirror/registry.example.org/acme/demo/index.json";
  EXPECT_FALSE(api.Get(path).body.contains("1.1.0"));
  api.clock.now += 199;  // within the list's freshness
  EXPECT_FALSE(api.Get(path).body.contains("1.1.0"));
  api.clock.now += 1;
  EXPECT_TRUE(api.Get(path).body.contains("1.1.0"));
}

}  // namespace
}  // namespace koya::api
