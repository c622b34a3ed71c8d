// Forms to deprecate and withdraw a version, for those who may and for no others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "archive/archive_builder_fake.h"
#include "base/run_task.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/withdrawal.h"
#include "service/sign_in/sessions.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

using http::Method;

constexpr std::string_view kVersionersPassword = "correct horse battery";
constexpr std::string_view kModuleForms = "/modules/acme/vpc/aws/1.0.0/";
constexpr std::string_view kProviderForms = "/providers/acme/demo/1.0.0/";
constexpr std::array kAllForms{
    "/modules/acme/vpc/aws/1.0.0/deprecate", "/modules/acme/vpc/aws/1.0.0/withdraw",
    "/providers/acme/demo/1.0.0/deprecate", "/providers/acme/demo/1.0.0/withdraw"};

class VersionFormsTest : public ::testing::Test {
 protected:
  VersionFormsTest() {
    for (std::string_view user : {"olga", "paul", "rita"}) {
      api_.AddUser(std::string(user), std::string(kVersionersPassword));
    }
    api_.token = api_.Token(Scope::kAdmin);
    Send(Method::kPut, "/api/v1/namespaces/acme", R"({"visibility":"private"})");
    for (auto [user, role] : {std::pair("olga", "owner"), std::pair("paul", "publisher"),
                              std::pair("rita", "reader")}) {
      Send(Method::kPut, fmt::format("/api/v1/namespaces/acme/grants/users/{}", user),
           fmt::format(R"({{"role":"{}"}})", role));
    }
    for (const char* version : {"1.0.0", "1.1.0"}) {
      EXPECT_EQ(api_.Publish("acme/vpc/aws", version, ModuleArchive(version)).status, 201U);
      PublishProvider(version);
    }
    api_.token.clear();
    for (FakeBrowser* browser : {&olga_, &paul_, &rita_}) {
      browser->SignIn(browser == &olga_   ? "olga"
                      : browser == &paul_ ? "paul"
                                          : "rita",
                      kVersionersPassword);
      browser->Open("/-/settings");
    }
  }

  Reply Send(Method method, std::string path, std::string body) {
    Reply reply = api_.Ask({.method = method, .path = path, .body = std::move(body)});
    EXPECT_LT(reply.status, 300U) << path << ": " << reply.body;
    return reply;
  }

  void PublishProvider(const std::string& version) {
    const std::string drafts = fmt::format("/api/v1/providers/acme/demo/{}/drafts", version);
    auto draft = wire::Decode<wire::Draft>(Send(Method::kPost, drafts, "").body);
    ASSERT_TRUE(draft);
    Send(Method::kPut,
         fmt::format("{}/{}/files/terraform-provider-demo_{}_linux_amd64.zip", drafts, draft->id,
                     version),
         Zip({{.name = "terraform-provider-demo_v1.0.0", .content = version}}));
    Send(Method::kPost, fmt::format("{}/{}/commit", drafts, draft->id), R"({"sign":true})");
  }

  // The module's versions as a reader of the namespace sees them.
  std::vector<ModuleVersionRecord> Versions() {
    auto versions = RunTask(
        api_.catalog().modules().ListVersions(*ModuleAddress::FromParts("acme", "vpc", "aws")));
    return versions ? *std::move(versions) : std::vector<ModuleVersionRecord>();
  }
  std::vector<ReleaseSummary> Releases() {
    auto releases = RunTask(
        api_.catalog().providers().ListReleases(*ProviderAddress::FromParts("acme", "demo")));
    return releases ? *std::move(releases) : std::vector<ReleaseSummary>();
  }
  // Of module and provider 1.0.0.
  std::string Deprecation() {
    for (const ModuleVersionRecord& each : Versions()) {
      if (each.version.ToString() == "1.0.0") return each.deprecation;
    }
    return "gone";
  }

  static FormFields Withdrawal(std::string reason = "leaks a key", std::string typed = "1.0.0") {
    return {{"reason", std::move(reason)}, {"typed", std::move(typed)}};
  }
  static std::string Of(std::string_view forms, std::string_view end) {
    return fmt::format("{}{}", forms, end);
  }

  ApiFixture api_;
  FakeBrowser olga_{api_};  // owns acme
  FakeBrowser paul_{api_};  // publishes in it
  FakeBrowser rita_{api_};  // reads it
  FakeBrowser stranger_{api_};
};

