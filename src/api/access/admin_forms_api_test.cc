// The administrator's forms: actions, errors, and the message when another client was quicker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/browser_fake.h"
#include "api/common/cookies.h"
#include "base/run_task.h"
#include "base/temp_folder_fake.h"
#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sql/open_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"
#include "service/common/refused_updates_fake.h"

namespace koya::api {
namespace {

constexpr std::string_view kFormsPassword = "correct horse battery";

class AdminFormsTest : public ::testing::Test {
 protected:
  AdminFormsTest() {
    api_.AddUser("ada", std::string(kFormsPassword), true);
    api_.AddUser("eve", std::string(kFormsPassword));
    EXPECT_EQ(ada_.SignIn("ada", kFormsPassword).status, 303U);
    ada_.Open("/-/admin");
  }

  Reply Post(std::string_view path, FormFields form) { return ada_.Submit(path, std::move(form)); }
  // The action leads there, and the page reports it once.
  void ExpectDone(std::string_view path, FormFields form, std::string_view to,
                  std::string_view told) {
    const Reply reply = Post(path, std::move(form));
    EXPECT_EQ(reply.status, 303U) << path << reply.body;
    EXPECT_EQ(reply.Get("Location"), to) << path;
    const Reply shown = ada_.Open(reply.Get("Location"));
    EXPECT_TRUE(shown.body.contains(told)) << path << " lacks " << told << "\n" << shown.body;
    EXPECT_FALSE(ada_.Open(to).body.contains(told)) << "told once";
  }
  void ExpectRefused(std::string_view path, FormFields form, std::string_view told,
                     unsigned status = 422) {
    const Reply reply = Post(path, std::move(form));
    EXPECT_EQ(reply.status, status) << path;
    EXPECT_TRUE(reply.body.contains(told)) << path << " lacks " << told << "\n" << reply.body;
  }
  bool HasUser(const std::string& name) {
    return RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, name)).has_value();
  }
  bool IsDisabled(const std::string& name) {
    return RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, name))
        ->disabled_at.has_value();
  }
  // Without a way in.
  void AddUser(const std::string& name) {
    ASSERT_TRUE(RunTask(api_.catalog().accounts().AddAccount(
        Actor::Server(), {.id = name, .kind = AccountKind::kUser, .name = name})));
  }
  void AddGroup(const std::string& name) {
    ASSERT_TRUE(RunTask(api_.catalog().accounts().AddGroup(Actor::Server(), {.name = name})));
  }

  ApiFixture api_;
  FakeBrowser ada_{api_};
};

// ---- users

TEST_F(AdminFormsTest, UsersHaveTheAddressThatTheirProviderSays) {
  IdentityProviderRecord corp{.name = "corp", .issuer = "https://id.example.com", .groups = {}};
  ASSERT_TRUE(
      RunTask(api_.catalog().identities().AddIdentityProvider(Actor::Server(), std::move(corp))));
  IdentityClaim bob{.provider = "corp", .subject = "1", .wanted_name = "bob", .groups = {}};
  bob.email = "<b>@example.com";
  ASSERT_TRUE(
      RunTask(api_.catalog().identities().RecordIdentity(Actor::Server(), std::move(bob), 1)));
  for (const char* path : {"/-/admin/users", "/-/admin/users/bob"}) {
    const Reply page = ada_.Open(path);
    EXPECT_TRUE(page.body.contains("<bdi>&lt;b&gt;@example.com</bdi>")) << path << page.body;
  }
  const Reply eve = ada_.Open("/-/admin/users/eve");
  EXPECT_TRUE(eve.body.contains("<dt>E-mail</dt><dd translate=\"no\">–</dd>")) << eve.body;
  FakeBrowser other(api_);
  other.SignIn("eve", kFormsPassword);
  EXPECT_EQ(other.Open("/-/admin/users/bob").status, 404U);
}

TEST_F(AdminFormsTest, UsersAreFoundAndListedByPages) {
  for (int i = 0; i < 60; ++i) AddUser(fmt::format("user{:02}", i));
  const Reply first = ada_.Open("/-/admin/users");
  EXPECT_TRUE(first.body.contains(">ada<"));
  EXPECT_TRUE(first.body.contains("/-/admin/users?page=2"));
  EXPECT_FALSE(first.body.contains(">user59<"));
  EXPECT_TRUE(ada_.Open("/-/admin/users?page=2").body.contains(">user59<"));
  EXPECT_TRUE(ada_.Open("/-/admin/users?q=USER59").body.contains(">user59<"));
  EXPECT_TRUE(ada_.Open("/-/admin/users?q=%25").body.contains("No matching users"));
  EXPECT_EQ(ada_.Open("/-/admin/users?page=99999999").status, 200U);
  for (const char* query : {"page=0", "page=-1", "page=x", "q=%", "q=%FF"}) {
    EXPECT_EQ(ada_.Open(fmt::format("/-/admin/users?{}", query)).status, 400U) << query;
  }
}

