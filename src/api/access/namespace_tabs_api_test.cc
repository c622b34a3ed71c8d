// What owners look after in a namespace, as pages: roles, keys, trusted CI, settings, activity.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/key_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"
#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"
#include "domain/version_step.h"
#include "service/sign_in/sessions.h"
#include "wire/provider_publishing.h"

namespace koya::api {
namespace {

constexpr std::string_view kTabsPassword = "correct horse battery";
constexpr std::array<std::string_view, 4> kOwnersTabs{"people", "publishing", "settings",
                                                      "activity"};

class NamespaceTabsTest : public ::testing::Test {
 protected:
  NamespaceTabsTest() {
    for (std::string_view user : {"olga", "rita", "eve"}) {
      api_.AddUser(std::string(user), std::string(kTabsPassword));
    }
    api_.AddUser("ada", std::string(kTabsPassword), true);
    api_.token = api_.Token(Scope::kAdmin);
    for (std::string_view ns : {"acme", "veiled"}) {
      Put(fmt::format("/api/v1/namespaces/{}", ns), R"({"visibility":"private"})");
      Put(fmt::format("/api/v1/namespaces/{}/grants/users/olga", ns), R"({"role":"owner"})");
    }
    Put("/api/v1/namespaces/acme/grants/users/rita", R"({"role":"reader"})");
    api_.token.clear();
    olga_.SignIn("olga", kTabsPassword);
    olga_.Open("/-/settings");
  }

  void Put(std::string path, std::string body) {
    Question question{.method = http::Method::kPut, .path = std::move(path)};
    question.body = std::move(body);
    EXPECT_LT(api_.Ask(question).status, 300U) << question.path;
  }

  // A public key in armor, as another namespace's server key.
  std::string PublicKey() {
    api_.token = api_.Token(Scope::kAdmin);
    Question rotate{.method = http::Method::kPost, .path = "/api/v1/namespaces/donor/keys/rotate"};
    rotate.body = "{}";
    auto keys = wire::Decode<wire::KeyList>(api_.Ask(rotate).body);
    api_.token.clear();
    return keys ? keys->items.front().ascii_armor : "";
  }

  std::vector<GrantRecord> Grants(std::string ns) {
    return *RunTask(api_.catalog().namespaces().ListGrants(std::move(ns)));
  }
  bool HasRole(std::string_view name, Role role) {
    return std::ranges::any_of(Grants("acme"), [&](const GrantRecord& grant) {
      return grant.grantee == name && grant.role == role;
    });
  }

  static std::string Path(std::string_view rest) {
    return fmt::format("/namespaces/acme/{}", rest);
  }