TEST_F(VersionFormsTest, EachIsShownWhatTheyMayDoAndNoMore) {
  for (std::string_view list :
       {"/modules/acme/vpc/aws/latest/versions", "/providers/acme/demo/versions",
        "/modules/acme/vpc/aws/1.0.0", "/providers/acme/demo/1.0.0"}) {
    Reply of_owner = olga_.Open(list), of_publisher = paul_.Open(list),
          of_reader = rita_.Open(list);
    ASSERT_EQ(of_owner.status, 200U) << list;
    const bool is_list = list.ends_with("versions");
    EXPECT_NE(of_owner.body.contains("1.0.0/withdraw\""), is_list) << list;
    // The page of a provider has the one that cannot be reached from its list.
    const bool deprecates = list != "/providers/acme/demo/1.0.0";
    EXPECT_EQ(of_owner.body.contains("1.0.0/deprecate\""), deprecates) << list;
    EXPECT_FALSE(of_publisher.body.contains("1.0.0/withdraw\"")) << list;
    EXPECT_EQ(of_publisher.body.contains("1.0.0/deprecate\""), deprecates) << list;
    EXPECT_FALSE(of_reader.body.contains("1.0.0/withdraw\"")) << list;
    EXPECT_FALSE(of_reader.body.contains("1.0.0/deprecate\"")) << list;
  }
  for (std::string_view form : kAllForms) {
    const bool withdraws = form.ends_with("withdraw");
    EXPECT_EQ(olga_.Open(form).status, 200U) << form;
    EXPECT_EQ(paul_.Open(form).status, withdraws ? 404U : 200U) << form;
    EXPECT_EQ(rita_.Open(form).status, 404U) << form;
    EXPECT_EQ(stranger_.Open(form).Get("Location"), fmt::format("/login?to={}", form));
  }
}

TEST_F(VersionFormsTest, WhoeverMayNotChangesNothing) {
  for (std::string_view form : kAllForms) {
    FormFields fields = Withdrawal();
    fields.emplace_back("message", "old");
    const bool withdraws = form.ends_with("withdraw");
    EXPECT_EQ(rita_.Submit(form, fields).status, 404U) << form;
    if (withdraws) EXPECT_EQ(paul_.Submit(form, fields).status, 404U) << form;
    EXPECT_EQ(stranger_.Submit(form, fields).status, 303U) << form << ": to sign in";
    fields.emplace_back("csrf", "forged");
    EXPECT_EQ(olga_.Submit(form, fields).status, 403U) << form;
  }
  EXPECT_EQ(Versions().size(), 2U);
  EXPECT_EQ(Releases().size(), 2U);
  EXPECT_EQ(Deprecation(), "");
}

TEST_F(VersionFormsTest, AVersionIsDeprecatedAndThatIsTakenBack) {
  for (std::string_view forms : {kModuleForms, kProviderForms}) {
    const std::string form = Of(forms, "deprecate");
    Reply asks = paul_.Open(form);
    EXPECT_TRUE(asks.body.contains("--message")) << "the command that does the same";
    EXPECT_FALSE(asks.body.contains("name=\"undo\"")) << "there is nothing to take back";
    Reply done = paul_.Submit(form, {{"message", "use 1.1.0"}});
    ASSERT_EQ(done.status, 303U) << done.body;
    Reply list = paul_.Open(done.Get("Location"));
    EXPECT_TRUE(list.body.contains("is now deprecated.")) << forms;
    EXPECT_TRUE(list.body.contains("use 1.1.0")) << forms;
    asks = paul_.Open(form);
    EXPECT_TRUE(asks.body.contains("value=\"use 1.1.0\"")) << "it is there to be changed";
    EXPECT_TRUE(asks.body.contains("name=\"undo\""));
    done = paul_.Submit(form, {{"undo", "yes"}});
    list = paul_.Open(done.Get("Location"));
    EXPECT_TRUE(list.body.contains("is no longer deprecated.")) << forms;
    EXPECT_FALSE(list.body.contains("use 1.1.0")) << forms;
  }
}

TEST_F(VersionFormsTest, WhatIsNoMessageIsExplained) {
  for (std::string_view forms : {kModuleForms, kProviderForms}) {
    const std::string form = Of(forms, "deprecate");
    paul_.Open(form);
    for (const std::string& message : {std::string(), std::string("two\nlines"),
                                       std::string(1001, 'x'), std::string("a\x1B[31m")}) {
      Reply reply = paul_.Submit(form, {{"message", message}});
      EXPECT_EQ(reply.status, 422U) << message;
      EXPECT_TRUE(reply.body.contains("id=\"message_problem\"")) << message;
    }
  }
  EXPECT_EQ(Deprecation(), "");
}

