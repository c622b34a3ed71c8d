// The account pages of a user: settings, sessions, password, tokens.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "api/common/browser_fake.h"
#include "base/clock.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

constexpr std::string_view kOwnPassword = "correct horse battery";
constexpr std::string_view kNextPassword = "an even better battery";

class AccountPagesTest : public ::testing::Test {
 protected:
  AccountPagesTest() {
    api_.AddUser("ada", std::string(kOwnPassword), true);
    api_.AddUser("eve", std::string(kOwnPassword));
    eve_.SignIn("eve", kOwnPassword);
    eve_.Open("/-/settings");
  }

  static FormFields TokenForm(std::string name) {
    return {{"name", std::move(name)},
            {"scope", "publish"},
            {"namespaces", "acme, team-*"},
            {"ends", "90d"},
            {"until", ""}};
  }
  static FormFields With(FormFields form, std::string_view name, std::string_view value) {
    for (auto& field : form) {
      if (field.first == name) field.second = value;
    }
    return form;
  }

  // The text of the token on a page that shows one.
  static std::string TokenOn(const Reply& page) {
    const std::size_t at = page.body.find("koya_");
    if (at == page.body.npos) return {};
    return page.body.substr(at, page.body.find_first_of("<\n ", at) - at);
  }

  std::vector<TokenRecord> Kept() { return *RunTask(api_.catalog().tokens().ListTokens()); }
  bool IsKept(std::string_view name) {
    const std::vector<TokenRecord> tokens = Kept();
    return std::ranges::find(tokens, name, &TokenRecord::name) != tokens.end();
  }

  ApiFixture api_;
  FakeBrowser eve_{api_};
  FakeBrowser stranger_{api_};
};

TEST_F(AccountPagesTest, StrangersSignInAndComeBack) {
  for (std::string_view path : {"/-/settings", "/-/settings/password", "/-/settings/tokens",
                                "/-/settings/tokens/new", "/-/settings/tokens/x/revoke"}) {
    Reply reply = stranger_.Open(path);
    EXPECT_EQ(reply.status, 303U) << path;
    EXPECT_EQ(reply.Get("Location"), fmt::format("/login?to={}", path));
    EXPECT_EQ(reply.Get("Cache-Control"), "private, no-store") << path;
  }
  Reply in = stranger_.SignIn("eve", kOwnPassword, "/-/settings/tokens");
  EXPECT_EQ(in.Get("Location"), "/-/settings/tokens");
}

TEST_F(AccountPagesTest, SettingsSayWhoOneIs) {
  Reply page = eve_.Open("/-/settings");
  EXPECT_EQ(page.status, 200U);
  EXPECT_TRUE(page.body.contains("<bdi>eve</bdi>"));
  EXPECT_FALSE(page.body.contains("Administrator"));
  EXPECT_TRUE(page.body.contains("this browser"));
  EXPECT_TRUE(page.body.contains("koya session list"));
  FakeBrowser ada(api_);
  ada.SignIn("ada", kOwnPassword);
  EXPECT_TRUE(ada.Open("/-/settings").body.contains("Administrator"));
}

TEST_F(AccountPagesTest, KeysAreTurnedOffForTheBrowser) {
  EXPECT_FALSE(eve_.Open("/").body.contains("data-keys"));
  eve_.Open("/-/settings");
  Reply saved = eve_.Submit("/-/prefs", {{"keys", "off"}, {"lang", "ja"}, {"to", "/-/settings"}});
  EXPECT_EQ(saved.status, 303U);
  Reply page = eve_.Open("/-/settings");
  EXPECT_TRUE(page.body.contains("data-keys=\"off\"")) << page.body;
  EXPECT_TRUE(page.body.contains("<html lang=\"ja\""));
  EXPECT_TRUE(page.body.contains("保存しました")) << "told once";
  EXPECT_FALSE(eve_.Open("/-/settings").body.contains("保存しました"));
  // The pages that anonymous readers share change then, too.
  stranger_.Open("/modules");
  stranger_.cookies["keys"] = "off";
  EXPECT_TRUE(stranger_.Open("/modules").body.contains("data-keys=\"off\""));
  FakeBrowser other(api_);
  EXPECT_FALSE(other.Open("/modules").body.contains("data-keys"));
  eve_.Submit("/-/prefs", {{"keys", "on"}, {"to", "/-/settings"}});
  EXPECT_FALSE(eve_.Open("/-/settings").body.contains("data-keys"));
}

