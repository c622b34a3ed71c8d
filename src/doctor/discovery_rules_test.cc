#include "doctor/discovery_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::doctor {
namespace {

RecordedAnswer Document(std::string body) {
  RecordedAnswer exchange;
  exchange.first = *http::ParseUrl("https://a.test/.well-known/terraform.json");
  exchange.status = 200;
  exchange.fields = {{"content-type", "application/json"}};
  exchange.body = std::move(body);
  return exchange;
}

// Whether a finding of `severity` in `step` says `words`.
testing::AssertionResult Says(const Findings& findings, Severity severity, std::string_view step,
                              std::string_view words) {
  auto result = testing::AssertionFailure() << "nothing says \"" << words << "\":";
  for (const Finding& each : findings) {
    bool right = each.severity == severity && each.step == step &&
                 (each.message + "\n" + each.fix).find(words) != std::string::npos;
    if (right) return testing::AssertionSuccess();
    result << "\n  " << SeverityName(each.severity) << " " << each.step << ": " << each.message
           << " | " << each.fix;
  }
  return result;
}

std::size_t Problems(const Findings& findings) {
  std::size_t count = 0;
  for (const Finding& each : findings) count += each.severity != Severity::kOk ? 1 : 0;
  return count;
}

TEST(DiscoveryRulesTest, TakesTheFormThatEveryClientTakes) {
  for (std::string body :
       {R"({"modules.v1":"/v1/modules/"})",
        R"({"modules.v1":"/v1/modules/","providers.v1":"/v1/providers/","motd.v1":7,"x":{}})",
        R"({"providers.v1":"/p/","login.v1":{"client":"c","authz":"/a","token":"/t",
            "ports":[10000,10010],"grant_types":["authz_code"]}})"}) {
    DiscoveryVerdict verdict = JudgeDiscovery(Document(body));
    EXPECT_EQ(Problems(verdict.findings), 0u)
        << body << verdict.findings.back().step << verdict.findings.back().message;
    EXPECT_FALSE(verdict.services.empty()) << body;
  }
}