TEST_F(VersionFormsTest, AVersionIsWithdrawnOnceItIsTyped) {
  const std::string form = Of(kModuleForms, "withdraw");
  Reply asks = olga_.Open(form);
  for (std::string_view told : {"Impact", "koya withdraw acme/vpc/aws 1.0.0 --reason",
                                "Type <bdi>1.0.0</bdi> to confirm", "can restore it"}) {
    EXPECT_TRUE(asks.body.contains(told)) << told;
  }
  for (const FormFields& wrong : {Withdrawal("", "1.0.0"), Withdrawal("x", ""),
                                  Withdrawal("x", "1.1.0"), Withdrawal(std::string(1001, 'x'))}) {
    Reply reply = olga_.Submit(form, wrong);
    EXPECT_EQ(reply.status, 422U);
    EXPECT_TRUE(reply.body.contains("aria-invalid=\"true\""));
    EXPECT_TRUE(reply.body.contains("Impact")) << "it is still told";
  }
  EXPECT_EQ(Versions().size(), 2U) << "asking does nothing";
  Reply done = olga_.Submit(form, Withdrawal());
  ASSERT_EQ(done.status, 303U) << done.body;
  Reply list = olga_.Open(done.Get("Location"));
  EXPECT_TRUE(list.body.contains("was withdrawn."));
  EXPECT_TRUE(list.body.contains("leaks a key"));
  ASSERT_EQ(Versions().size(), 1U);
  const auto withdrawn = RunTask(
      api_.catalog().modules().ListWithdrawn(*ModuleAddress::FromParts("acme", "vpc", "aws")));
  ASSERT_EQ(withdrawn->size(), 1U);
  EXPECT_EQ(withdrawn->front().withdrawal.by, "olga");
}

TEST_F(VersionFormsTest, OwnersRestoreWhatWasWithdrawn) {
  for (std::string_view forms : {kModuleForms, kProviderForms}) {
    const std::string page(forms.substr(0, forms.size() - 1));
    const std::string list = forms == kModuleForms ? "/modules/acme/vpc/aws/latest/versions"
                                                   : "/providers/acme/demo/versions";
    const std::string form = Of(forms, "restore");
    EXPECT_EQ(olga_.Open(form).Get("Location"), page) << "it is not withdrawn";
    olga_.Open(Of(forms, "withdraw"));
    ASSERT_EQ(olga_.Submit(Of(forms, "withdraw"), Withdrawal()).status, 303U);
    for (const std::string& place : {page, list}) {
      EXPECT_TRUE(olga_.Open(place).body.contains("/restore\"")) << place;
      EXPECT_FALSE(paul_.Open(place).body.contains("/restore\"")) << place;
    }
    EXPECT_EQ(paul_.Open(form).status, 404U);
    EXPECT_TRUE(olga_.Open(form).body.contains("koya restore acme/"));
    for (const std::string& reason : {std::string(), std::string(1001, 'x')}) {
      EXPECT_EQ(olga_.Submit(form, {{"reason", reason}}).status, 422U);
    }
    EXPECT_EQ(olga_.Open(page).status, 410U);
    EXPECT_EQ(olga_.Submit(form, {{"reason", "by mistake"}}).Get("Location"), page);
    const Reply restored = olga_.Open(page);
    EXPECT_EQ(restored.status, 200U);
    EXPECT_TRUE(restored.body.contains("was restored."));
  }
  EXPECT_EQ(Versions().size(), 2U);
  EXPECT_EQ(Releases().size(), 2U);
}

TEST_F(VersionFormsTest, TheLastVersionLeadsToItsNamespace) {
  for (const char* version : {"1.0.0", "1.1.0"}) {
    const std::string form = fmt::format("/providers/acme/demo/{}/withdraw", version);
    Reply asks = olga_.Open(form);
    const bool is_last = std::string_view(version) == "1.1.0";
    EXPECT_EQ(asks.body.contains("This is the only version"), is_last) << version;
    Reply done = olga_.Submit(form, Withdrawal("broken", version));
    EXPECT_EQ(done.Get("Location"), is_last ? "/namespaces/acme" : "/providers/acme/demo/versions");
    Reply shown = olga_.Open(done.Get("Location"));
    EXPECT_EQ(shown.status, 200U) << version;
    EXPECT_TRUE(shown.body.contains("was withdrawn.")) << version;
  }
  EXPECT_TRUE(Releases().empty());
}

TEST_F(VersionFormsTest, AVersionThatWasWithdrawnBetweenTwoClicksIsToldAsThat) {
  olga_.Open(Of(kModuleForms, "withdraw"));
  paul_.Open(Of(kModuleForms, "deprecate"));
  api_.token = api_.Token(Scope::kAdmin);
  ASSERT_EQ(api_.Withdraw("acme/vpc/aws", "1.0.0", "somebody was faster").status, 204U);
  api_.token.clear();
  const std::string place = "/modules/acme/vpc/aws/1.0.0";
  EXPECT_EQ(olga_.Submit(Of(kModuleForms, "withdraw"), Withdrawal()).Get("Location"), place);
  Reply told = olga_.Open(place);
  EXPECT_EQ(told.status, 410U);
  EXPECT_TRUE(told.body.contains("somebody was faster"));
  EXPECT_TRUE(told.body.contains("Nothing was changed"));
  EXPECT_EQ(paul_.Submit(Of(kModuleForms, "deprecate"), {{"message", "old"}}).Get("Location"),
            place);
  EXPECT_EQ(olga_.Open(Of(kModuleForms, "withdraw")).Get("Location"), place);
  EXPECT_EQ(olga_.Open("/modules/acme/vpc/aws/9.9.9/withdraw").Get("Location"),
            "/modules/acme/vpc/aws/9.9.9");
  EXPECT_EQ(olga_.Open("/modules/acme/vpc/aws/9.9.9").status, 404U);
}