TEST_F(AccountPagesTest, TheLanguageOfAnAccountCountsInEveryBrowserThatSaysNothing) {
  constexpr std::string_view kJapanese = "<html lang=\"ja\"";
  constexpr std::string_view kChinese = "<html lang=\"zh-Hans\"";
  FakeBrowser phone(api_);
  phone.SignIn("eve", kOwnPassword);
  phone.Open("/");
  EXPECT_EQ(phone.Submit("/-/prefs", {{"lang", "zh"}, {"to", "/"}}).status, 303U);
  EXPECT_TRUE(phone.Open("/-/settings").body.contains(kChinese));
  eve_.fields = {{"Accept-Language", "zh"}};
  EXPECT_TRUE(eve_.Open("/-/settings").body.contains(kChinese));
  EXPECT_EQ(eve_.Submit("/-/settings/language", {{"language", "ja"}}).Get("Location"),
            "/-/settings");
  for (std::string_view path : {"/-/settings", "/modules", "/"}) {
    EXPECT_TRUE(eve_.Open(path).body.contains(kJapanese)) << path << ", before Accept-Language";
  }
  const Reply page = eve_.Open("/-/settings");
  EXPECT_TRUE(page.body.contains("value=\"ja\" selected lang=\"ja\"")) << page.body;
  EXPECT_TRUE(phone.Open("/-/settings").body.contains(kChinese)) << "a cookie counts before it";
  EXPECT_TRUE(eve_.Open("/modules?lang=en").body.contains("<html lang=\"en\""));
  EXPECT_TRUE(eve_.Open("/modules").body.contains(kJapanese)) << "a link counts for its page alone";
  eve_.Open("/-/settings");
  EXPECT_EQ(eve_.Submit("/-/settings/language", {{"language", "auto"}}).status, 303U);
  EXPECT_TRUE(eve_.Open("/modules").body.contains(kChinese)) << "as the browser says";
  FakeBrowser ada(api_);
  ada.SignIn("ada", kOwnPassword);
  EXPECT_TRUE(ada.Open("/modules").body.contains("<html lang=\"en\"")) << "others are not meant";
}

TEST_F(AccountPagesTest, NoOtherLanguageIsTaken) {
  for (std::string_view wrong : {"de", "", "JA", "<b>", "ja,en"}) {
    eve_.Open("/-/settings");
    const unsigned status =
        eve_.Submit("/-/settings/language", {{"language", std::string(wrong)}}).status;
    EXPECT_EQ(status, wrong.empty() ? 303U : 400U) << wrong;
    EXPECT_EQ(RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, "eve"))->language,
              "");
  }
  EXPECT_EQ(eve_.Submit("/-/settings/language", {{"language", "ja"}, {"csrf", "x"}}).status, 403U);
  EXPECT_EQ(stranger_.Submit("/-/settings/language", {{"language", "ja"}}).status, 303U);
  EXPECT_EQ(RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, "eve"))->language,
            "");
}

TEST_F(AccountPagesTest, EndsOtherSessionsAndNotItsOwn) {
  FakeBrowser phone(api_), ada(api_);
  phone.SignIn("eve", kOwnPassword);
  ada.SignIn("ada", kOwnPassword);
  eve_.Open("/-/settings");
  EXPECT_EQ(eve_.Submit("/-/settings/sessions", {{"end", "nobodys"}}).status, 303U);
  EXPECT_EQ(phone.Open("/-/settings").status, 200U);
  // The id of another user's session is none of hers.
  auto hers = *RunTask(api_.catalog().sessions().ListSessions("", api_.clock.now));
  for (const SessionRecord& session : hers) {
    if (session.user == "ada") eve_.Submit("/-/settings/sessions", {{"end", session.id}});
  }
  EXPECT_EQ(ada.Open("/-/settings").status, 200U);
  EXPECT_EQ(eve_.Submit("/-/settings/sessions", {{"end", "others"}}).Get("Location"),
            "/-/settings");
  EXPECT_EQ(phone.Open("/-/settings").status, 303U);
  EXPECT_EQ(ada.Open("/-/settings").status, 200U);
  EXPECT_TRUE(eve_.Open("/-/settings").body.contains("The session was ended."));
}

