// The policy on releases of other registries: its revisions, and baselines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "policy/policy_file.h"
#include "wire/error_document.h"
#include "wire/policy.h"

namespace koya::api {
namespace {

constexpr std::string_view kCoolDown = R"(version = 1

[[rule]]
name = "cool-down"
match = ["*/*/*"]
minimum_age = "7d"
)";

class PolicyApiTest : public ::testing::Test {
 protected:
  Reply Send(http::Method method, std::string path, std::string query, std::string body) {
    Question question{.method = method,
                      .path = std::move(path),
                      .query = std::move(query),
                      .body = std::move(body)};
    question.fields.emplace_back("Authorization", "Bearer " + admin);
    return api.Ask(question);
  }
  Reply Set(std::string_view text, std::string query = "reason=why") {
    return Send(http::Method::kPut, "/api/v1/policy", std::move(query), std::string(text));
  }
  Reply Post(const std::string& verb, std::string body) {
    return Send(http::Method::kPost, "/api/v1/policy/" + verb, "", std::move(body));
  }
  wire::Policy Policy(const std::string& path = "/api/v1/policy") {
    const Reply reply = api.Get(path);
    EXPECT_EQ(reply.status, 200U) << reply.body;
    const auto policy = wire::Decode<wire::Policy>(reply.body);
    EXPECT_TRUE(policy) << reply.body;
    return policy.value_or(wire::Policy());
  }

