#include "domain/usage_agent.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/upstream_record.h"
#include "domain/usage_record.h"

namespace koya {
namespace {

TEST(UsageAgentTest, ClientsAndBotsAreKnownByWhatTheySend) {
  struct Case {
    std::string agent;
    std::string client;
    bool bot = false;
  };
  const Case kCases[] = {
      {"OpenTofu/1.12.0 (+https://opentofu.org)", "OpenTofu 1.12"},
      {"OpenTofu/1.8.0-beta1 (+https://opentofu.org)", "OpenTofu 1.8"},
      {"opentofu/v1.9.1", "OpenTofu 1.9"},
      {"Terraform/1.11.4", "Terraform 1.11"},
      {"HashiCorp Terraform/1.11.4 (+https://www.terraform.io)", "Terraform 1.11"},
      {"HashiCorp Terraform/1.5.7 (+https://www.terraform.io) Atlantis/0.27", "Terraform 1.5"},
      {"Terraform/0.13.7", "Terraform 0.13"},
      {"OpenTofu", "OpenTofu"},
      {"OpenTofu/", "OpenTofu"},
      {"OpenTofu/one.two", "OpenTofu"},
      {"OpenTofu/1", "OpenTofu"},
      {"Terraform/10.0.0", "Terraform"},
      {"Terraform/1.100.0", "Terraform"},
      {"Terraform/99999999999999999999.1", "Terraform"},
      {"Terraform/-1.2", "Terraform"},
      {"Terragrunt/0.67.4", "Terragrunt"},
      {"terragrunt/v0.67.4 OpenTofu/1.8", "Terragrunt"},
      {"RenovateBot/37.440.7 (https://github.com/renovatebot/renovate)", "Renovate", true},
      {"Renovate/39", "Renovate", true},
      {"HashiCorp Terraform/1.9.8 (+https://www.terraform.io) renovate", "Renovate", true},
      {"dependabot-core/0.230.0 excon/0.99.0 ruby/3.1.4 (x86_64-linux) "
       "(+https://github.com/dependabot/dependabot-core)",
       "Dependabot", true},
      {"trivy/0.57", "scanner", true},
      {"Checkov/3.2", "scanner", true},
      {"", "other"},
      {"Go-http-client/1.1", "other"},
      {"curl/7.88.1", "other"},
      {"Mozilla/5.0 (X11; Linux x86_64) OpenTofu-like/1.0", "browser"},
      {"Mozilla/5.0 (compatible; OpenTofu/1.12)", "browser"},
      {"terraform-ls/0.36.3", "terraform-ls"},
      {"koya/1.5.0", "Koya"},
      {"NotTerraform/1.11.4", "other"},
      {"(((((OpenTofu/1.12", "other"},
      {std::string(10'000, '('), "other"},
      {std::string(600, 'a') + " OpenTofu/1.12", "other"},
  };
  for (const Case& each : kCases) {
    const UsageAgent agent = UsageAgent::Read(each.agent);
    EXPECT_EQ(agent.client.ToString(), each.client) << each.agent;
    EXPECT_EQ(agent.client.is_bot(), each.bot) << each.agent;
    EXPECT_EQ(agent.label, "") << each.agent;
    EXPECT_EQ(UsageClient::FromNumber(agent.client.number()), agent.client) << each.agent;
  }
}

TEST(UsageAgentTest, NumbersThatNobodyWroteAreOther) {
  for (std::int64_t number :
       std::initializer_list<std::int64_t>{-1, -10'000, 70'000, 999'999, 1'030'000, 11'001, 19'999,
                                           1'001'001, 9'000'000'000'000'000'000}) {
    EXPECT_EQ(UsageClient::FromNumber(number).ToString(), "other") << number;
  }
}

TEST(UsageAgentTest, ALabelIsAClaimOfPlainCharacters) {
  const std::string tofu = "OpenTofu/1.12.0 (+https://opentofu.org) ";
  struct Case {
    std::string words;
    std::string label;
  };
  const Case kCases[] = {
      {"koya-consumer/payments-prod", "payments-prod"},
      {"koya-consumer/A_1.b:c@d", "A_1.b:c@d"},
      {"koya-consumer/" + std::string(64, 'a'), std::string(64, 'a')},
      {"koya-consumer/first koya-consumer/second", "first"},
      {"atlantis/1 koya-consumer/x y", "x"},
      {"", ""},
      {"koya-consumer", ""},
      {"koya-consumer/", ""},
      {"koya-consumer/" + std::string(65, 'a'), ""},
      {"koya-consumer/../../etc/passwd", ""},
      {"koya-consumer/a/b", ""},
      {"koya-consumer/-a", ""},
      {"koya-consumer/=cmd()", ""},
      {"koya-consumer/@sum", ""},
      {"koya-consumer/a\x01", ""},
      {"koya-consumer/a\x7f", ""},
      {"koya-consumer/\xc3\xa9", ""},
      {"koya-consumer/a,b", ""},
      {"koya-consumer/a\"b", ""},
      {"koya-consumer/<b>", ""},
      {"koya-consumer/bad! koya-consumer/good", ""},
      {"(koya-consumer/hidden)", ""},
      {"my-koya-consumer/x", ""},
      {"Koya-Consumer/x", ""},
      {std::string(500, 'x') + " koya-consumer/far", ""},
      {std::string(440, 'x') + " koya-consumer/" + std::string(60, 'y'), ""},
  };
  for (const Case& each : kCases) {
    const UsageAgent agent = UsageAgent::Read(tofu + each.words);
    EXPECT_EQ(agent.label, each.label) << each.words;
    EXPECT_EQ(agent.client.ToString(), "OpenTofu 1.12") << "a fetch is counted all the same";
  }
}

TEST(UsageRecordTest, MonthsBeginWithTheirFirstDay) {
  struct Case {
    UsageDay day;
    UsageDay month;
  };
  for (const Case& each : {Case{0, 0}, Case{30, 0}, Case{31, 31}, Case{20'522, 20'513},
                           Case{19'782, 19'754} /* 2024-02-29 */, Case{-1, -31}}) {
    EXPECT_EQ(MonthOf(each.day), each.month) << each.day;
    EXPECT_EQ(MonthOf(each.month), each.month) << each.day;
  }
}

TEST(UsageRecordTest, ItemsAreFoundAsTheirThingsAre) {
  const Version version = *Version::Parse("1.0.0");
  const UsageItem module = UsageItem::Of(*ModuleAddress::Parse("Acme/VPC/aws"), version);
  EXPECT_EQ(module, (UsageItem{UsageKind::kModule, "acme/vpc/aws", "1.0.0", "acme"}));
  const UsageItem provider = UsageItem::Of(*ProviderAddress::Parse("acme/demo"), version);
  EXPECT_EQ(provider, (UsageItem{UsageKind::kProvider, "acme/demo", "1.0.0", "acme"}));
  const UpstreamProvider other{*HostName::Parse("registry.example.org"),
                               *ProviderAddress::Parse("acme/demo")};
  EXPECT_EQ(
      UsageItem::Of(other, version),
      (UsageItem{UsageKind::kMirroredProvider, "registry.example.org/acme/demo", "1.0.0", ""}));
}

}  // namespace
}  // namespace koya
