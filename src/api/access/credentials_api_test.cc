// Tokens sent along to the routes that anonymous callers may read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "base/clock.h"
#include "base/encoding.h"

namespace koya::api {
namespace {

constexpr const char* kVpcVersions = "/v1/modules/acme/vpc/aws/versions";
constexpr const char* kDiscoveryPath = "/.well-known/terraform.json";

bool IsReadByGet(const Route& route) {
  return IsReading(route.access) && route.method == http::Method::kGet;
}

class CredentialsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    api_.token = api_.Token(Scope::kAdmin);
    ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
    api_.token.clear();
  }

  Reply Ask(std::string path, const std::string& authorization) {
    return api_.Ask({.path = std::move(path), .fields = {{"authorization", authorization}}});
  }
  // A path that the pattern matches, of things that may not exist.
  static std::string PathOf(std::string_view pattern) {
    std::string path;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '{') {
        path += pattern[i];
        continue;
      }
      std::string_view name = pattern.substr(i, pattern.find('}', i) + 1 - i);
      path += name == "{version}" ? "1.0.0" : name == "{hostname}" ? "registry.example.org" : "a";
      i += name.size() - 1;
    }
    return path;
  }

  // The field that clients make of a line in a .netrc.
  static std::string BasicOf(std::string_view pair) {
    return "Basic " + Base64Encode(std::as_bytes(std::span(pair)));
  }
  // Without a Koya token, well-formed and malformed.
  static std::vector<std::string> BasicWithoutToken() {
    return {BasicOf("user:password"),
            BasicOf("user"),
            BasicOf("\xff\xfe:\xff"),
            "Basic !",
            "Basic",
            "basic " + std::string(8000, 'A'),
            BasicOf("koya_user:secret"),
            BasicOf("user:Koya_" + std::string(43, 'a'))};
  }

  // Revoked, expired, unknown, mistyped, of another scheme, and none at all.
  std::vector<std::string> BadOnes() {
    std::string admin = api_.Token(Scope::kAdmin);
    std::string revoked = api_.Token(Scope::kRead);
    std::string expired = api_.Token(Scope::kRead, {}, std::chrono::seconds(10));
    api_.token = admin;
    api_.Ask({.method = http::Method::kDelete, .path = "/api/v1/tokens/t3"});
    api_.token.clear();
    api_.clock.now += 10;
    return {"Bearer " + revoked,
            "Bearer " + expired,
            "Bearer koya_" + std::string(43, 'a'),
            "Bearer " + admin.substr(0, admin.size() - 1),
            "Bearer " + std::string(5000, 'a'),
            "Bearer",
            "Digest koya_" + std::string(43, 'a'),
            ""};
  }

  ApiFixture api_;
};

TEST_F(CredentialsTest, ATokenThatIsNotGoodIsRefusedWhereAnybodyMayRead) {
  std::vector<std::string> bad = BadOnes();
  for (const Route& route : Routes()) {
    if (!IsReadByGet(route)) continue;
    for (const std::string& each : bad) {
      Reply reply = Ask(PathOf(route.pattern), each);
      EXPECT_EQ(reply.status, 401U) << route.pattern << " " << each.substr(0, 60);
    }
    EXPECT_NE(api_.Get(PathOf(route.pattern)).status, 401U) << route.pattern;
  }
}

TEST_F(CredentialsTest, ABadTokenIsRefusedInBasicAsInBearer) {
  std::vector<std::string> bad = BadOnes();
  std::erase_if(bad, [](const std::string& each) { return !each.starts_with("Bearer koya_"); });
  ASSERT_EQ(bad.size(), 4U);
  for (const Route& route : Routes()) {
    if (!IsReadByGet(route)) continue;
    for (const std::string& each : bad) {
      const std::string token = each.substr(7);
      Reply basic = Ask(PathOf(route.pattern), BasicOf("any:" + token));
      EXPECT_EQ(basic.status, 401U) << route.pattern;
      if (IsForPeople(route.access)) continue;  // pages have a new form token each time
      EXPECT_EQ(basic.body, Ask(PathOf(route.pattern), each).body) << route.pattern;
    }
  }
  EXPECT_TRUE(Ask(kVpcVersions, BasicOf("any:" + bad[1].substr(7))).body.contains("expired at"));
}

TEST_F(CredentialsTest, BasicWithoutATokenCountsAsNoCredentials) {
  for (const Route& route : Routes()) {
    if (!IsReadByGet(route)) continue;
    const Reply plain = api_.Get(PathOf(route.pattern));
    for (const std::string& each : BasicWithoutToken()) {
      EXPECT_EQ(Ask(PathOf(route.pattern), each).status, plain.status)
          << route.pattern << " " << each.substr(0, 60);
    }
  }
  for (const std::string& each : BasicWithoutToken()) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Ask(kVpcVersions, each).status, 200U) << each;
  }
}