TEST_F(AdminFormsTest, AUserIsMadeWithAPassword) {
  ExpectDone("/-/admin/users",
             {{"name", "mika@kumo.example"},
              {"password", std::string(kFormsPassword)},
              {"password_again", std::string(kFormsPassword)},
              {"admin", "yes"}},
             "/-/admin/users/mika%40kumo.example", "was created");
  FakeBrowser mika(api_);
  EXPECT_EQ(mika.SignIn("mika@kumo.example", kFormsPassword, "/-/admin").status, 303U);
  EXPECT_EQ(mika.Open("/-/admin").status, 200U);
  ExpectDone("/-/admin/users", {{"name", "plain"}}, "/-/admin/users/plain", "was created");
  EXPECT_EQ(FakeBrowser(api_).SignIn("plain", "").status, 401U) << "no password, no way in";
}

TEST_F(AdminFormsTest, WhatIsWrongWithANewUserIsToldAndKept) {
  for (const char* name : {"", "a b", "..", "größe", "<b>", "a/b"}) {
    ExpectRefused("/-/admin/users", {{"name", name}}, "Use 1 to 64 letters");
  }
  ExpectRefused("/-/admin/users", {{"name", "\"><script>"}}, "value=\"&quot;&gt;&lt;script&gt;\"");
  ExpectRefused("/-/admin/users", {{"name", "EVE"}}, "This user name is taken");
  ExpectRefused("/-/admin/users", {{"name", "x"}, {"password", "short"}}, "at least 12");
  ExpectRefused("/-/admin/users",
                {{"name", "x"},
                 {"password", std::string(kFormsPassword)},
                 {"password_again", "another horse battery"}},
                "do not match");
  const Reply kept = Post("/-/admin/users",
                          {{"name", "x"}, {"password", "a secret that is too"}, {"admin", "yes"}});
  EXPECT_TRUE(kept.body.contains("value=\"x\""));
  EXPECT_TRUE(kept.body.contains("checked"));
  EXPECT_FALSE(kept.body.contains("a secret that is too")) << "no page holds a password";
  EXPECT_FALSE(HasUser("x"));
}

TEST_F(AdminFormsTest, AUserIsDisabledAndEnabled) {
  FakeBrowser eve(api_);
  eve.SignIn("eve", kFormsPassword);
  ExpectDone("/-/admin/users/eve", {{"do", "disable"}}, "/-/admin/users/eve", "eve is disabled.");
  EXPECT_TRUE(IsDisabled("eve"));
  EXPECT_FALSE(eve.Open("/").body.contains("/-/sign-out"));
  ExpectDone("/-/admin/users/eve", {{"do", "enable"}}, "/-/admin/users/eve", "enabled again");
  EXPECT_FALSE(IsDisabled("eve"));
  for (const char* what : {"", "fly", "delete", "ENABLE"}) {
    EXPECT_EQ(Post("/-/admin/users/eve", {{"do", what}}).status, 400U) << what;
  }
}

TEST_F(AdminFormsTest, TheLastAdministratorStays) {
  ExpectRefused("/-/admin/users/ada", {{"do", "disable"}},
                "At least one administrator must remain");
  ExpectRefused("/-/admin/users/ada/delete", {{"typed", "ada"}},
                "At least one administrator must remain");
  EXPECT_FALSE(IsDisabled("ada"));
}

TEST_F(AdminFormsTest, APasswordIsSetAndEndsSessions) {
  FakeBrowser eve(api_);
  eve.SignIn("eve", kFormsPassword);
  EXPECT_TRUE(ada_.Open("/-/admin/users/eve").body.contains("192.0.2.1"));
  ExpectRefused("/-/admin/users/eve", {{"do", "password"}}, "at least 12");
  ExpectRefused("/-/admin/users/eve", {{"do", "password"}, {"password", "another horse battery"}},
                "do not match");
  ExpectDone("/-/admin/users/eve",
             {{"do", "password"},
              {"password", "another horse battery"},
              {"password_again", "another horse battery"}},
             "/-/admin/users/eve", "all their sessions ended");
  EXPECT_FALSE(eve.Open("/").body.contains("/-/sign-out"));
  EXPECT_EQ(eve.SignIn("eve", "another horse battery").status, 303U);
  ExpectDone("/-/admin/users/eve", {{"do", "sessions"}}, "/-/admin/users/eve", "signed out");
  EXPECT_FALSE(eve.Open("/").body.contains("/-/sign-out"));
}