  ApiFixture api_;
  FakeBrowser olga_{api_};
  FakeBrowser stranger_{api_};
};

TEST_F(NamespaceTabsTest, StrangersSignInFirstAndOthersFindNothing) {
  FakeBrowser rita(api_), eve(api_), ada(api_);
  rita.SignIn("rita", kTabsPassword);
  eve.SignIn("eve", kTabsPassword);
  ada.SignIn("ada", kTabsPassword);
  for (std::string_view tab : kOwnersTabs) {
    EXPECT_EQ(olga_.Open(Path(tab)).status, 200U) << tab;
    EXPECT_EQ(ada.Open(Path(tab)).status, 200U) << tab;
    EXPECT_EQ(rita.Open(Path(tab)).status, 404U) << tab << ": a reader may read, and no more";
    EXPECT_EQ(eve.Open(Path(tab)).status, 404U) << tab;
    EXPECT_EQ(eve.Open(fmt::format("/namespaces/nowhere/{}", tab)).status, 404U) << tab;
    EXPECT_EQ(ada.Open(fmt::format("/namespaces/nowhere/{}", tab)).status, 404U) << tab;
    Reply strangers = stranger_.Open(Path(tab));
    EXPECT_EQ(strangers.Get("Location"), fmt::format("/login?to={}", Path(tab)));
  }
  EXPECT_TRUE(olga_.Open("/namespaces/acme").body.contains("/namespaces/acme/people"));
  EXPECT_FALSE(rita.Open("/namespaces/acme").body.contains("/namespaces/acme/people"));
  EXPECT_TRUE(rita.Open("/namespaces/acme").body.contains("/namespaces/acme/keys"));
}

// ADR 74.
TEST_F(NamespaceTabsTest, OwnersAreNamedToWhoeverIsSignedInAndMayReadAndToNobodyElse) {
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
  Put("/api/v1/namespaces/acme", R"({"visibility":"public"})");
  const std::string token = std::exchange(api_.token, "");
  FakeBrowser eve(api_);
  eve.SignIn("eve", kTabsPassword);
  for (std::string_view path :
       {"/namespaces/acme", "/modules/acme/vpc/aws", "/modules/acme/vpc/aws/1.0.0/inputs",
        "/modules/acme/vpc/aws/1.0.0/files"}) {
    Reply of_eve = eve.Open(path);
    ASSERT_EQ(of_eve.status, 200U) << path;
    EXPECT_TRUE(of_eve.body.contains("Owned by")) << path;
    EXPECT_TRUE(of_eve.body.contains(">olga</bdi>")) << path;
    EXPECT_FALSE(of_eve.body.contains(">rita</bdi>")) << path << ": she reads, and no more";
    Reply of_anonymous = stranger_.Open(path);
    ASSERT_EQ(of_anonymous.status, 200U) << path;
    EXPECT_FALSE(of_anonymous.body.contains("olga")) << path;
  }
  // Cached pages are invalidated when roles change.
  api_.token = token;
  Put("/api/v1/namespaces/acme/grants/users/rita", R"({"role":"owner"})");
  Put("/api/v1/namespaces/acme", R"({"visibility":"private"})");
  api_.token.clear();
  EXPECT_TRUE(olga_.Open("/modules/acme/vpc/aws").body.contains(">rita</bdi>"));
  EXPECT_EQ(eve.Open("/modules/acme/vpc/aws").status, 404U) << "who may not read is told nothing";
}

TEST_F(NamespaceTabsTest, WhoeverIsNoOwnerChangesNothing) {
  FakeBrowser rita(api_);
  rita.SignIn("rita", kTabsPassword);
  rita.Open("/-/settings");
  const FormFields grant{{"kind", "user"}, {"grantee", "rita"}, {"role", "owner"}};
  EXPECT_EQ(rita.Submit(Path("people"), grant).status, 404U);
  EXPECT_EQ(rita.Submit(Path("people/remove"), {{"kind", "user"}, {"grantee", "olga"}}).status,
            404U);
  EXPECT_EQ(rita.Submit(Path("settings"), {{"visibility", "public"}, {"semver", "off"}}).status,
            404U);
  EXPECT_EQ(rita.Submit(Path("keys"), {{"key", PublicKey()}}).status, 404U);
  EXPECT_EQ(rita.Submit(Path("publishing"), {{"forge", "github"}, {"project", "eve/x"}}).status,
            404U);
  EXPECT_EQ(stranger_.Submit(Path("people"), grant).status, 303U) << "to sign in";
  EXPECT_TRUE(HasRole("rita", Role::kReader));
  EXPECT_TRUE(HasRole("olga", Role::kOwner));
  EXPECT_TRUE(RunTask(api_.catalog().trust().ListTrust("acme"))->empty());
}

TEST_F(NamespaceTabsTest, ARoleIsGivenAndTakenAway) {
  olga_.Open(Path("people"));
  Reply given =
      olga_.Submit(Path("people"), {{"kind", "user"}, {"grantee", "eve"}, {"role", "publisher"}});
  EXPECT_EQ(given.Get("Location"), Path("people"));
  Reply list = olga_.Open(Path("people"));
  EXPECT_TRUE(list.body.contains("eve has the role now."));
  EXPECT_TRUE(list.body.contains("koya grant add acme"));
  EXPECT_TRUE(HasRole("eve", Role::kPublisher));
  const std::string ask = Path("people/remove?kind=user&grantee=eve");
  Reply asks = olga_.Open(ask);
  EXPECT_EQ(asks.status, 200U);
  EXPECT_TRUE(asks.body.contains("koya grant remove acme --user eve"));
  EXPECT_TRUE(HasRole("eve", Role::kPublisher)) << "asking does nothing";
  EXPECT_EQ(olga_.Submit(Path("people/remove"), olga_.HiddenFields()).Get("Location"),
            Path("people"));
  EXPECT_FALSE(HasRole("eve", Role::kPublisher));
  EXPECT_EQ(olga_.Open(ask).status, 404U) << "it is gone";
  olga_.Open(Path("people"));
  EXPECT_EQ(olga_.Submit(Path("people/remove"), {{"kind", "user"}, {"grantee", "eve"}}).status,
            303U);
  EXPECT_TRUE(olga_.Open(Path("people")).body.contains("eve already had no role here."));
}

TEST_F(NamespaceTabsTest, ARoleThatCannotBeGivenIsExplained) {
  olga_.Open(Path("people"));
  struct Case {
    FormFields form;
    std::string_view told;
  };
  for (const Case& each :
       {Case{{{"kind", "user"}, {"grantee", "nobody"}, {"role", "owner"}},
             "no such account or group"},
        Case{{{"kind", "group"}, {"grantee", "eve"}, {"role", "owner"}},
             "no such account or group"},
        Case{{{"kind", "user"}, {"grantee", ""}, {"role", "owner"}}, "field is required"},
        Case{{{"kind", "robot"}, {"grantee", "eve"}, {"role", "owner"}}, "Choose one"},
        Case{{{"kind", "user"}, {"grantee", "eve"}, {"role", "root"}}, "Choose one"},
        Case{{{"kind", "user"}, {"grantee", "a/../b"}, {"role", "owner"}}, "aria-invalid"},
        Case{{{"kind", "user"}, {"grantee", "\u202Eeve"}, {"role", "owner"}}, "aria-invalid"}}) {
    Reply reply = olga_.Submit(Path("people"), each.form);
    EXPECT_EQ(reply.status, 422U) << each.told;
    EXPECT_TRUE(reply.body.contains(each.told)) << each.told;
    EXPECT_TRUE(reply.body.contains("href=\"#")) << each.told;
  }
  EXPECT_EQ(Grants("acme").size(), 2U);
}

TEST_F(NamespaceTabsTest, FormsOfOthersDoNothing) {
  const FormFields grant{
      {"kind", "user"}, {"grantee", "eve"}, {"role", "owner"}, {"csrf", "forged"}};
  Reply reply = olga_.Submit(Path("people"), grant);
  EXPECT_EQ(reply.status, 403U);
  EXPECT_TRUE(reply.body.contains(fmt::format("class=\"btn\" href=\"{}\"", Path("people"))));
  for (std::string_view path : {"people/remove", "settings", "keys", "publishing",
                                "keys/0123456789ABCDEF/remove", "publishing/x/remove"}) {
    EXPECT_EQ(olga_.Submit(Path(path), {{"csrf", "forged"}}).status, 403U) << path;
  }
  EXPECT_FALSE(HasRole("eve", Role::kOwner));
}

TEST_F(NamespaceTabsTest, ASessionThatEndsMeanwhileLeadsBackToTheEmptyForm) {
  olga_.Open(Path("people"));
  api_.clock.now += std::chrono::seconds(service::Sessions::kLife).count();
  Reply reply =
      olga_.Submit(Path("people"), {{"kind", "service"}, {"grantee", "ci"}, {"role", "publisher"}});
  EXPECT_EQ(reply.status, 303U);
  olga_.Open(reply.Get("Location"));
  Reply in = olga_.Submit("/login", {{"username", "olga"},
                                     {"password", std::string(kTabsPassword)},
                                     {"to", olga_.HiddenFields().back().second}});
  Reply form = olga_.Open(in.Get("Location"));
  EXPECT_EQ(form.status, 200U);
  EXPECT_FALSE(form.body.contains("value=\"ci\""));
}

TEST_F(NamespaceTabsTest, AKeyIsAddedAndRemoved) {
  const std::string armor = PublicKey();
  ASSERT_TRUE(armor.starts_with("-----BEGIN PGP PUBLIC KEY BLOCK-----"));
  EXPECT_TRUE(olga_.Open(Path("keys")).body.contains("There are no keys here."));
  Reply added = olga_.Submit(Path("keys"), {{"key", armor}});
  EXPECT_EQ(added.Get("Location"), Path("keys")) << added.body;
  const std::vector<SigningKeyRecord> keys = *RunTask(api_.catalog().keys().ListKeys("acme"));
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_TRUE(olga_.Open(Path("keys")).body.contains(keys[0].fingerprint));
  FakeBrowser rita(api_);
  rita.SignIn("rita", kTabsPassword);
  Reply read = rita.Open(Path("keys"));
  EXPECT_TRUE(read.body.contains(keys[0].fingerprint));
  EXPECT_FALSE(read.body.contains("<textarea")) << "readers change nothing";
  EXPECT_EQ(stranger_.Open(Path("keys")).status, 404U) << "the namespace is private";
  const std::string remove = Path(fmt::format("keys/{}/remove", keys[0].fingerprint));
  EXPECT_EQ(rita.Open(remove).status, 404U);
  EXPECT_TRUE(olga_.Open(remove).body.contains("koya key remove acme " + keys[0].key_id));
  EXPECT_EQ(olga_.Submit(remove, {}).status, 303U);
  EXPECT_TRUE((*RunTask(api_.catalog().keys().ListKeys("acme")))[0].removed_at);
  EXPECT_EQ(olga_.Open(remove).status, 404U);
  EXPECT_EQ(olga_.Submit(remove, {}).status, 303U) << "somebody was faster";
}

TEST_F(NamespaceTabsTest, WhatIsNoPublicKeyIsExplained) {
  olga_.Open(Path("keys"));
  for (std::string_view text :
       {"", "hello", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nabc\n",
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----"}) {
    Reply reply = olga_.Submit(Path("keys"), {{"key", std::string(text)}});
    EXPECT_EQ(reply.status, 422U) << text;
    EXPECT_TRUE(reply.body.contains("id=\"key_problem\"")) << text;
  }
  for (std::string_view id : {"0123456789ABCDEF", "x", "%2e%2e", "%F0%9F%94%91"}) {
    EXPECT_EQ(olga_.Open(Path(fmt::format("keys/{}/remove", id))).status, 404U) << id;
  }
}

TEST_F(NamespaceTabsTest, ACiIsTrustedAndNoMore) {
  olga_.Open(Path("publishing"));
  Reply added = olga_.Submit(
      Path("publishing"),
      {{"forge", "github"}, {"project", "acme/infra"}, {"ref", "refs/tags/v*"}, {"claims", ""}});
  EXPECT_EQ(added.Get("Location"), Path("publishing")) << added.body;
  std::vector<TrustRecord> trust = *RunTask(api_.catalog().trust().ListTrust("acme"));
  ASSERT_EQ(trust.size(), 1U);
  Reply list = olga_.Open(Path("publishing"));
  EXPECT_TRUE(list.body.contains("acme/infra is now trusted."));
  EXPECT_TRUE(list.body.contains("koya trust add acme --github"));
  EXPECT_FALSE(list.body.contains("Job tokens"));
  for (int seconds_left : {-1, 900}) {
    const std::string name = fmt::format("ci-{}", seconds_left);
    EXPECT_TRUE(RunTask(api_.catalog().tokens().AddJobToken(
        Actor::Server(),
        {.name = name,
         .secret = Digest::Of(name),
         .scope = Scope::kPublish,
         .namespaces = {"acme"},
         .created_at = api_.clock.now,
         .created_by = "oidc:ci.example.com job<1>",
         .expires_at = api_.clock.now + seconds_left,
         .last_used_at = std::nullopt,
         .trust_id = trust[0].id},
        {.digest = Digest::Of(name), .expires_at = api_.clock.now})));
  }
  list = olga_.Open(Path("publishing"));
  EXPECT_TRUE(list.body.contains("Job tokens"));
  EXPECT_TRUE(list.body.contains("oidc:ci.example.com job&lt;1&gt;")) << list.body;
  EXPECT_FALSE(list.body.contains("ci--1")) << "it has ended";
  EXPECT_EQ(olga_.Submit(Path("publishing/tokens"), {{"token", "ci-900"}}).Get("Location"),
            Path("publishing"));
  EXPECT_TRUE(olga_.Open(Path("publishing")).body.contains("The token was ended."));
  EXPECT_EQ(RunTask(api_.catalog().tokens().ListJobTokens("acme"))->size(), 1U);
  EXPECT_EQ(olga_.Submit(Path("publishing/tokens"), {{"token", "ci-900"}}).status, 303U);
  EXPECT_TRUE(olga_.Open(Path("publishing")).body.contains("had ended already"));
  const std::string remove = Path(fmt::format("publishing/{}/remove", trust[0].id));
  EXPECT_TRUE(olga_.Open(remove).body.contains("koya trust remove acme " + trust[0].id));
  EXPECT_EQ(olga_.Submit(remove, {}).status, 303U);
  EXPECT_TRUE(RunTask(api_.catalog().trust().ListTrust("acme"))->empty());
  EXPECT_EQ(olga_.Open(remove).status, 404U);
  EXPECT_EQ(olga_.Submit(remove, {}).status, 303U);
  EXPECT_TRUE(olga_.Open(Path("publishing")).body.contains("trust had already been removed"));
  EXPECT_FALSE(list.body.contains("Jobs on any branch"));
  FormFields own{{"forge", "other"}, {"issuer", "https://ci.example.com"}, {"claims", "job=x"}};
  EXPECT_EQ(olga_.Submit(Path("publishing"), own).status, 422U);
  own.emplace_back("own_issuer", "yes");
  EXPECT_EQ(olga_.Submit(Path("publishing"), own).status, 303U);
  EXPECT_EQ(
      olga_.Submit(Path("publishing"), {{"forge", "github"}, {"project", "acme/infra"}}).status,
      303U);
  EXPECT_TRUE(olga_.Open(Path("publishing")).body.contains("Jobs on any branch"));
}

TEST_F(NamespaceTabsTest, WhatWouldTrustStrangersIsRefused) {
  olga_.Open(Path("publishing"));
  struct Case {
    FormFields form;
    std::string_view told;
  };
  for (const Case& each :
       {Case{{{"forge", "github"}, {"project", "*/*"}}, "role=\"alert\""},
        Case{{{"forge", "github"}, {"project", ""}}, "field is required"},
        Case{{{"forge", "other"}, {"project", "x"}}, "field is required"},
        Case{{{"forge", "svn"}, {"project", "acme/infra"}}, "Choose one"},
        Case{{{"forge", "other"}, {"issuer", "https://ci.example.com"}}, "role=\"alert\""},
        Case{{{"forge", "github"}, {"project", "acme/infra"}, {"claims", "no rule"}},
             "role=\"alert\""}}) {
    Reply reply = olga_.Submit(Path("publishing"), each.form);
    EXPECT_EQ(reply.status, 422U) << each.told;
    EXPECT_TRUE(reply.body.contains(each.told)) << each.told;
  }
  EXPECT_TRUE(RunTask(api_.catalog().trust().ListTrust("acme"))->empty());
}

TEST_F(NamespaceTabsTest, SettingsAreKept) {
  olga_.Open(Path("settings"));
  EXPECT_EQ(olga_.Submit(Path("settings"), {{"visibility", "internal"}, {"semver", "refuse"}})
                .Get("Location"),
            Path("settings"));
  NamespaceRecord record = *RunTask(api_.catalog().namespaces().FindNamespace("acme"));
  EXPECT_EQ(record.visibility, Visibility::kInternal);
  EXPECT_EQ(record.semver, SemverRule::kRefuse);
  Reply page = olga_.Open(Path("settings"));
  EXPECT_TRUE(page.body.contains(
      "koya namespace set acme --visibility internal --semver refuse --publish any"));
  olga_.Submit(Path("settings"), {{"visibility", "internal"}, {"semver", "default"}});
  EXPECT_FALSE(RunTask(api_.catalog().namespaces().FindNamespace("acme"))->semver);
  for (const FormFields& bad :
       {FormFields{{"visibility", "secret"}, {"semver", "off"}},
        FormFields{{"visibility", "public"}, {"semver", "maybe"}}, FormFields{}}) {
    EXPECT_EQ(olga_.Submit(Path("settings"), bad).status, 422U);
  }
  EXPECT_EQ(RunTask(api_.catalog().namespaces().FindNamespace("acme"))->visibility,
            Visibility::kInternal);
}

TEST_F(NamespaceTabsTest, OwnersLetOnlyCiPublish) {
  auto rule = [&] { return RunTask(api_.catalog().namespaces().FindNamespace("acme"))->publish; };
  const std::string_view notice = "from trusted CI jobs only";
  EXPECT_FALSE(olga_.Open(Path("publishing")).body.contains(notice));
  olga_.Open(Path("settings"));
  FormFields form{{"visibility", "internal"}, {"semver", "off"}, {"publish", "ci-only"}};
  olga_.Submit(Path("settings"), form);
  EXPECT_EQ(rule(), PublishRule::kCiOnly);
  EXPECT_TRUE(olga_.Open(Path("settings")).body.contains("--publish ci-only"));
  EXPECT_TRUE(olga_.Open(Path("publishing")).body.contains(notice));
  olga_.Open(Path("settings"));
  form[2].second = "nobody";
  EXPECT_EQ(olga_.Submit(Path("settings"), form).status, 422U);
  form.pop_back();
  EXPECT_EQ(olga_.Submit(Path("settings"), form).Get("Location"), Path("settings"));
  EXPECT_EQ(rule(), PublishRule::kCiOnly) << "a form without the field leaves it";
  form.emplace_back("publish", "any");
  olga_.Submit(Path("settings"), form);
  EXPECT_EQ(rule(), PublishRule::kAny);
}

TEST_F(NamespaceTabsTest, TitlesAndDescriptionsAreShownAndGoAgain) {
  FormFields form{{"title", " Acme <& co> "},
                  {"description", "All \"of\" it.\r\nAsk <b>us</b>."},
                  {"visibility", "public"},
                  {"semver", "default"}};
  olga_.Open(Path("settings"));
  EXPECT_EQ(olga_.Submit(Path("settings"), form).Get("Location"), Path("settings"));
  EXPECT_EQ(
      RunTask(api_.catalog().namespaces().FindNamespace("acme"))->words,
      (NamespaceWords{.title = "Acme <& co>", .description = "All \"of\" it.\nAsk <b>us</b>."}));
  for (std::string_view tab : {"settings", "people", "keys", "publishing", "activity"}) {
    EXPECT_TRUE(olga_.Open(Path(tab)).body.contains("<bdi>Acme &lt;&amp; co&gt;</bdi>")) << tab;
  }
  Reply shown = olga_.Open("/namespaces/acme");
  EXPECT_TRUE(shown.body.contains("<bdi>Acme &lt;&amp; co&gt;</bdi>")) << shown.body;
  EXPECT_TRUE(shown.body.contains("<bdi>Ask &lt;b&gt;us&lt;/b&gt;.</bdi>")) << shown.body;
  form[0].second = form[1].second = "";
  olga_.Open(Path("settings"));
  EXPECT_EQ(olga_.Submit(Path("settings"), form).Get("Location"), Path("settings"));
  EXPECT_EQ(RunTask(api_.catalog().namespaces().FindNamespace("acme"))->words, NamespaceWords());
  EXPECT_FALSE(olga_.Open(Path("settings")).body.contains("class=\"lede\""));
}

TEST_F(NamespaceTabsTest, WhatIsNoTitleIsToldAndStaysTyped) {
  const std::string long_text(501, 'a');
  olga_.Open(Path("settings"));
  Reply page = olga_.Submit(Path("settings"), {{"title", "two\nlines of title"},
                                               {"description", long_text},
                                               {"visibility", "internal"},
                                               {"semver", "warn"}});
  EXPECT_EQ(page.status, 422U);
  for (std::string_view told : {"is one line", "500 at most", "lines of title", "href=\"#title\"",
                                "href=\"#description\""}) {
    EXPECT_TRUE(page.body.contains(told)) << told;
  }
  EXPECT_TRUE(page.body.contains(long_text));
  const NamespaceRecord record = *RunTask(api_.catalog().namespaces().FindNamespace("acme"));
  EXPECT_EQ(record.words, NamespaceWords());
  EXPECT_EQ(record.semver, std::nullopt) << "nothing is kept of a form with a mistake";
}

TEST_F(NamespaceTabsTest, WhatIsNoTitleIsToldInTheLanguageOfTheReader) {
  struct Row {
    std::string_view language;
    std::string_view told;
  };
  for (const Row& row : {Row{"ja", "80文字以内のテキストを1行で入力してください。"},
                         Row{"zh", "请输入一行纯文本，最多80个字符"}}) {
    olga_.fields = {{"Accept-Language", std::string(row.language)}};
    olga_.Open(Path("settings"));
    const Reply page = olga_.Submit(Path("settings"), {{"title", std::string(81, 'a')},
                                                       {"description", ""},
                                                       {"visibility", "internal"},
                                                       {"semver", "warn"}});
    EXPECT_EQ(page.status, 422U) << row.language;
    EXPECT_TRUE(page.body.contains(row.told)) << page.body;
    EXPECT_TRUE(page.body.contains("<small lang=\"en\"><bdi>the title of a namespace has 81"))
        << page.body;
  }
}

TEST_F(NamespaceTabsTest, ActivityTellsOfThisNamespaceAlone) {
  olga_.Open(Path("people"));
  olga_.Submit(Path("people"), {{"kind", "user"}, {"grantee", "eve"}, {"role", "reader"}});
  Reply page = olga_.Open(Path("activity"));
  EXPECT_TRUE(page.body.contains("grant.put")) << page.body;
  EXPECT_TRUE(page.body.contains("user:olga"));
  EXPECT_FALSE(page.body.contains("veiled"));
  EXPECT_FALSE(olga_.Open(Path("activity?namespace=veiled")).body.contains(":veiled"));
  EXPECT_FALSE(olga_.Open(Path("activity?kind=denied")).body.contains("grant.put"));
  EXPECT_TRUE(olga_.Open(Path("activity?below=1")).body.contains("Back to the newest"));
  for (std::string_view absurd : {"kind=all", "below=-1", "below=x", "kind=%00"}) {
    EXPECT_EQ(olga_.Open(Path(fmt::format("activity?{}", absurd))).status, 400U) << absurd;
  }
}

TEST_F(NamespaceTabsTest, UsageIsTheLagReport) {
  Reply page = olga_.Open(Path("usage"));
  ASSERT_EQ(page.status, 200U) << page.body;
  EXPECT_TRUE(page.body.contains("No fetch has been counted yet.")) << page.body;
  EXPECT_TRUE(page.body.contains("koya usage lag"));
  for (std::string_view absurd : {"page=0", "page=-1", "page=x"}) {
    EXPECT_EQ(olga_.Open(Path(fmt::format("usage?{}", absurd))).status, 400U) << absurd;
  }
}

TEST_F(NamespaceTabsTest, AnEmptyNamespaceSaysHowToPublish) {
  Reply page = olga_.Open("/namespaces/acme");
  for (std::string_view told :
       {"koya publish module ./network acme/network/aws 1.0.0 --server "
        "https://registry.example.com",
        "id-token: write", "KOYA_ID_TOKEN:", "--upload-file network.tar.gz"}) {
    EXPECT_TRUE(page.body.contains(told)) << told;
  }
}

TEST_F(NamespaceTabsTest, NamesThatNothingCanHaveAreNowhere) {
  for (std::string_view name : {"%00", "a%2Fb", "..", "%E2%80%AEacme", "%FF", "-"}) {
    for (std::string_view tab : {"people", "keys", "publishing", "settings", "usage", "activity"}) {
      Reply reply = olga_.Open(fmt::format("/namespaces/{}/{}", name, tab));
      EXPECT_EQ(reply.status, 404U) << name << " " << tab;
    }
  }
}

}  // namespace
}  // namespace koya::api