TEST(DiscoveryRulesTest, GivesTheServicesAsClientsResolveThem) {
  RecordedAnswer exchange =
      Document(R"({"modules.v1":"v1/modules","providers.v1":"https://b.test/p/"})");
  exchange.redirects = {*http::ParseUrl("https://cdn.a.test/d/terraform.json")};
  DiscoveryVerdict verdict = JudgeDiscovery(exchange);
  ASSERT_EQ(verdict.services.size(), 2u);
  EXPECT_EQ(verdict.services[0].base.ToString(), "https://cdn.a.test/d/v1/modules/");
  EXPECT_EQ(verdict.services[1].base.ToString(), "https://b.test/p/");
}

struct Status {
  unsigned status;
  std::string_view words;
};

TEST(DiscoveryRulesTest, TakesOnlyA200) {
  const std::vector<Status> kStatuses = {{404, "no services"}, {401, "protected"},
                                         {403, "protected"},   {204, "status 204"},
                                         {500, "status 500"},  {302, "status 302"}};
  for (const Status& each : kStatuses) {
    RecordedAnswer exchange = Document("{}");
    exchange.status = each.status;
    DiscoveryVerdict verdict = JudgeDiscovery(exchange);
    EXPECT_TRUE(Says(verdict.findings, Severity::kFailure, "discovery", each.words));
    EXPECT_TRUE(verdict.services.empty());
  }
}

TEST(DiscoveryRulesTest, WantsAContentType) {
  RecordedAnswer exchange = Document(R"({"modules.v1":"/v1/modules/"})");
  exchange.fields.clear();
  EXPECT_TRUE(
      Says(JudgeDiscovery(exchange).findings, Severity::kFailure, "discovery", "no Content-Type"));
  exchange.fields = {{"Content-Type", "text/html"}};
  EXPECT_TRUE(
      Says(JudgeDiscovery(exchange).findings, Severity::kFailure, "discovery", "text/html"));
}

TEST(DiscoveryRulesTest, WantsASmallObject) {
  for (std::string body : {"", "[]", "null", "\"x\"", "{\"modules.v1\":", "<html>"}) {
    DiscoveryVerdict verdict = JudgeDiscovery(Document(body));
    EXPECT_TRUE(Says(verdict.findings, Severity::kFailure, "discovery", "the document is")) << body;
  }
  std::string large = "{" + std::string(1 << 20, ' ') + "}";
  EXPECT_TRUE(
      Says(JudgeDiscovery(Document(large)).findings, Severity::kFailure, "discovery", "1 MiB"));
}

TEST(DiscoveryRulesTest, CountsRedirectsAndWatchesWhereTheyLead) {
  RecordedAnswer exchange = Document(R"({"modules.v1":"/v1/modules/"})");
  http::Url here = *http::ParseUrl("https://a.test/x");
  exchange.redirects.assign(3, here);
  EXPECT_EQ(Problems(JudgeDiscovery(exchange).findings), 0u);
  exchange.redirects.assign(4, here);
  EXPECT_TRUE(
      Says(JudgeDiscovery(exchange).findings, Severity::kFailure, "discovery", "4 redirects"));
  exchange.redirects = {*http::ParseUrl("http://a.test/x"), here};
  EXPECT_TRUE(
      Says(JudgeDiscovery(exchange).findings, Severity::kFailure, "discovery", "not https"));
  exchange.redirects = {*http::ParseUrl("https://b.test/x")};
  EXPECT_TRUE(
      Says(JudgeDiscovery(exchange).findings, Severity::kWarning, "discovery", "another host"));
}

struct Service {
  std::string_view body;
  Severity severity;
  std::string_view step;
  std::string_view words;
};

TEST(DiscoveryRulesTest, SaysWhatIsWrongWithAService) {
  const std::vector<Service> kServices = {
      {R"({})", Severity::kWarning, "discovery", "neither"},
      {R"({"modules.v1":null})", Severity::kFailure, "modules.v1", "null"},
      {R"({"modules.v1":{"url":"/v1"}})", Severity::kFailure, "modules.v1", "expect a string"},
      {R"({"modules.v1":7})", Severity::kFailure, "modules.v1", "expect a string"},
      {R"({"modules.v1":""})", Severity::kFailure, "modules.v1", "not a URL"},
      {R"({"modules.v1":"ftp://a.test/"})", Severity::kFailure, "modules.v1", "not a URL"},
      {R"({"modules.v1":"https://"})", Severity::kFailure, "modules.v1", "not a URL"},
      {R"({"modules.v1":"http://a.test/m/"})", Severity::kFailure, "modules.v1", "not https"},
      {R"({"modules.v1":"https://u:p@a.test/m/"})", Severity::kFailure, "modules.v1", "user name"},
      {R"({"modules.v1":"/m/?x=1"})", Severity::kFailure, "modules.v1", "query"},
      {R"({"modules.v1":"/m"})", Severity::kWarning, "modules.v1", "write \"/m/\""},
      {R"({"providers.v1":"/p"})", Severity::kFailure, "providers.v1", "write \"/p/\""},
      {R"({"modules.v1":"m/"})", Severity::kWarning, "modules.v1", "write \"/.well-known/m/\""},
      {R"({"modules.v1":"https://a.test/m/"})", Severity::kWarning, "modules.v1", "\"/m/\""},
      {R"({"modules.v1":"https://b.test/m/"})", Severity::kWarning, "modules.v1", "own host"},
      {R"({"modules.v1":"//b.test/m/"})", Severity::kWarning, "modules.v1", "own host"},
      {R"({"modules.v2":"/m/"})", Severity::kWarning, "modules.v1", "modules.v2"},
  };
  for (const Service& each : kServices) {
    DiscoveryVerdict verdict = JudgeDiscovery(Document(std::string(each.body)));
    EXPECT_TRUE(Says(verdict.findings, each.severity, each.step, each.words)) << each.body;
    EXPECT_EQ(verdict.findings.back().message.find("u:p"), std::string::npos);
  }
}

TEST(DiscoveryRulesTest, WarnsOfASlowDocument) {
  RecordedAnswer exchange = Document(R"({"modules.v1":"/v1/modules/"})");
  exchange.duration = std::chrono::milliseconds(5001);
  EXPECT_TRUE(Says(JudgeDiscovery(exchange).findings, Severity::kWarning, "discovery", "5001 ms"));
}

struct Login {
  std::string_view value;
  std::string_view words;
};

TEST(LoginRulesTest, SaysWhyNobodyCouldLogIn) {
  const std::vector<Login> kLogins = {
      {"\"/login\"", "not an object"},
      {R"({"authz":"/a","token":"/t"})", "\"client\""},
      {R"({"client":7,"authz":"/a","token":"/t"})", "\"client\""},
      {R"({"client":"c","token":"/t"})", "\"authz\" is missing"},
      {R"({"client":"c","authz":"/a"})", "\"token\" is missing"},
      {R"({"client":"c","authz":"http://a.test/a","token":"/t"})", "not an https URL"},
      {R"({"client":"c","authz":"/a","token":"ftp://x/t"})", "not an https URL"},
      {R"({"client":"c","authz":"/a","token":"/t","grant_types":["password"]})", "authz_code"},
      {R"({"client":"c","authz":"/a","token":"/t","grant_types":"authz_code"})", "authz_code"},
      {R"({"client":"c","authz":"/a","token":"/t","ports":[10000]})", "two ports"},
      {R"({"client":"c","authz":"/a","token":"/t","ports":[80,90]})", "two ports"},
      {R"({"client":"c","authz":"/a","token":"/t","ports":[2000,1999]})", "two ports"},
      {R"({"client":"c","authz":"/a","token":"/t","ports":[2000.5,3000]})", "two ports"},
      {R"({"client":"c","authz":"/a","token":"/t","ports":[10000,70000]})", "two ports"},
      {R"({"client":"c","authz":"/a","token":"/t","ports":[10000,10000]})", "a single port"},
      {R"({"client":"c","authz":"/a","token":"/t","scopes":"x"})", "\"scopes\""},
      {R"({"client":"c","authz":"/a","token":"/t","scopes":[1]})", "\"scopes\""},
  };
  http::Url document = *http::ParseUrl("https://a.test/.well-known/terraform.json");
  for (const Login& each : kLogins) {
    EXPECT_TRUE(Says(JudgeLogin(each.value, document), Severity::kFailure, "login.v1", each.words))
        << each.value;
  }
  for (std::string_view good :
       {R"({"client":"c","authz":"/a","token":"/t"})",
        R"({"client":"c","authz":"/a?x=y","token":"https://b.test/t","ports":[1024,65535],
            "grant_types":["authz_code",7],"scopes":["a"],"more":1})"}) {
    EXPECT_FALSE(AnyFailure(JudgeLogin(good, document))) << good;
  }
}

}  // namespace
}  // namespace koya::doctor