TEST_F(VersionFormsTest, WhatCannotBeAVersionIsNowhere) {
  for (std::string_view path :
       {"/modules/acme/vpc/aws/x/withdraw", "/modules/acme/vpc/aws/latest/withdraw",
        "/modules/acme/vpc/aws/%F0%9F%94%91/deprecate", "/modules/acme/%2e%2e/aws/1.0.0/withdraw",
        "/modules/other/vpc/aws/1.0.0/withdraw", "/providers/acme/demo/1/withdraw",
        "/providers/acme/DEMO%00/1.0.0/deprecate", "/providers/other/demo/1.0.0/withdraw"}) {
    const unsigned status = olga_.Open(path).status;
    EXPECT_TRUE(status == 404U || status == 400U) << path << ": " << status;
  }
}

TEST_F(VersionFormsTest, ItIsToldWhoWouldMissIt) {
  api_.token = api_.Token(Scope::kAdmin);
  const std::string calls =
      "module \"vpc\" {\n  source  = \"registry.example.com/acme/vpc/aws\"\n"
      "  version = \"1.0.0\"\n}\n";
  ASSERT_EQ(api_.Publish("acme/app/aws", "3.0.0", PackFiles({{"main.tf", calls}})).status, 201U);
  Question fetch{.path = "/v1/modules/acme/vpc/aws/1.0.0/download"};
  fetch.fields = {{"User-Agent", "OpenTofu/1.9.0 koya-consumer/payments-prod"}};
  EXPECT_LT(api_.Ask(fetch).status, 300U);
  api_.token.clear();
  api_.WriteUsage();
  Reply asks = olga_.Open(Of(kModuleForms, "withdraw"));
  EXPECT_TRUE(asks.body.contains("payments-prod")) << asks.body;
  EXPECT_TRUE(asks.body.contains("/modules/acme/app/aws\"")) << asks.body;
  EXPECT_TRUE(asks.body.contains("breaks")) << "nothing else does for = 1.0.0";
  EXPECT_TRUE(asks.body.contains("Fetched <bdi>1</bdi> times")) << asks.body;
}

TEST_F(VersionFormsTest, ReadersAreToldWhoToAsk) {
  for (std::string_view path : {"/providers/acme/demo", "/providers/acme/demo/versions",
                                "/modules/acme/vpc/aws/latest/versions"}) {
    Reply page = rita_.Open(path);
    EXPECT_TRUE(page.body.contains("Owned by")) << path;
    EXPECT_TRUE(page.body.contains(">olga</bdi>")) << path;
    EXPECT_FALSE(page.body.contains(">paul</bdi>")) << path << ": he publishes, and no more";
  }
}

TEST_F(VersionFormsTest, ASessionThatEndsMeanwhileLeadsBackToTheEmptyForm) {
  olga_.Open(Of(kModuleForms, "withdraw"));
  api_.clock.now += std::chrono::seconds(service::Sessions::kLife).count();
  Reply reply = olga_.Submit(Of(kModuleForms, "withdraw"), Withdrawal());
  EXPECT_EQ(reply.status, 303U);
  olga_.Open(reply.Get("Location"));
  Reply in = olga_.Submit("/login", {{"username", "olga"},
                                     {"password", std::string(kVersionersPassword)},
                                     {"to", olga_.HiddenFields().back().second}});
  Reply form = olga_.Open(in.Get("Location"));
  EXPECT_EQ(form.status, 200U);
  EXPECT_FALSE(form.body.contains("value=\"leaks a key\""));
  EXPECT_EQ(Versions().size(), 2U);
}

TEST_F(VersionFormsTest, TheAuditLogSaysWhoDidIt) {
  olga_.Open(Of(kModuleForms, "withdraw"));
  ASSERT_EQ(olga_.Submit(Of(kModuleForms, "withdraw"), Withdrawal()).status, 303U);
  api_.WriteAudit();
  Reply log = olga_.Open("/namespaces/acme/activity");
  EXPECT_TRUE(log.body.contains("module.withdraw"));
  EXPECT_TRUE(log.body.contains("olga"));
}

}  // namespace
}  // namespace koya::api
