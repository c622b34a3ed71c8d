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
#include "wire/inventory.h"
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
  Reply Ask(const std::string& what, std::string query = "") {
    return api.Ask({.path = "/api/v1/policy/" + what, .query = std::move(query)});
  }
  // As anybody who may use the mirror.
  Reply Test(std::string text, std::string query = "") {
    return api.Ask({.method = http::Method::kPost,
                    .path = "/api/v1/policy/test",
                    .query = std::move(query),
                    .body = std::move(text)});
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
  EXPECT_EQ(reply.body, R"({"revision":0,"toml":"","by":null,"at":null,"reason":null,"rules":[]})");
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

TEST_F(PolicyApiTest, RulesAreCountedUnderTheirRevision) {
  using Rules = std::vector<wire::PolicyRule>;
  const std::string list = "/origin/registry.example.org/v1/providers/acme/demo/versions";
  const std::string document =
      "/origin/registry.example.org/v1/providers/acme/demo/1.0.0/download/linux/amd64";
  api.Deny("*/other/*");
  ASSERT_EQ(api.Get(list).status, 200U);
  ASSERT_EQ(Set(std::string(kCoolDown) + "[[rule]]\nname = \"no-1.0\"\nmatch = [\"*/*/*\"]\n"
                                         "versions = \"1.0.0\"\ndeny = true\n")
                .status,
            200U);
  EXPECT_EQ(Policy().rules, (Rules{{"cool-down"}, {"no-1.0"}, {"policy.deny"}}));
  ASSERT_EQ(api.Get(list).status, 200U);
  ASSERT_EQ(api.Get(document).status, 403U);
  ASSERT_EQ(api.Get(document).status, 403U);
  ASSERT_EQ(api.Get("/origin/registry.example.org/v1/providers/other/demo/1.0.0/download/linux/"
                    "amd64")
                .status,
            403U);
  api.WriteMirrorCounts();
  const Rules counted = {{"cool-down", 3, 0}, {"no-1.0", 0, 3}, {"policy.deny", 0, 1}};
  EXPECT_EQ(Policy().rules, counted);
  FakeBrowser browser(api);
  const std::string page = browser.Open("/-/mirror/policy").body;
  EXPECT_TRUE(page.contains("<code>cool-down</code></th><td class=\"r num\">3</td>")) << page;
  EXPECT_TRUE(page.contains("Policy <span class=\"n\">3</span>")) << page;
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  EXPECT_EQ(Policy().rules, (Rules{{"cool-down"}, {"policy.deny"}}));
  EXPECT_EQ(Policy("/api/v1/policy/revisions/1").rules, counted);
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

TEST_F(PolicyApiTest, AVerdictIsExplainedToUsersOfTheMirror) {
  ASSERT_EQ(Set(kCoolDown, "reason=r&strict=true").status, 200U);
  ASSERT_EQ(api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions").status, 200U);
  const Reply reply = Ask("explain", "address=registry.example.org/acme/demo");
  ASSERT_EQ(reply.status, 200U) << reply.body;
  const auto verdict = wire::Decode<wire::PolicyVerdict>(reply.body).value();
  EXPECT_EQ(verdict.address, "registry.example.org/acme/demo");
  EXPECT_EQ(verdict.version, "1.1.0");
  EXPECT_EQ(verdict.verdict, "hold");
  EXPECT_EQ(verdict.until, FormatRfc3339(api.clock.now + 7 * 86'400));
  EXPECT_EQ(verdict.clock, "first-seen");
  EXPECT_EQ(verdict.seen, FormatRfc3339(api.clock.now));
  EXPECT_TRUE(reply.body.contains(R"("pinned":null)")) << reply.body;
  EXPECT_EQ(verdict.revision, 1U);
  EXPECT_FALSE(verdict.by.empty());
  EXPECT_EQ(verdict.instead, "");
  ASSERT_EQ(verdict.reasons.size(), 1U);
  EXPECT_EQ(verdict.reasons[0].rule, "cool-down");
  EXPECT_EQ(verdict.reasons[0].verdict, "hold");
  EXPECT_EQ(verdict.reasons[0].until, verdict.until);
  EXPECT_TRUE(verdict.reasons[0].text.contains("rules = [\"cool-down\"]"));
  const std::string later = Ask("explain", "address=acme/demo&at=" + verdict.until).body;
  EXPECT_EQ(wire::Decode<wire::PolicyVerdict>(later)->verdict, "allow") << later;
}

TEST_F(PolicyApiTest, ThePageOfExplanationsShowsTheVerdict) {
  FakeBrowser browser(api);
  const std::string page = "/-/mirror/explain?address=registry.example.org/acme/demo";
  ASSERT_EQ(api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions").status, 200U);
  EXPECT_FALSE(browser.Open(page).body.contains("Verdict of the policy"));
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  const std::string body = browser.Open(page + "&version=1.0.0").body;
  for (const char* words : {"Verdict of the policy", ">held<", "<code translate=\"no\">cool-down<",
                            "an exception lifts it: rules = [&quot;cool-down&quot;]"}) {
    EXPECT_TRUE(body.contains(words)) << words << body;
  }
}

TEST_F(PolicyApiTest, QuestionsThatAreRejected) {
  const std::string demo = "address=registry.example.org/acme/demo";
  for (const std::string& query :
       {std::string(), std::string("address=acme"), std::string("address=a/b/c/d/e"),
        demo + "&version=x", demo + "&at=yesterday", demo + "&at=1969-12-31T23:59:59Z",
        demo + "&at=%", std::string("address=registry.example.com/acme/demo")}) {
    EXPECT_EQ(Ask("explain", query).status, 400U) << query;
  }
  EXPECT_EQ(Ask("explain", demo).status, 404U) << "no version is known";
  for (const std::string& query : {demo + "&version=1.0.0", demo + "&version=1.0.0&at=",
                                   demo + "&version=v1.0.0&at=2026-11-21",
                                   demo + "&version=1.0.0&at=2026-11-21T10:00:00.5%2B02:00"}) {
    EXPECT_EQ(Ask("explain", query).status, 200U) << query;
  }
}

TEST_F(PolicyApiTest, HeldVersionsAreListed) {
  EXPECT_EQ(Ask("held").body, R"({"held":[],"more":false})");
  ASSERT_EQ(api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions").status, 200U);
  ASSERT_EQ(Set(kCoolDown).status, 200U);
  const auto list = wire::Decode<wire::HeldVersions>(Ask("held").body).value();
  ASSERT_EQ(list.held.size(), 2U);
  EXPECT_EQ(list.held[0].address, "registry.example.org/acme/demo");
  EXPECT_EQ(list.held[0].verdict, "hold");
  EXPECT_EQ(list.held[0].until, FormatRfc3339(api.clock.now + 7 * 86'400));
  EXPECT_EQ(list.held[0].rules, std::vector<std::string>{"cool-down"});
  EXPECT_EQ(list.held[0].reason, "releases must be 7 days old (rule cool-down)");
  EXPECT_FALSE(list.more);
}

TEST_F(PolicyApiTest, ThePageOfHeldVersionsHasReasonsAndLeadsToExplanations) {
  FakeBrowser browser(api);
  EXPECT_TRUE(browser.Open("/-/mirror/policy/held").body.contains("Nothing is held or refused."));
  ASSERT_EQ(api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions").status, 200U);
  ASSERT_EQ(Set(std::string(kCoolDown) + "[[rule]]\nname = \"no-1.0\"\nmatch = [\"*/*/*\"]\n"
                                         "versions = \"1.0.0\"\ndeny = true\n")
                .status,
            200U);
  api.clock.now += 60;
  const std::string body = browser.Open("/-/mirror/policy/held").body;
  for (const char* words :
       {">held<", ">refused<", "releases must be 7 days old (rule cool-down)",
        "it is forbidden (rule no-1.0)", ">no end<",
        "/-/mirror/explain?address=registry.example.org%2Facme%2Fdemo&amp;version=1.1.0"}) {
    EXPECT_TRUE(body.contains(words)) << words << body;
  }
  EXPECT_LT(body.find(">held<"), body.find(">refused<")) << "those without an end are last";
  EXPECT_TRUE(browser.Open("/-/mirror/policy").body.contains("\"/-/mirror/policy/held\""));
}

TEST_F(PolicyApiTest, PagesAndListsMarkTheVersionsThatAreStopped) {
  const std::string base = "/origin/registry.example.org/v1/providers/acme/demo/";
  ASSERT_EQ(api.Get(base + "versions").status, 200U);
  ASSERT_EQ(api.Get(base + "1.0.0/download/linux/amd64").status, 200U);
  api.SettleMirror();
  FakeBrowser browser(api);
  const std::string provider = "/-/mirror/providers/registry.example.org/acme/demo";
  const auto is_marked = [&browser](const std::string& page, std::string_view mark) {
    const std::string body = browser.Open(page).body;
    return body.contains("\"><span class=\"chip warn\"><time") && body.contains(mark);
  };
  EXPECT_FALSE(is_marked(provider, "held until")) << "no policy is set";
  ASSERT_EQ(Set(kCoolDown, "reason=r&strict=true").status, 200U);
  api.clock.now += 60;
  for (const std::string& page :
       {provider, provider + "/1.0.0", provider + "/versions", std::string("/-/mirror/packages")}) {
    EXPECT_TRUE(is_marked(page, "held until")) << page;
  }
  EXPECT_TRUE(is_marked(provider + "?lang=ja", "まで保留"));
  EXPECT_TRUE(is_marked(provider + "?lang=zh", "暂缓至"));
  const std::string list = api.Get("/api/v1/mirror/providers").body;
  const auto listed = wire::Decode<wire::InventoryReleases>(list).value();
  ASSERT_EQ(listed.releases.size(), 1U);
  const std::string until = FormatRfc3339(api.clock.now - 60 + 7 * 86'400);
  EXPECT_EQ(listed.releases[0].verdict, (wire::VersionVerdict{"hold", until, {"cool-down"}, false}))
      << list;
  ASSERT_EQ(Post("baseline", R"({"pattern":"*/*/*","reason":"in use"})").status, 200U);
  api.clock.now += 60;
  EXPECT_FALSE(is_marked(provider, "held until"));
  EXPECT_TRUE(api.Get("/api/v1/mirror/providers")
                  .body.contains(R"("verdict":{"verdict":"allow","until":null,"rules":[],)"
                                 R"("admitted":true})"));
}

TEST_F(PolicyApiTest, ATestSaysWhatAPolicyWouldChange) {
  ASSERT_EQ(Set("version = 1").status, 200U);
  ASSERT_EQ(
      api.Get("/origin/registry.example.org/v1/providers/acme/demo/1.0.0/download/linux/amd64")
          .status,
      200U);
  api.WriteUsage();
  api.SettleMirror();
  const std::string rule = "[[rule]]\nname = \"x\"\nmatch = [\"*/*/*\"]\ndeny = true\n";
  const Reply reply = Test("version = 1\n" + rule);
  EXPECT_EQ(reply.body, R"({"held":[],"refused":[{"address":"registry.example.org/acme/demo",)"
                        R"("version":"1.0.0","requests":1}],"lifted":[],"more":false})");
  EXPECT_EQ(Test(std::string(kCoolDown)).body,
            R"({"held":[],"refused":[],"lifted":[],"more":false})")
      << "it is admitted";
  const Reply wrong = Test("version = 2\n");
  EXPECT_EQ(wrong.status, 422U);
  EXPECT_EQ(wire::Decode<wire::PolicyProblems>(wrong.body)->problems.size(), 1U) << wrong.body;
  for (const char* query :
       {"since=", "since=x", "since=0d", "since=-1d", "since=3651d", "since=%"}) {
    EXPECT_EQ(Test("version = 1", query).status, 400U) << query;
  }
  for (const char* query : {"since=1s", "since=36h", "since=3650d"}) {
    EXPECT_EQ(Test("version = 1", query).status, 200U) << query;
  }
  EXPECT_EQ(Test(std::string(policy::kMostPolicyBytes + 1, '#')).status, 413U);
  EXPECT_EQ(Policy().revision, 1U);
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
  ASSERT_EQ(Set("version = 1\n# <b>\n", "reason=stop+waiting").status, 200U);
  api.clock.now += 60;
  const std::string body = browser.Open("/-/mirror/policy").body;
  for (const char* words :
       {"stop waiting", "version = 1\n# &lt;b&gt;", "wait &lt;a&gt; week", "<h2 id=\"earlier\">"}) {
    EXPECT_TRUE(body.contains(words)) << words << body;
  }
  EXPECT_FALSE(body.contains("cool-down")) << "the text of the earlier one is at its address";
}

}  // namespace
}  // namespace koya::api
