// /api/v1/verify and …/verify of packages that are published here.
#include <gtest/gtest.h>

#include "api/common/api_fixture_fake.h"
#include "archive/archive_builder_fake.h"
#include "base/run_task.h"
#include "catalog/module_catalog.h"
#include "domain/module_address.h"
#include "domain/version.h"
#include "inspect/changes.h"
#include "wire/provider_publishing.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

class VerifyApiTest : public ::testing::Test {
 protected:
  VerifyApiTest() {
    api.token = api.Token(Scope::kAdmin);
    EXPECT_EQ(api.Publish("acme/vpc/aws", "1.0.0", koya::Zip({{.name = "main.tf"}})).status, 201U);
    const std::string release = "/api/v1/providers/acme/demo/1.0.0";
    auto draft = wire::Decode<wire::Draft>(Send(http::Method::kPost, release + "/drafts").body);
    const std::string path = release + "/drafts/" + draft->id;
    Send(http::Method::kPut, path + "/files/terraform-provider-demo_1.0.0_linux_amd64.zip",
         koya::Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "binary"}}));
    EXPECT_EQ(Send(http::Method::kPost, path + "/commit", R"({"sign":true})").status, 201U);
  }

  Reply Send(http::Method method, const std::string& path, std::string body = {}) {
    Question question;
    question.method = method;
    question.path = path;
    question.body = std::move(body);
    return api.Ask(question);
  }
  Reply List(const std::string& query = {}) {
    Question question;
    question.path = "/api/v1/verify";
    question.query = query;
    return api.Ask(question);
  }
  std::string StateOf(const std::string& path, std::string wish = {}) {
    auto outcome =
        wire::Decode<wire::CheckOutcome>(Send(http::Method::kPost, path + "/verify", wish).body);
    return outcome ? outcome->state : outcome.error().message;
  }

  ApiFixture api;
  const std::string module = "/api/v1/modules/acme/vpc/aws/1.0.0";
  const std::string provider = "/api/v1/providers/acme/demo/1.0.0";
};

TEST_F(VerifyApiTest, EverythingIsListedAndCanBeChecked) {
  auto page = wire::Decode<wire::StoredArtifacts>(List().body);
  ASSERT_TRUE(page) << page.error().message;
  std::vector<std::string> names;
  for (const wire::StoredArtifact& thing : page->things) names.push_back(thing.Name());
  EXPECT_EQ(names, (std::vector<std::string>{"acme/vpc/aws 1.0.0", "acme/demo 1.0.0 SHA256SUMS",
                                             "acme/demo 1.0.0 linux_amd64"}));
  EXPECT_EQ(page->next, "");
  EXPECT_EQ(wire::Decode<wire::StoredArtifacts>(List("of=mirror").body)->things.size(), 0U);
  EXPECT_EQ(List("of=everything").status, 400U);
  EXPECT_EQ(List("after=nowhere").status, 400U);
  for (const std::string& path : {module, provider, provider + "/linux/amd64"}) {
    EXPECT_EQ(StateOf(path), "ok");
    EXPECT_EQ(StateOf(path, R"({"quick":true})"), "ok");
    EXPECT_EQ(Send(http::Method::kPost, path + "/verify", "[]").status, 400U);
  }
  EXPECT_EQ(Send(http::Method::kPost, "/api/v1/modules/acme/vpc/aws/2.0.0/verify").status, 404U);
  EXPECT_EQ(Send(http::Method::kPost, provider + "/plan9/386/verify").status, 404U);
}

TEST_F(VerifyApiTest, WhatIsGoneIsMissing) {
  auto record = RunTask(api.catalog().modules().FindVersion(*ModuleAddress::Parse("acme/vpc/aws"),
                                                            *Version::Parse("1.0.0")));
  ASSERT_TRUE(RunTask(api.blobs().RemoveIfOlder(record->digest, std::chrono::seconds(-1))));
  EXPECT_EQ(StateOf(module), "missing");
  EXPECT_EQ(api.Publish("acme/vpc/aws", "1.0.0", koya::Zip({{.name = "main.tf"}})).status, 200U);
  EXPECT_EQ(StateOf(module), "ok");
}

TEST_F(VerifyApiTest, AuthorsMayCheckTheirOwnAndNobodyElses) {
  api.token = api.Token(Scope::kPublish, {"acme"});
  EXPECT_EQ(StateOf(module), "ok");
  EXPECT_EQ(List().status, 403U);
  api.token = api.Token(Scope::kPublish, {"other"});
  EXPECT_EQ(Send(http::Method::kPost, module + "/verify").status, 403U);
  EXPECT_EQ(Send(http::Method::kPost, provider + "/verify").status, 403U);
  EXPECT_EQ(Send(http::Method::kPost, provider + "/linux/amd64/verify").status, 403U);
  api.token = api.Token(Scope::kRead);
  EXPECT_EQ(Send(http::Method::kPost, module + "/verify").status, 403U);
}

}  // namespace
}  // namespace koya::api