  ApiFixture api;
  std::string admin = api.Token(Scope::kAdmin);
};

TEST_F(PolicyApiTest, WithoutAnyThePolicyIsEmpty) {
  const Reply reply = api.Get("/api/v1/policy");
  EXPECT_EQ(reply.body, R"({"revision":0,"toml":"","by":null,"at":null,"reason":null})");
  EXPECT_EQ(api.Get("/api/v1/policy/revisions").body, R"({"revisions":[]})");
  EXPECT_EQ(api.Get("/api/v1/policy/revisions/1").status, 404U);
}

TEST_F(PolicyApiTest, ATextIsInForceByteForByte) {
  const std::string text = std::string(kCoolDown) + "# größe ' \" \\ %0A\n\n";
  Reply reply = Set(text, "reason=wait+a%20week");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  EXPECT_EQ(reply.body, R"({"revision":1})");
  wire::Policy policy = Policy();
  EXPECT_EQ(policy.revision, 1U);
  EXPECT_EQ(policy.toml, text);
  EXPECT_EQ(policy.reason, "wait a week");
  EXPECT_FALSE(policy.by.empty());
  EXPECT_TRUE(policy.at.ends_with("Z")) << policy.at;
  ASSERT_EQ(Set("version = 1", "reason=second&expect=1").status, 200U);
  EXPECT_EQ(Policy("/api/v1/policy/revisions/1"), policy);
  const auto list =
      wire::Decode<wire::PolicyRevisions>(api.Get("/api/v1/policy/revisions").body).value();
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_EQ(list.items[0].revision, 2U);
  EXPECT_EQ(list.items[0].reason, "second");
  EXPECT_EQ(list.items[1], (wire::PolicyRevision{1, policy.by, policy.at, policy.reason}));
  for (const char* wrong : {"0", "3", "x", "-1", "1.0", "99999999999999999999"}) {
    EXPECT_EQ(api.Get(fmt::format("/api/v1/policy/revisions/{}", wrong)).status, 404U) << wrong;
  }
}

TEST_F(PolicyApiTest, AllProblemsOfATextAreSaid) {
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  const Reply reply =
      Set("version = 2\n[[rule]]\nname = \"a\"\nmatch = [\"*/*\"]\nfrobnicate = 1\n");
  ASSERT_EQ(reply.status, 422U) << reply.body;
  const auto problems = wire::Decode<wire::PolicyProblems>(reply.body).value();
  EXPECT_EQ(problems.code, "refused");
  EXPECT_EQ(problems.status, 422U);
  ASSERT_EQ(problems.problems.size(), 4U) << reply.body;
  EXPECT_EQ(problems.problems[0].line, 1U);
  EXPECT_EQ(problems.problems[0].column, 11U);
  EXPECT_EQ(problems.problems.back().line, 5U);
  const auto sentences = wire::DecodeErrors(reply.body);
  ASSERT_EQ(sentences.size(), 4U);
  EXPECT_TRUE(sentences[0].starts_with("line 1, column 11: ")) << sentences[0];
  EXPECT_EQ(Policy().toml, kCoolDown);
}

TEST_F(PolicyApiTest, AnotherRevisionThanTheExpectedOneIsAConflict) {
  EXPECT_EQ(Set(kCoolDown, "reason=r&expect=1").status, 409U);
  ASSERT_EQ(Set(kCoolDown, "reason=r&expect=0").status, 200U);
  const Reply reply = Set("version = 1", "reason=r&expect=0");
  EXPECT_EQ(reply.status, 409U);
  EXPECT_TRUE(reply.body.contains("revision 1, not 0")) << reply.body;
  EXPECT_EQ(Policy().toml, kCoolDown);
}

TEST_F(PolicyApiTest, RequestsThatAreRejected) {
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  const std::string longest(1000, 'x');
  EXPECT_EQ(Set(kCoolDown, "reason=" + longest).status, 200U);
  for (const std::string& query :
       {std::string(), std::string("reason="), "reason=" + longest + "x", std::string("reason=%00"),
        std::string("reason=%FF"), std::string("reason=r&expect=x"),
        std::string("reason=r&expect=-1"), std::string("reason=r&expect="),
        std::string("reason=r&strict=maybe"), std::string("reason=%")}) {
    EXPECT_EQ(Set(kCoolDown, query).status, 400U) << query;
  }
  EXPECT_EQ(Set(std::string(policy::kMostPolicyBytes + 1, '#')).status, 413U);
  EXPECT_EQ(Set("").status, 422U);
  EXPECT_EQ(Set("{}").status, 422U);
  EXPECT_EQ(Set("\xff").status, 422U);
  EXPECT_EQ(Post("rollback", R"({"revision":9,"reason":"r"})").status, 404U);
  for (const char* body : {"", "{}", R"({"revision":1})", R"({"reason":"r"})", "[]",
                           R"({"revision":"1","reason":"r"})", R"({"revision":1,"reason":""})"}) {
    EXPECT_EQ(Post("rollback", body).status, 400U) << body;
  }
  for (const char* body : {"", R"({"pattern":"*/*/*"})", R"({"pattern":"*","reason":"r"})",
                           R"({"reason":"r"})", R"({"pattern":"*/*/*","reason":"a\u0001"})"}) {
    EXPECT_EQ(Post("baseline", body).status, 400U) << body;
  }
  EXPECT_EQ(Policy().revision, 2U);
}

TEST_F(PolicyApiTest, ARollbackIsANewRevision) {
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  ASSERT_EQ(Set("version = 1").status, 200U);
  const Reply reply = Post("rollback", R"({"revision":1,"reason":"builds failed"})");
  EXPECT_EQ(reply.body, R"({"revision":3})");
  EXPECT_EQ(Policy().toml, kCoolDown);
  EXPECT_EQ(Policy().reason, "builds failed");
}

TEST_F(PolicyApiTest, TheFirstRevisionAndABaselineAdmitWhatIsKnown) {
  const auto fetch = [this] {
    ASSERT_EQ(api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions").status, 200U);
    ASSERT_EQ(
        api.Get("/origin/registry.example.org/v1/providers/acme/demo/1.0.0/download/linux/amd64")
            .status,
        200U);
    api.SettleMirror();
  };
  fetch();
  ASSERT_EQ(Set(kCoolDown, "reason=r&strict=true").status, 200U);
  EXPECT_EQ(Post("baseline", R"({"pattern":"*/*/*/*","reason":"r"})").body, R"({"admitted":0})");
  EXPECT_EQ(Post("baseline", R"({"pattern":"*/acme/*","reason":"r"})").body, R"({"admitted":2})");
  EXPECT_EQ(Post("baseline", R"({"pattern":"*/acme/*","reason":"r"})").body, R"({"admitted":0})");
}

TEST_F(PolicyApiTest, ReadersSeeItAndAdministratorsChangeIt) {
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  const std::string limited = api.Token(Scope::kAdmin, {"acme"});
  for (const std::string& token : {std::string(), limited, api.Token(Scope::kRead)}) {
    Question question{.method = http::Method::kPut, .path = "/api/v1/policy", .query = "reason=r"};
    if (!token.empty()) question.fields.emplace_back("Authorization", "Bearer " + token);
    question.body = "version = 1";
    EXPECT_EQ(api.Ask(question).status, token.empty() ? 401U : 403U);
    question.method = http::Method::kGet;
    question.query.clear();
    question.body.clear();
    EXPECT_EQ(api.Ask(question).status, 200U);
  }
  EXPECT_EQ(Policy().revision, 1U);
}

TEST_F(PolicyApiTest, ThePageShowsWhatIsInForceAndWhatWasBefore) {
  FakeBrowser browser(api);
  EXPECT_TRUE(browser.Open("/-/mirror/policy").body.contains("No policy is set"));
  ASSERT_EQ(Set(kCoolDown, "reason=wait+%3Ca%3E+week").status, 200U);
  ASSERT_EQ(Set("version = 1\n# <b>\n", "reason=wait+no+more").status, 200U);
  api.clock.now += 60;
  const std::string body = browser.Open("/-/mirror/policy").body;
  for (const char* words :
       {"wait no more", "version = 1\n# &lt;b&gt;", "wait &lt;a&gt; week", "<h2 id=\"earlier\">"}) {
    EXPECT_TRUE(body.contains(words)) << words << body;
  }
  EXPECT_FALSE(body.contains("cool-down")) << "the text of the earlier one is at its address";
}

}  // namespace
}  // namespace koya::api