TEST_F(AccountPagesTest, ATokenIsMadeAndShownOnce) {
  eve_.Open("/-/settings/tokens/new");
  Reply made = eve_.Submit("/-/settings/tokens/new", TokenForm("ci"));
  EXPECT_EQ(made.status, 200U) << made.body;
  EXPECT_EQ(made.Get("Cache-Control"), "private, no-store");
  EXPECT_EQ(made.Get("Location"), "");
  const std::string token = TokenOn(made);
  ASSERT_GT(token.size(), 20U) << made.body;
  EXPECT_TRUE(made.body.contains("TF_TOKEN_registry_example_com"));
  EXPECT_TRUE(made.body.contains("~/.tofurc"));
  const std::vector<TokenRecord> tokens = Kept();
  auto kept = std::ranges::find(tokens, "ci", &TokenRecord::name);
  ASSERT_NE(kept, tokens.end());
  EXPECT_EQ(kept->scope, Scope::kPublish);
  EXPECT_EQ(kept->namespaces, (std::vector<std::string>{"acme", "team-*"}));
  EXPECT_EQ(kept->account_name, "eve");
  EXPECT_EQ(*kept->expires_at - kept->created_at, 90 * 86400);
  Reply list = eve_.Open("/-/settings/tokens");
  EXPECT_TRUE(list.body.contains("<bdi>ci</bdi>"));
  EXPECT_TRUE(
      list.body.contains(fmt::format("<time datetime=\"{}\">", FormatRfc3339(kept->created_at))))
      << "when it was made\n"
      << list.body;
  EXPECT_FALSE(list.body.contains(token));
  api_.token = token;
  EXPECT_EQ(api_.Get("/v1/modules").status, 200U) << "it is good";
  api_.token.clear();
  EXPECT_EQ(eve_.Submit("/-/settings/tokens/new", TokenForm("ci")).status, 422U)
      << "sent once more, it makes no second one";
}

TEST_F(AccountPagesTest, ATokenSaysWhereItWasUsedLast) {
  eve_.Open("/-/settings/tokens/new");
  const std::string token = TokenOn(eve_.Submit("/-/settings/tokens/new", TokenForm("ci")));
  api_.token = token;
  Question question{.path = "/v1/modules"};
  for (std::string_view remote : {"198.51.100.7", "2001:db8::9"}) {
    question.remote = remote;
    EXPECT_EQ(api_.Ask(question).status, 200U);
    api_.WriteUses();
    api_.token.clear();
    EXPECT_TRUE(eve_.Open("/-/settings/tokens").body.contains(fmt::format("<bdi>{}</bdi>", remote)))
        << remote;
    api_.token = token;
    api_.clock.now += 61;
  }
  // Other users with tokens do not see it; administrators do.
  api_.token.clear();
  FakeBrowser ada(api_);
  ada.SignIn("ada", kOwnPassword);
  EXPECT_FALSE(ada.Open("/-/settings/tokens").body.contains("2001:db8::9"));
  EXPECT_TRUE(ada.Open("/-/admin/users/eve").body.contains("<bdi>2001:db8::9</bdi>"));
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_TRUE(api_.Get("/api/v1/tokens").body.contains("\"last_used_from\":\"2001:db8::9\""));
}

