#include "service/mirror/pull_policy.h"

#include <gtest/gtest.h>

#include "domain/upstream_record.h"

namespace koya::service {
namespace {

UpstreamProvider Provider(std::string_view host, std::string_view address) {
  return {*HostName::Parse(host), *ProviderAddress::Parse(address)};
}
UpstreamModule Module(std::string_view host, std::string_view address) {
  return {*HostName::Parse(host), *ModuleAddress::Parse(address)};
}

struct Row {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
  bool provider;  // registry.opentofu.org/hashicorp/aws
  bool module;    // registry.opentofu.org/Acme/vpc/aws
};

TEST(PullPolicy, DeniesFirstThenAllowsBySort) {
  const Row rows[] = {
      {{}, {}, true, true},
      {{}, {"registry.opentofu.org/hashicorp/*"}, false, true},
      {{}, {"*/*/*"}, false, true},
      {{}, {"*/*/*/*"}, true, false},
      {{}, {"registry.opentofu.org/acme/*/*"}, true, false},
      {{}, {"*/hashi*/a*s"}, false, true},
      {{}, {"*/hashi*/a*z"}, true, true},
      {{"*/hashicorp/aws"}, {}, true, true},
      {{"*/hashicorp/azurerm"}, {}, false, true},
      {{"*/HashiCorp/AWS"}, {}, true, true},
      {{"*/hashicorp/aws"}, {"registry.opentofu.org/*/*"}, false, true},
      {{"*/other/*/*"}, {}, true, false},
  };
  for (const Row& row : rows) {
    auto policy = PullPolicy::Make(row.allow, row.deny);
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(policy->Check(Provider("registry.opentofu.org", "hashicorp/aws")).has_value(),
              row.provider)
        << testing::PrintToString(row.allow) << testing::PrintToString(row.deny);
    EXPECT_EQ(policy->Check(Module("registry.opentofu.org", "Acme/vpc/aws")).has_value(),
              row.module)
        << testing::PrintToString(row.allow) << testing::PrintToString(row.deny);
  }
}

TEST(PullPolicy, AHostInItsOwnLettersIsMeantInEverySpelling) {
  for (const char* rule :
       {"bücher.example/acme/*", "BÜCHER.example/acme/demo", "xn--bcher-kva.example/*/*",
        "*.example/acme/demo", "bücher.example:443/acme/demo", "xn--b*/acme/demo"}) {
    auto policy = PullPolicy::Make({}, {rule});
    ASSERT_TRUE(policy) << rule << policy.error().message;
    EXPECT_FALSE(policy->Check(Provider("bücher.example", "acme/demo"))) << rule;
  }
  auto modules = PullPolicy::Make({}, {"bücher.example/*/*/*"});
  ASSERT_TRUE(modules);
  EXPECT_FALSE(modules->Check(Module("bücher.example", "acme/vpc/aws")));
  for (const char* rule : {"École/*", "école/*", "é*e/*", "*cole/*"}) {
    auto policy = PullPolicy::Make({}, {"*/" + std::string(rule)});
    ASSERT_TRUE(policy) << rule << policy.error().message;
    EXPECT_FALSE(policy->Check(Provider("registry.opentofu.org", "école/demo"))) << rule;
  }
}

TEST(PullPolicy, ANamespaceMayContainUnderscores) {
  const std::pair<std::string, const char*> kCases[] = {
      {"my_org/*", "my_org/demo"}, {"My_Org/demo", "my_org/demo"}, {"my_*/demo", "my_org/demo"},
      {"*_*/*", "my_org/demo"},    {"É_e/*", "é_e/demo"},          {"é_*/*", "é_e/demo"},
      {"é＿e/demo", "é_e/demo"}};
  for (const auto& [rule, address] : kCases) {
    auto policy = PullPolicy::Make({}, {"*/" + rule});
    ASSERT_TRUE(policy) << rule << policy.error().message;
    EXPECT_FALSE(policy->Check(Provider("registry.example", address))) << rule;
    EXPECT_TRUE(policy->Check(Provider("registry.example", "my-org/demo"))) << rule;
  }
}

TEST(PullPolicy, RefusesWhatWouldMatchNothing) {
  for (const char* rule : {"bü*.example/*/*", "*.bücher.example/*/*/*", "*/É*/*", "*/*/École/*",
                           "*/*/é_e", "*/é_/*", "-a.example/*/*", "https:/acme/demo"}) {
    auto policy = PullPolicy::Make({}, {rule});
    ASSERT_FALSE(policy) << rule;
    EXPECT_EQ(policy.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(policy.error().message.contains(rule)) << policy.error().message;
  }
}

TEST(PullPolicy, SaysWhichRuleAndWhomToAsk) {
  auto deny = PullPolicy::Make({}, {"*/hashicorp/*"});
  Status denied = deny->Check(Provider("registry.opentofu.org", "hashicorp/aws"));
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().kind, ErrorKind::kForbidden);
  EXPECT_EQ(denied.error().message,
            "registry.opentofu.org/hashicorp/aws is not mirrored here: the rule policy.deny "
            "\"*/hashicorp/*\" forbids it; ask the administrators of this registry");
  auto allow = PullPolicy::Make({"*/acme/*"}, {});
  denied = allow->Check(Provider("registry.opentofu.org", "hashicorp/aws"));
  EXPECT_TRUE(denied.error().message.contains("policy.allow"));
}

TEST(PullPolicy, RefusesWhatIsNoPattern) {
  for (const char* text :
       {"", "hashicorp", "hashicorp/aws", "a/b/c/d/e", "a//b", "/a/b", "a/b/", "a/b/\x01"}) {
    auto policy = PullPolicy::Make({}, {text});
    ASSERT_FALSE(policy) << text;
    EXPECT_EQ(policy.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(policy.error().message.contains("HOST/NAMESPACE/TYPE"));
  }
}

TEST(PullPolicy, JudgesWithTheRuleThatSaysIt) {
  const UpstreamProvider aws = Provider("registry.opentofu.org", "hashicorp/aws");
  const UpstreamModule vpc = Module("registry.opentofu.org", "Acme/vpc/aws");
  auto policy = PullPolicy::Make({"*/HashiCorp/*"}, {"*/acme/*/*"});
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->EvaluateRules(aws).kind, PullVerdict::Kind::kAllowed);
  EXPECT_EQ(policy->EvaluateRules(aws).rule, "*/HashiCorp/*") << "as it was written";
  EXPECT_EQ(policy->EvaluateRules(vpc).kind, PullVerdict::Kind::kDenied);
  EXPECT_EQ(policy->EvaluateRules(vpc).rule, "*/acme/*/*");
  const UpstreamProvider other = Provider("registry.opentofu.org", "other/aws");
  EXPECT_EQ(policy->EvaluateRules(other).kind, PullVerdict::Kind::kNotListed);
  EXPECT_EQ(policy->EvaluateRules(other).rule, "");
  EXPECT_EQ(PullPolicy().EvaluateRules(aws).kind, PullVerdict::Kind::kAllowed);
  EXPECT_EQ(PullPolicy().EvaluateRules(aws).rule, "");
  ASSERT_EQ(policy->allow().size(), 1U);
  EXPECT_EQ(policy->deny()[0].text(), "*/acme/*/*");
}

TEST(PullPolicy, DigestsAreThoseOfTheRulesAndNotOfTheirOrder) {
  using Texts = std::vector<std::string>;
  auto digests = [](const Texts& allow, const Texts& deny) {
    return PullPolicy::Make(allow, deny).value().SettingDigests();
  };
  const auto one = digests({"*/acme/*", "*/corp/*"}, {});
  EXPECT_EQ(one, digests({"*/corp/*", "*/Acme/*"}, {}));
  const auto other = digests({"*/acme/*"}, {});
  EXPECT_NE(one.at("policy.allow"), other.at("policy.allow"));
  EXPECT_EQ(one.at("policy.deny"), other.at("policy.deny"));
  EXPECT_NE(digests({}, {"*/acme/*"}).at("policy.deny"), one.at("policy.deny"));
}

}  // namespace
}  // namespace koya::service