TEST_F(CredentialsTest, ATokenReadsWhatIsPrivateInBasicToo) {
  const std::string reader = api_.Token(Scope::kRead, {"acme"});
  api_.token = api_.Token(Scope::kAdmin);
  ASSERT_LT(api_.Ask({.method = http::Method::kPut,
                      .path = "/api/v1/namespaces/acme",
                      .body = R"({"visibility":"private"})"})
                .status,
            300U);
  api_.token.clear();
  const Reply hidden = api_.Get(kVpcVersions);
  ASSERT_EQ(hidden.status, 404U);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(Ask(kVpcVersions, BasicOf("x:" + reader)).status, 200U) << i;
  for (const std::string& each : BasicWithoutToken()) {
    EXPECT_EQ(Ask(kVpcVersions, each).body, hidden.body) << each;
  }
}

// A .netrc must not give a program more than the token that it was given for itself.
TEST_F(CredentialsTest, BasicIsNotTakenWhereSomethingChanges) {
  const std::string admin = BasicOf("x:" + api_.Token(Scope::kAdmin));
  for (const Route& route : Routes()) {
    if (IsOpen(route.access)) continue;
    Reply reply = api_.Ask({.method = route.method,
                            .path = PathOf(route.pattern),
                            .fields = {{"authorization", admin}}});
    EXPECT_EQ(reply.status, 401U) << route.pattern;
  }
}

TEST_F(CredentialsTest, WhatIsHeldInMemoryIsNoLessGuarded) {
  ASSERT_EQ(api_.Get(kVpcVersions).status, 200U);
  ASSERT_EQ(api_.Get(kVpcVersions).status, 200U);
  for (const std::string& each : BadOnes()) EXPECT_EQ(Ask(kVpcVersions, each).status, 401U) << each;
}

TEST_F(CredentialsTest, DiscoveryNeverLooksAtThem) {
  for (const std::string& each : BadOnes())
    EXPECT_EQ(Ask(kDiscoveryPath, each).status, 200U) << each;
}

TEST_F(CredentialsTest, AGoodTokenGetsWhatEverybodyGets) {
  std::string plain = api_.Get(kVpcVersions).body;
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin}) {
    std::string bearer = "Bearer " + api_.Token(scope, {"elsewhere"});
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Ask(kVpcVersions, bearer).body, plain) << i;
  }
}

TEST_F(CredentialsTest, ARevokedTokenIsRefusedByTheNextRequest) {
  std::string admin = api_.Token(Scope::kAdmin);
  std::string reader = "Bearer " + api_.Token(Scope::kRead);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Ask(kVpcVersions, reader).status, 200U);
  api_.token = admin;
  ASSERT_EQ(api_.Ask({.method = http::Method::kDelete, .path = "/api/v1/tokens/t3"}).status, 204U);
  api_.token.clear();
  EXPECT_EQ(Ask(kVpcVersions, reader).status, 401U);
}

TEST_F(CredentialsTest, ATokenEndsAfterNinetyDaysUnlessItIsToldOtherwise) {
  api_.token = api_.Token(Scope::kAdmin);
  auto made = [this](std::string name, std::string end) {
    return api_.Ask({.method = http::Method::kPost,
                     .path = "/api/v1/tokens",
                     .body = R"({"name":")" + name + R"(","scope":"read")" + end + "}"});
  };
  const std::string usual =
      FormatRfc3339(api_.clock.Now() + std::chrono::seconds(std::chrono::days(90)).count());
  EXPECT_TRUE(made("a", "").body.contains("\"expires\":\"" + usual + "\""));
  EXPECT_TRUE(made("b", R"(,"expires":null)").body.contains("\"expires\":\"" + usual + "\""));
  EXPECT_TRUE(made("c", R"(,"expires":"never")").body.contains(R"("expires":null)"));
  EXPECT_EQ(made("d", R"(,"expires":"ever")").status, 400U);
}

TEST_F(CredentialsTest, ARotatedTokensOldTextIsRefusedAndItsNewOneShownOnce) {
  std::string old = "Bearer " + api_.Token(Scope::kRead);
  ASSERT_EQ(Ask(kVpcVersions, old).status, 200U);
  api_.token = api_.Token(Scope::kAdmin);
  Question rotate{.method = http::Method::kPost, .path = "/api/v1/tokens/t2/rotate"};
  Reply rotated = api_.Ask(rotate);
  ASSERT_EQ(rotated.status, 200U) << rotated.body;
  rotate.body = R"({"expires":"1 day"})";
  EXPECT_EQ(api_.Ask(rotate).status, 400U);
  std::string listed = api_.Get("/api/v1/tokens").body;
  api_.token.clear();
  EXPECT_EQ(Ask(kVpcVersions, old).status, 401U);
  std::size_t begin = rotated.body.find("koya_");
  ASSERT_NE(begin, std::string::npos) << rotated.body;
  std::string text = rotated.body.substr(begin, rotated.body.find('"', begin) - begin);
  EXPECT_EQ(Ask(kVpcVersions, "Bearer " + text).status, 200U);
  EXPECT_FALSE(listed.contains(text));
  EXPECT_TRUE(listed.contains(R"("created_by":"t3")")) << listed;
}

}  // namespace
}  // namespace koya::api