TEST_F(AdminFormsTest, AUserIsDeletedWhenTheNameIsTyped) {
  EXPECT_TRUE(ada_.Open("/-/admin/users/eve/delete").body.contains("koya user delete eve"));
  for (const char* typed : {"", "EVE", "eve ", "ada"}) {
    ExpectRefused("/-/admin/users/eve/delete", {{"typed", typed}}, "name does not match");
  }
  EXPECT_TRUE(HasUser("eve"));
  ExpectDone("/-/admin/users/eve/delete", {{"typed", "eve"}}, "/-/admin/users", "was deleted");
  EXPECT_FALSE(HasUser("eve"));
}

TEST_F(AdminFormsTest, WhoIsGoneBetweenTwoClicksIsToldOf) {
  ASSERT_TRUE(
      RunTask(api_.catalog().accounts().RemoveAccount(Actor::Server(), AccountKind::kUser, "eve")));
  for (const char* what : {"disable", "enable", "sessions"}) {
    ExpectDone("/-/admin/users/eve", {{"do", what}}, "/-/admin/users", "no longer exists");
  }
  ExpectDone("/-/admin/users/eve/delete", {{"typed", "eve"}}, "/-/admin/users", "no longer exists");
  EXPECT_EQ(ada_.Open("/-/admin/users/eve").status, 404U);
  EXPECT_EQ(ada_.Open("/-/admin/users/eve/delete").status, 404U);
  ExpectDone("/-/admin/tokens/none/revoke", {}, "/-/admin/tokens", "no longer exists");
}

TEST_F(AdminFormsTest, AnybodysTokenIsRevokedAfterAQuestion) {
  const AccountRecord eve =
      RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, "eve")).value();
  ASSERT_TRUE(RunTask(api_.catalog().tokens().AddToken(
      Actor::Server(),
      {.name = "hers", .secret = Digest::Of("x"), .namespaces = {}, .account_id = eve.id})));
  EXPECT_TRUE(
      ada_.Open("/-/admin/users/eve").body.contains("/-/admin/tokens/hers/revoke?user=eve"));
  const Reply asked = ada_.Open("/-/admin/tokens/hers/revoke?user=eve");
  EXPECT_TRUE(asked.body.contains("koya token revoke hers")) << asked.body;
  FormFields form = ada_.HiddenFields();
  EXPECT_FALSE(form.empty());
  ExpectDone("/-/admin/tokens/hers/revoke", form, "/-/admin/users/eve", "was revoked");
  EXPECT_EQ(RunTask(api_.catalog().tokens().ListTokens())->size(), 0U);
  EXPECT_EQ(Post("/-/admin/tokens/hers/revoke", {{"user", "//evil.example"}}).Get("Location"),
            "/-/admin/tokens");
}