TEST_F(AccountPagesTest, ATokenEndsAfterItsLastDay) {
  eve_.Open("/-/settings/tokens/new");
  api_.clock.now = 1'795'279'270;  // 2026-11-21
  eve_.SignIn("eve", kOwnPassword);
  eve_.Open("/-/settings/tokens/new");
  FormFields form = With(TokenForm("day"), "ends", "day");
  EXPECT_EQ(eve_.Submit("/-/settings/tokens/new", With(form, "until", "2026-11-21")).status, 200U);
  const std::vector<TokenRecord> tokens = Kept();
  auto kept = std::ranges::find(tokens, "day", &TokenRecord::name);
  ASSERT_NE(kept, tokens.end());
  EXPECT_EQ(kept->expires_at, 1'795'305'600);  // 2026-11-22T00:00:00Z
}

TEST_F(AccountPagesTest, ATokenWhoseFormSaysNoEndEndsAfterNinetyDays) {
  eve_.Open("/-/settings/tokens/new");
  EXPECT_EQ(eve_.Submit("/-/settings/tokens/new", With(TokenForm("usual"), "ends", "")).status,
            200U);
  const std::vector<TokenRecord> tokens = Kept();
  auto kept = std::ranges::find(tokens, "usual", &TokenRecord::name);
  ASSERT_NE(kept, tokens.end());
  EXPECT_EQ(kept->expires_at, kept->created_at + 90 * 86'400);
}

TEST_F(AccountPagesTest, AFormThatCannotBeIsShownAgainWithWhatWasTyped) {
  eve_.Open("/-/settings/tokens/new");
  struct Case {
    std::string_view field;
    std::string_view value;
    std::string_view told;
  };
  for (const Case& each :
       {Case{"name", "", "Use 1 to 64"}, Case{"name", "a b", "Use 1 to 64"},
        Case{"name", "\u202Eevil", "Use 1 to 64"}, Case{"scope", "root", "Choose one"},
        Case{"scope", "", "Choose one"}, Case{"namespaces", "a/b", "Separate namespaces"},
        Case{"ends", "-1d", "Choose one"}, Case{"ends", "40000d", "Choose one"},
        Case{"ends", "day", "Choose today"}}) {
    Reply reply =
        eve_.Submit("/-/settings/tokens/new", With(TokenForm("again"), each.field, each.value));
    EXPECT_EQ(reply.status, 422U) << each.field;
    EXPECT_TRUE(reply.body.contains(each.told)) << each.field << reply.body;
    EXPECT_TRUE(reply.body.contains("aria-invalid=\"true\"")) << each.field;
    EXPECT_TRUE(reply.body.contains(each.field == "namespaces" ? "a/b" : "acme, team-*"));
    EXPECT_TRUE(reply.body.contains("autofocus")) << "the box with what is wrong comes first";
  }
  FormFields day = With(TokenForm("again"), "ends", "day");
  for (std::string_view until : {"2020-01-01", "2026-13-01", "tomorrow", "99999-01-01",
                                 "2026-11-21T16:41:10Z", "9999-12-31"}) {
    Reply reply = eve_.Submit("/-/settings/tokens/new", With(day, "until", until));
    EXPECT_EQ(reply.status, 422U) << until;
  }
  EXPECT_FALSE(IsKept("again"));
}

TEST_F(AccountPagesTest, ANameIsTakenOnceInTheWholeRegistry) {
  FakeBrowser ada(api_);
  ada.SignIn("ada", kOwnPassword);
  ada.Open("/-/settings/tokens/new");
  EXPECT_EQ(ada.Submit("/-/settings/tokens/new", TokenForm("shared")).status, 200U);
  eve_.Open("/-/settings/tokens/new");
  Reply reply = eve_.Submit("/-/settings/tokens/new", TokenForm("shared"));
  EXPECT_EQ(reply.status, 422U);
  EXPECT_TRUE(reply.body.contains("A token with this name already exists"));
}

TEST_F(AccountPagesTest, ASessionThatEndsMeanwhileLeadsBackToTheEmptyForm) {
  eve_.Open("/-/settings/tokens/new");
  api_.clock.now += std::chrono::seconds(service::Sessions::kLife).count();
  Reply reply = eve_.Submit("/-/settings/tokens/new", TokenForm("late-name"));
  EXPECT_EQ(reply.status, 303U);
  const std::string to(reply.Get("Location"));
  ASSERT_EQ(to, "/login?to=/-/settings/tokens/new");
  EXPECT_FALSE(IsKept("late-name"));
  eve_.Open(to);
  Reply in = eve_.Submit("/login", {{"username", "eve"},
                                    {"password", std::string(kOwnPassword)},
                                    {"to", eve_.HiddenFields().back().second}});
  EXPECT_EQ(in.status, 303U);
  Reply form = eve_.Open(in.Get("Location"));
  EXPECT_EQ(form.status, 200U);
  EXPECT_FALSE(form.body.contains("late-name"));
}

TEST_F(AccountPagesTest, AFormOfAnotherSessionDoesNothingAndIsOfferedAgain) {
  for (std::string_view csrf : {"", "wrong", "c5rfT0ken"}) {
    FormFields form = TokenForm("forged");
    form.emplace_back("csrf", csrf);
    Reply reply = eve_.Submit("/-/settings/tokens/new", form);
    EXPECT_EQ(reply.status, 403U) << csrf;
    EXPECT_TRUE(reply.body.contains("class=\"btn\" href=\"/-/settings/tokens/new\"")) << reply.body;
  }
  EXPECT_FALSE(IsKept("forged"));
  eve_.fields = {{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}};
  EXPECT_EQ(eve_.Submit("/-/settings/tokens/new", TokenForm("forged")).status, 403U);
  EXPECT_FALSE(IsKept("forged"));
}

TEST_F(AccountPagesTest, ATokenIsRevokedAfterAQuestion) {
  eve_.Open("/-/settings/tokens/new");
  const std::string token = TokenOn(eve_.Submit("/-/settings/tokens/new", TokenForm("short")));
  Reply asks = eve_.Open("/-/settings/tokens/short/revoke");
  EXPECT_EQ(asks.status, 200U);
  EXPECT_TRUE(asks.body.contains("Revoke the token short?"));
  EXPECT_TRUE(asks.body.contains("koya token revoke short"));
  EXPECT_TRUE(IsKept("short")) << "asking does nothing";
  FormFields forged{{"csrf", "wrong"}};
  EXPECT_EQ(eve_.Submit("/-/settings/tokens/short/revoke", forged).status, 403U);
  EXPECT_TRUE(IsKept("short"));
  eve_.Open("/-/settings/tokens/short/revoke");
  Reply done = eve_.Submit("/-/settings/tokens/short/revoke", {});
  EXPECT_EQ(done.Get("Location"), "/-/settings/tokens");
  EXPECT_TRUE(eve_.Open("/-/settings/tokens").body.contains("The token short was revoked."));
  api_.token = token;
  EXPECT_EQ(api_.Get("/v1/modules").status, 401U);
  api_.token.clear();
  // Between the question and the answer another client has revoked it.
  EXPECT_EQ(eve_.Submit("/-/settings/tokens/short/revoke", {}).Get("Location"),
            "/-/settings/tokens");
  EXPECT_TRUE(eve_.Open("/-/settings/tokens").body.contains("no longer have a token short"));
  EXPECT_EQ(eve_.Open("/-/settings/tokens/short/revoke").status, 404U);
}

TEST_F(AccountPagesTest, TokensOfOthersAreNowhereEvenForAdministrators) {
  eve_.Open("/-/settings/tokens/new");
  eve_.Submit("/-/settings/tokens/new", TokenForm("hers"));
  FakeBrowser ada(api_);
  ada.SignIn("ada", kOwnPassword);
  EXPECT_FALSE(ada.Open("/-/settings/tokens").body.contains("<bdi>hers</bdi>"));
  EXPECT_EQ(ada.Open("/-/settings/tokens/hers/revoke").status, 404U);
  ada.Open("/-/settings");
  EXPECT_EQ(ada.Submit("/-/settings/tokens/hers/revoke", {}).status, 303U);
  EXPECT_TRUE(IsKept("hers"));
  for (std::string_view name : {"%2e%2e", "nobody", "%F0%9F%92%A9", "a%20b"}) {
    EXPECT_EQ(eve_.Open(fmt::format("/-/settings/tokens/{}/revoke", name)).status, 404U) << name;
  }
}

TEST_F(AccountPagesTest, APasswordIsChangedByWhoKnowsIt) {
  FakeBrowser phone(api_);
  phone.SignIn("eve", kOwnPassword);
  eve_.Open("/-/settings/password");
  auto form = [](std::string_view old, std::string_view next, std::string_view again) {
    return FormFields{{"old_password", std::string(old)},
                      {"password", std::string(next)},
                      {"password_again", std::string(again)}};
  };
  struct Case {
    FormFields fields;
    unsigned status;
    std::string_view told;
  };
  for (const Case& each :
       {Case{form("wrong old password", kNextPassword, kNextPassword), 403,
             "current password is incorrect"},
        Case{form(kOwnPassword, "short", "short"), 422, "at least 12"},
        Case{form(kOwnPassword, kNextPassword, "something else 12"), 422, "do not match"},
        Case{form("", kNextPassword, kNextPassword), 422, "field is required"}}) {
    Reply reply = eve_.Submit("/-/settings/password", each.fields);
    EXPECT_EQ(reply.status, each.status) << each.told;
    EXPECT_TRUE(reply.body.contains(each.told)) << reply.body;
    EXPECT_FALSE(reply.body.contains(kNextPassword)) << "no password comes back";
    EXPECT_FALSE(reply.body.contains(kOwnPassword));
  }
  EXPECT_EQ(phone.Open("/-/settings").status, 200U);
  Reply done =
      eve_.Submit("/-/settings/password", form(kOwnPassword, kNextPassword, kNextPassword));
  EXPECT_EQ(done.status, 303U) << done.body;
  EXPECT_TRUE(eve_.Open("/-/settings").body.contains("Your password was changed."));
  EXPECT_EQ(phone.Open("/-/settings").status, 303U) << "the others have ended";
  EXPECT_EQ(stranger_.SignIn("eve", kOwnPassword).status, 401U);
  EXPECT_EQ(stranger_.SignIn("eve", kNextPassword).status, 303U);
}

}  // namespace
}  // namespace koya::api