TEST_F(AdminFormsTest, TenThousandTokensAreFilteredAndListedByPages) {
  ASSERT_TRUE(RunTask(api_.catalog().accounts().AddAccount(
      Actor::Server(),
      {.id = "ci", .kind = AccountKind::kService, .name = "ci", .created_by = "<b>mika"})));
  const std::string longest(64, 'z');
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(RunTask(api_.catalog().tokens().AddToken(
        Actor::Server(),
        {.name = i == 0 ? longest : fmt::format("t{:05}", i),
         .secret = Digest::Of(std::to_string(i)),
         .namespaces = {},
         .account_id = "ci",
         .created_at = api_.clock.now,
         .created_by = {},
         .expires_at = i % 2 == 0 ? std::nullopt : std::optional(api_.clock.now + 864'000)})));
  }
  const Reply first = ada_.Open("/-/admin/tokens");
  EXPECT_TRUE(first.body.contains(">t00001<") && first.body.contains("/-/admin/tokens?page=2"));
  EXPECT_FALSE(first.body.contains(">t00051<"));
  EXPECT_TRUE(first.body.contains("&lt;b&gt;mika")) << "who made the service account";
  EXPECT_LT(first.body.size(), 30'000U);
  EXPECT_TRUE(ada_.Open("/-/admin/tokens?page=334").body.contains(longest));
  const Reply never = ada_.Open("/-/admin/tokens?filter=never_expires&page=2");
  EXPECT_TRUE(never.body.contains("filter=never_expires&amp;page=3")) << never.body;
  EXPECT_FALSE(never.body.contains(">t00051<"));
  EXPECT_TRUE(ada_.Open("/-/admin/tokens?filter=ends_soon").body.contains(">t00001<"));
  EXPECT_TRUE(ada_.Open("/-/admin/tokens?filter=unused").body.contains("No matching tokens"));
  EXPECT_TRUE(ada_.Open("/-/admin/tokens?page=99999").body.contains("No matching tokens"));
  const Reply services = ada_.Open("/-/admin/services");
  EXPECT_TRUE(services.body.contains("10,000") && services.body.contains("&lt;b&gt;mika"))
      << services.body;
  EXPECT_TRUE(ada_.Open("/-/admin/services?q=zz").body.contains("No matching service accounts"));
  for (const char* bad :
       {"tokens?filter=x", "tokens?page=0", "services?page=x", "services?q=%FF"}) {
    EXPECT_EQ(ada_.Open(fmt::format("/-/admin/{}", bad)).status, 400U) << bad;
  }
}

TEST_F(AdminFormsTest, ServiceAccountsAreCreatedDisabledAndDeleted) {
  const char* const path = "/-/admin/services";
  EXPECT_EQ(Post(path, {{"name", "a b"}}).status, 422U);
  EXPECT_EQ(Post(path, {}).status, 422U);
  EXPECT_EQ(Post(path, {{"name", "builder"}}).status, 303U);
  const Reply again = Post(path, {{"name", "Builder"}});
  EXPECT_EQ(again.status, 422U);
  EXPECT_TRUE(again.body.contains("This name is taken")) << again.body;
  EXPECT_EQ(Post(path, {{"disable", "builder"}}).status, 303U);
  EXPECT_TRUE(ada_.Open(path).body.contains("name=\"enable\" value=\"builder\""));
  EXPECT_EQ(Post(path, {{"enable", "builder"}}).status, 303U);
  EXPECT_TRUE(ada_.Open(path).body.contains("name=\"disable\" value=\"builder\""));
  EXPECT_EQ(Post(path, {{"disable", "nosuch"}}).status, 303U) << "says that it is gone";
  EXPECT_EQ(Post(path, {{"disable", "../x"}}).status, 404U);
  const std::string del = "/-/admin/services/builder/delete";
  EXPECT_TRUE(ada_.Open(del).body.contains("koya service delete builder"));
  EXPECT_EQ(Post(del, {{"typed", "other"}}).status, 422U);
  EXPECT_EQ(Post(del, {{"typed", "builder"}}).status, 303U);
  EXPECT_EQ(ada_.Open(del).status, 404U);
  EXPECT_FALSE(ada_.Open(path).body.contains("value=\"builder\""));
}

TEST_F(AdminFormsTest, NoNameOfAUserLeadsAnywhereElse) {
  for (const char* name : {"..", "%2e%2e", "a%2fb", "%00", "%3Cscript%3E", "a%20b", "%FF"}) {
    const unsigned status = ada_.Open(fmt::format("/-/admin/users/{}", name)).status;
    EXPECT_TRUE(status == 404 || status == 400) << name << ": " << status;
    const unsigned posted =
        Post(fmt::format("/-/admin/users/{}", name), {{"do", "disable"}}).status;
    EXPECT_TRUE(posted == 404 || posted == 400) << name << ": " << posted;
  }
}

// ---- groups

TEST_F(AdminFormsTest, AGroupIsMadeFilledAndDeleted) {
  ExpectDone("/-/admin/groups", {{"name", "ops"}}, "/-/admin/groups/ops", "was created");
  ExpectRefused("/-/admin/groups", {{"name", "OPS"}}, "This group name is taken");
  for (const char* name : {"", "a b", "..", "a@b", "<b>"}) {
    ExpectRefused("/-/admin/groups", {{"name", name}}, "Use 1 to 64 letters");
  }
  ExpectDone("/-/admin/groups/ops", {{"kind", "user"}, {"member", "eve"}}, "/-/admin/groups/ops",
             "eve is in the group.");
  ExpectRefused("/-/admin/groups/ops", {{"kind", "user"}, {"member", "nobody"}},
                "no such account or group");
  ExpectRefused("/-/admin/groups/ops", {{"kind", "service"}, {"member", "eve"}},
                "no such account or group");
  ExpectRefused("/-/admin/groups/ops", {{"kind", "cat"}, {"member", "eve"}}, "Choose one");
  ExpectDone("/-/admin/groups/ops", {{"remove", "user:eve"}}, "/-/admin/groups/ops",
             "was removed from the group");
  ExpectDone("/-/admin/groups/ops", {{"remove", "user:eve"}}, "/-/admin/groups/ops",
             "was no longer in the group");
  for (const char* member : {"eve", "cat:eve", "user:", ":", "user:a b"}) {
    EXPECT_EQ(Post("/-/admin/groups/ops", {{"remove", member}}).status, 400U) << member;
  }
  ExpectRefused("/-/admin/groups/ops/delete", {{"typed", "opps"}}, "name does not match");
  ExpectDone("/-/admin/groups/ops/delete", {{"typed", "ops"}}, "/-/admin/groups", "was deleted");
  ExpectDone("/-/admin/groups/ops/delete", {{"typed", "ops"}}, "/-/admin/groups",
             "The group ops no longer exists");
  ExpectDone("/-/admin/groups/ops", {{"kind", "user"}, {"member", "eve"}}, "/-/admin/groups",
             "The group ops no longer exists");
  EXPECT_EQ(ada_.Open("/-/admin/groups/ops").status, 404U);
}

TEST_F(AdminFormsTest, GroupsAndMembersAreListedByPages) {
  for (int i = 0; i < 60; ++i) {
    AddGroup(fmt::format("group{:02}", i));
    AddUser(fmt::format("user{:02}", i));
    ASSERT_TRUE(RunTask(api_.catalog().accounts().AddMember(
        Actor::Server(), "group00", {AccountKind::kUser, fmt::format("user{:02}", i), ""})));
  }
  EXPECT_FALSE(ada_.Open("/-/admin/groups").body.contains(">group59<"));
  EXPECT_TRUE(ada_.Open("/-/admin/groups?page=2").body.contains(">group59<"));
  EXPECT_TRUE(ada_.Open("/-/admin/groups?q=UP5").body.contains(">group59<"));
  EXPECT_FALSE(ada_.Open("/-/admin/groups/group00").body.contains(">user59<"));
  EXPECT_TRUE(ada_.Open("/-/admin/groups/group00?page=2").body.contains(">user59<"));
  EXPECT_EQ(ada_.Open("/-/admin/groups?page=x").status, 400U);
}

// ---- grants

TEST_F(AdminFormsTest, ARoleIsGiven) {
  AddGroup("ops");
  ASSERT_TRUE(RunTask(api_.catalog().namespaces().AddNamespace(Actor::Server(), {.name = "acme"})));
  const FormFields form{{"ns", "ACME"}, {"kind", "group"}, {"grantee", "ops"}, {"role", "owner"}};
  ExpectDone("/-/admin/grants", form, "/-/admin/grants?q=acme", "has the role now");
  EXPECT_EQ(RunTask(api_.catalog().namespaces().ListGrants("acme"))->size(), 1U);
  struct Row {
    FormFields form;
    std::string_view told;
  };
  for (const Row& row :
       {Row{{{"ns", ""}, {"kind", "group"}, {"grantee", "ops"}, {"role", "owner"}},
            "This namespace does not exist"},
        Row{{{"ns", "nowhere"}, {"kind", "group"}, {"grantee", "ops"}, {"role", "owner"}},
            "nowhere"},
        Row{{{"ns", "acme"}, {"kind", "cat"}, {"grantee", "ops"}, {"role", "owner"}}, "Choose one"},
        Row{{{"ns", "acme"}, {"kind", "group"}, {"grantee", ""}, {"role", "owner"}},
            "field is required"},
        Row{{{"ns", "acme"}, {"kind", "user"}, {"grantee", "ops"}, {"role", "owner"}}, "ops"},
        Row{{{"ns", "acme"}, {"kind", "group"}, {"grantee", "ops"}, {"role", "god"}},
            "Choose one"}}) {
    ExpectRefused("/-/admin/grants", row.form, row.told);
  }
}

// ---- sessions that ended, forged forms

TEST_F(AdminFormsTest, AFormThatWasForgedDoesNothing) {
  const Reply forged = Post("/-/admin/users/eve", {{"do", "disable"}, {"csrf", "x"}});
  EXPECT_EQ(forged.status, 403U);
  FakeBrowser eve(api_);
  eve.SignIn("eve", kFormsPassword);
  eve.Open("/");
  EXPECT_EQ(eve.Submit("/-/admin/users/eve", {{"do", "disable"}, {"csrf", ada_.csrf}}).status,
            403U);
  EXPECT_EQ(eve.Submit("/-/admin/users/ada", {{"do", "disable"}}).status, 404U);
  ada_.fields = {{"Sec-Fetch-Site", "cross-site"}};
  EXPECT_EQ(Post("/-/admin/users/eve", {{"do", "disable"}}).status, 403U);
  EXPECT_FALSE(IsDisabled("eve"));
}

TEST_F(AdminFormsTest, WhoeverSignsInAgainFindsTheEmptyForm) {
  FakeBrowser visitor(api_);
  visitor.Open("/login");
  const Reply led = visitor.Submit("/-/admin/groups", {{"name", "ops"}});
  EXPECT_EQ(led.status, 303U);
  EXPECT_EQ(led.Get("Location"), "/login?to=/-/admin/groups");
  EXPECT_EQ(visitor.SignIn("ada", kFormsPassword, "/-/admin/groups").status, 303U);
  const Reply form = visitor.Open("/-/admin/groups");
  EXPECT_EQ(form.status, 200U);
  EXPECT_FALSE(form.body.contains("value=\"ops\""));
}

TEST_F(AdminFormsTest, WhoDidItStandsInTheAuditLog) {
  Post("/-/admin/users/eve", {{"do", "disable"}});
  AuditFilter filter;
  filter.action = "account.disable";
  auto records = RunTask(api_.catalog().audit().ListAudit(filter, 5));
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 1U);
  EXPECT_EQ(records->front().entry.by.name, "user:ada");
  EXPECT_EQ(records->front().entry.by.address, "192.0.2.1");
}

// ---- sign-in providers

class AdminSignInTest : public AdminFormsTest {
 protected:
  AdminSignInTest() {
    AddGroup("platform");
    EXPECT_TRUE(RunTask(api_.catalog().identities().AddIdentityProvider(
        Actor::Server(), {.name = "corp",
                          .issuer = "https://id.example.com",
                          .client_id = "koya",
                          .groups_claim = "groups",
                          .groups = {{"eng", "platform"}}})));
  }
  static std::string Parameter(const std::string& url, std::string_view name) {
    const std::size_t at = url.find(fmt::format("&{}=", name)) + name.size() + 2;
    return url.substr(at, url.find('&', at) - at);
  }
  // The callback URL to which the provider sends the browser, with its facts about the user.
  std::string BackFrom(const std::string& location) {
    api_.issuers.answer = fmt::format(
        R"({{"id_token":"{}"}})",
        api_.issuers.Token(fmt::format(
            R"({{"iss":"https://id.example.com","sub":"42","exp":{},"iat":{},"aud":"koya",)"
            R"("nonce":"{}","email":"<b>@example.com","groups":["eng","x"]}})",
            api_.clock.Now() + 300, api_.clock.Now(), Parameter(location, "nonce"))));
    return fmt::format("/-/oidc/corp/callback?code=c&state={}", Parameter(location, "state"));
  }
};

TEST_F(AdminSignInTest, AProviderIsShownAndAsked) {
  EXPECT_TRUE(ada_.Open("/-/admin/sign-in").body.contains("https://id.example.com"));
  const Reply shown = ada_.Open("/-/admin/sign-in/corp");
  EXPECT_TRUE(shown.body.contains("/-/oidc/corp/callback"));
  EXPECT_TRUE(shown.body.contains("koya idp test corp"));
  const Reply asked = Post("/-/admin/sign-in/corp", {});
  EXPECT_EQ(asked.status, 200U);
  EXPECT_TRUE(asked.body.contains("People can sign in with it")) << asked.body;
  api_.issuers.down = true;
  EXPECT_TRUE(Post("/-/admin/sign-in/corp", {}).body.contains("cannot sign in with it"));
  for (const char* name : {"nobody", "..", "a%20b", "%00"}) {
    const unsigned status = ada_.Open(fmt::format("/-/admin/sign-in/{}", name)).status;
    EXPECT_TRUE(status == 404 || status == 400) << name;
  }
}

TEST_F(AdminSignInTest, ATrialShowsWhatWouldComeOfItAndSignsNobodyIn) {
  const Reply begun = ada_.Open("/-/admin/sign-in/corp/trial");
  ASSERT_EQ(begun.status, 303U);
  const std::string session = ada_.cookies.at(std::string(kSessionCookie));
  const Reply back = ada_.Open(BackFrom(begun.Get("Location")));
  EXPECT_EQ(back.status, 200U);
  for (const char* told :
       {"The test succeeded", "-b-@example.com", ">platform<", ">eng<", "&lt;b&gt;@example.com"}) {
    EXPECT_TRUE(back.body.contains(told)) << told << back.body;
  }
  EXPECT_EQ(ada_.cookies.at(std::string(kSessionCookie)), session) << "still ada";
  EXPECT_FALSE(ada_.cookies.contains(std::string(kOidcCookie)));
  EXPECT_EQ(RunTask(api_.catalog().accounts().ListAccounts(AccountKind::kUser))->size(), 2U)
      << "nobody new";
}

TEST_F(AdminSignInTest, ATrialThatFailsSaysWhy) {
  const Reply begun = ada_.Open("/-/admin/sign-in/corp/trial");
  const std::string back = BackFrom(begun.Get("Location"));
  const std::string state = Parameter(back, "state");
  const Reply denied =
      ada_.Open(fmt::format("/-/oidc/corp/callback?state={}&error=access_denied", state));
  EXPECT_TRUE(denied.body.contains("access_denied")) << denied.body;
  EXPECT_TRUE(denied.body.contains("The test failed"));
  // The cookie is gone: the callback now belongs to no sign-in.
  EXPECT_NE(ada_.Open(back).status, 200U);
  api_.issuers.down = true;
  const Reply down = ada_.Open("/-/admin/sign-in/corp/trial");
  EXPECT_EQ(down.status, 200U);
  EXPECT_TRUE(down.body.contains("does not answer")) << down.body;
}

TEST_F(AdminSignInTest, ATrialIsOfTheAdministratorWhoBeganIt) {
  const Reply begun = ada_.Open("/-/admin/sign-in/corp/trial");
  const std::string back = BackFrom(begun.Get("Location"));
  FakeBrowser eve(api_);
  eve.SignIn("eve", kFormsPassword);
  eve.cookies[std::string(kOidcCookie)] = ada_.cookies.at(std::string(kOidcCookie));
  EXPECT_EQ(eve.Open(back).status, 404U);
  FakeBrowser visitor(api_);
  visitor.cookies[std::string(kOidcCookie)] = ada_.cookies.at(std::string(kOidcCookie));
  const Reply led = visitor.Open(back);
  EXPECT_EQ(led.status, 303U);
  EXPECT_TRUE(led.Get("Location").starts_with("/login?to=")) << led.Get("Location");
  EXPECT_FALSE(visitor.cookies.contains(std::string(kSessionCookie)));
}

// ---- a user created by an administrator, whose first password cannot be stored: the account
// exists, and the administrator learns that the password is missing.

constexpr std::string_view kNewUserPassword = "correct horse battery";

class AdminNewUserTest : public ::testing::Test {
 protected:
  AdminNewUserTest() {
    api_.AddUser("ada", std::string(kNewUserPassword), true);
    EXPECT_EQ(ada_.SignIn("ada", kNewUserPassword).status, 303U);
    ada_.Open("/-/admin/users");
    service::RefuseInserts(file(), "account_password");
  }

  std::string file() const { return folder_ / "koya.db"; }
  static FormFields Wanted() {
    return {{"name", "mika"},
            {"password", std::string(kNewUserPassword)},
            {"password_again", std::string(kNewUserPassword)}};
  }
  bool HasUser(const std::string& name) {
    return RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, name)).has_value();
  }

  TempFolder folder_;
  ApiFixture api_{std::shared_ptr<Catalog>(OpenCatalog({.url = "sqlite:" + file()}).value())};
  FakeBrowser ada_{api_};
};

TEST_F(AdminNewUserTest, WhosePasswordCouldNotBeSetHasAPageThatSaysSo) {
  const Reply reply = ada_.Submit("/-/admin/users", Wanted());
  EXPECT_EQ(reply.status, 422U);
  EXPECT_TRUE(reply.body.contains("action=\"/-/admin/users/mika\"")) << reply.body;
  EXPECT_TRUE(reply.body.contains("could not use its catalog")) << "why: " << reply.body;
  EXPECT_TRUE(reply.body.contains("href=\"#password\"")) << "where: " << reply.body;
  EXPECT_FALSE(reply.body.contains("was created")) << "and not that all is well";
  EXPECT_FALSE(reply.body.contains(kNewUserPassword)) << "no page holds a password";
  EXPECT_TRUE(HasUser("mika")) << "the page is of somebody who is there";
  EXPECT_EQ(FakeBrowser(api_).SignIn("mika", kNewUserPassword).status, 401U);
}

TEST_F(AdminNewUserTest, GetsThePasswordOnThatPageLater) {
  ASSERT_EQ(ada_.Submit("/-/admin/users", Wanted()).status, 422U);
  EXPECT_EQ(ada_.Submit("/-/admin/users", Wanted()).status, 422U) << "the name is taken by now";
  service::AllowInserts(file(), "account_password");
  const Reply set =
      ada_.Submit("/-/admin/users/mika", {{"do", "password"},
                                          {"password", std::string(kNewUserPassword)},
                                          {"password_again", std::string(kNewUserPassword)}});
  EXPECT_EQ(set.status, 303U) << set.body;
  EXPECT_EQ(FakeBrowser(api_).SignIn("mika", kNewUserPassword).status, 303U);
}

TEST_F(AdminNewUserTest, WhoNeedsNoPasswordIsMadeAllTheSame) {
  const Reply reply = ada_.Submit("/-/admin/users", {{"name", "plain"}});
  EXPECT_EQ(reply.status, 303U) << reply.body;
  EXPECT_EQ(reply.Get("Location"), "/-/admin/users/plain");
  EXPECT_TRUE(HasUser("plain"));
}

TEST_F(AdminSignInTest, AProviderIsAddedTestedAndDisabled) {
  const FormFields whole = {{"name", "kumo"},           {"issuer", "https://id.example.com"},
                            {"client_id", "koya"},      {"client_secret", "s3cret"},
                            {"groups_claim", "groups"}, {"groups", "eng=x=platform\r\n\r\n"}};
  ExpectDone("/-/admin/sign-in", whole, "/-/admin/sign-in/kumo", "was added");
  const Reply added = ada_.Open("/-/admin/sign-in/kumo");
  EXPECT_TRUE(added.body.contains(">disabled<") && added.body.contains("Check and enable"));
  EXPECT_TRUE(added.body.contains("eng=x</bdi>") && !added.body.contains("s3cret")) << added.body;
  EXPECT_FALSE(FakeBrowser(api_).Open("/login").body.contains("/-/oidc/kumo/start"));
  const Reply tested = Post("/-/admin/sign-in/kumo", {});
  EXPECT_TRUE(tested.body.contains(">enabled<")) << tested.body;
  EXPECT_TRUE(FakeBrowser(api_).Open("/login").body.contains("/-/oidc/kumo/start"));
  ExpectDone("/-/admin/sign-in/kumo", {{"do", "disable"}}, "/-/admin/sign-in/kumo", "is disabled.");
  EXPECT_FALSE(FakeBrowser(api_).Open("/login").body.contains("/-/oidc/kumo/start"));
  struct Bad {
    std::string field, value;
    std::string_view told;
  };
  for (const Bad& bad :
       {Bad{"name", "", "field is required"}, Bad{"name", "a b", "is not allowed"},
        Bad{"name", "KUMO", "already a sign-in provider"}, Bad{"issuer", "", "field is required"},
        Bad{"issuer", "http://id.example.com", "http"}, Bad{"client_id", "", "field is required"},
        Bad{"groups", "eng", "THEIRS=OURS"}, Bad{"groups", "=platform", "THEIRS=OURS"},
        Bad{"groups", "eng=nowhere", "nowhere"}, Bad{"groups_claim", "", "groups are mapped"}}) {
    FormFields form = whole;
    form[0].second = "other";
    for (auto& [field, value] : form) {
      if (field == bad.field) value = bad.value;
    }
    const Reply reply = Post("/-/admin/sign-in", form);
    EXPECT_EQ(reply.status, 422U) << bad.field << bad.value;
    EXPECT_TRUE(reply.body.contains(bad.told)) << bad.told << reply.body;
    EXPECT_FALSE(reply.body.contains("s3cret")) << "a secret is not sent back";
  }
  EXPECT_EQ(Post("/-/admin/sign-in/nowhere", {{"do", "disable"}}).status, 404U);
}

}  // namespace

}  // namespace koya::api
