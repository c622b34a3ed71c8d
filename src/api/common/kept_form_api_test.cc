// Form fields that survive a sign-in: long, cleared, in any script, hostile.
#include "api/common/kept_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/browser_fake.h"
#include "api/common/form.h"
#include "api/common/module_archive_fake.h"
#include "base/base64.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "domain/namespace_words.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

constexpr std::string_view kKeptPassword = "correct horse battery";
constexpr std::array<std::string_view, 2> kTwoFields{"title", "text"};
const std::string kSomeToken = "koya_" + std::string(49, 'A');

Form Typed(const FormFields& fields) { return *Form::Parse(EncodeForm(fields)); }

std::string Repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(KeptFormTest, WhatIsKeptIsReadAgain) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(20'000, 'x'),
        Repeated("\u9375\u5143\u7d20", 900), std::string("one\r\ntwo\r\n"),
        std::string("a=1&b=2%&+\"'<b>\\"), std::string("\u202E\u2069\u2029 koya_ is no token")}) {
    const Form typed = Typed({{"title", "T"}, {"text", text}, {"password", "secret"}});
    Result<Form> kept = ReadKeptForm(KeepForm(typed, kTwoFields));
    ASSERT_TRUE(kept) << text.substr(0, 40);
    EXPECT_EQ(kept->Get("text"), text);
    EXPECT_TRUE(kept->Has("text")) << "what was cleared is cleared";
    EXPECT_EQ(kept->Get("title"), "T");
    EXPECT_EQ(kept->size(), 2U) << "nothing else is kept";
  }
}

TEST(KeptFormTest, WhatWasNotSentIsNotKept) {
  const Form typed = Typed({{"title", ""}});
  Result<Form> kept = ReadKeptForm(KeepForm(typed, kTwoFields));
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->Has("title"));
  EXPECT_FALSE(kept->Has("text"));
  EXPECT_EQ(KeepForm(Typed({{"other", "x"}}), kTwoFields), "");
}

TEST(KeptFormTest, SecretsAreNotKept) {
  for (const std::string& secret :
       {kSomeToken, "mine is " + kSomeToken, "koya_ or " + kSomeToken + " " + std::string(400, 'x'),
        std::string("-----BEGIN PGP PRIVATE KEY BLOCK-----\n") + std::string(900, 'x')}) {
    const Form typed = Typed({{"title", "T"}, {"text", secret}});
    Result<Form> kept = ReadKeptForm(KeepForm(typed, kTwoFields));
    ASSERT_TRUE(kept);
    EXPECT_FALSE(kept->Has("text")) << secret;
    EXPECT_EQ(RefilledPath("/x", typed, kTwoFields), "/x?title=T") << secret;
  }
}

TEST(KeptFormTest, WhatIsTooMuchIsLeftOut) {
  const Form typed = Typed({{"title", "T"}, {"text", std::string(kMostKeptBytes, 'x')}});
  const std::string kept = KeepForm(typed, kTwoFields);
  EXPECT_FALSE(ReadKeptForm(kept)->Has("text"));
  EXPECT_TRUE(ReadKeptForm(kept)->Has("title"));
  const Form most = Typed({{"text", std::string(kMostKeptBytes - 5, 'x')}});
  const std::string whole = KeepForm(most, kTwoFields);
  EXPECT_TRUE(ReadKeptForm(whole)->Has("text"));
  EXPECT_LT(whole.size() + 4096, Form::kMostBytes) << "the sign-in form can hold it";
}

TEST(KeptFormTest, WhatNobodyKeptIsRefused) {
  const std::string more(kMostKeptBytes + 1, 'x');
  for (const std::string& text :
       {std::string("*"), std::string("a"), std::string("dGl0bGU9YQ=="),
        Base64UrlEncode(std::as_bytes(std::span(std::string_view("a=1&a=2")))),
        Base64UrlEncode(std::as_bytes(std::span(std::string_view("a=%FF")))),
        Base64UrlEncode(std::as_bytes(std::span(std::string_view("a=%00")))),
        Base64UrlEncode(std::as_bytes(std::span(std::string_view(more))))}) {
    EXPECT_FALSE(ReadKeptForm(text)) << text.substr(0, 40);
  }
}

class KeptPagesTest : public ::testing::Test {
 protected:
  KeptPagesTest() {
    api_.AddUser("olga", std::string(kKeptPassword));
    api_.token = api_.Token(Scope::kAdmin);
    Put("/api/v1/namespaces/acme", R"({"visibility":"private"})");
    Put("/api/v1/namespaces/acme/grants/users/olga", R"({"role":"owner"})");
    api_.token.clear();
    olga_.SignIn("olga", kKeptPassword);
    olga_.Open(kSettings);
  }

  void Put(std::string path, std::string body) {
    Question question{.method = http::Method::kPut, .path = std::move(path)};
    question.body = std::move(body);
    EXPECT_LT(api_.Ask(question).status, 300U) << question.path;
  }
  void EndSession() { api_.clock.now += std::chrono::seconds(service::Sessions::kLife).count(); }

  // The form that is shown, with who signs in and how.
  Reply SignInThere(std::string_view password) {
    FormFields form = olga_.HiddenFields();
    form.emplace_back("username", "olga");
    form.emplace_back("password", password);
    return olga_.Submit("/login", form);
  }
  Reply GoBack() { return olga_.Submit(kSettings, olga_.HiddenFields()); }
  NamespaceWords Words() {
    return RunTask(api_.catalog().namespaces().FindNamespace("acme"))->words;
  }

  static constexpr std::string_view kSettings = "/namespaces/acme/settings";
  ApiFixture api_;
  FakeBrowser olga_{api_};
};

FormFields SettingsForm(std::string title, std::string description) {
  return {{"title", std::move(title)},
          {"description", std::move(description)},
          {"visibility", "internal"},
          {"semver", "warn"}};
}

TEST_F(KeptPagesTest, ALongTextComesBackAsItWasTyped) {
  for (const std::string& text :
       {std::string(480, 'x'), Repeated("\u9375\u306e\u8aac\u660e\u3002", 90),
        Repeated("line\r\n", 80), Repeated("<b>\"&amp;", 50)}) {
    olga_.Open(kSettings);
    EndSession();
    const Reply asked = olga_.Submit(kSettings, SettingsForm("New title", text));
    EXPECT_EQ(asked.status, 401U);
    EXPECT_EQ(asked.Get("Location"), "");
    EXPECT_TRUE(asked.body.contains("name=\"kept\""));
    EXPECT_EQ(SignInThere("wrong horse battery").status, 401U);
    EXPECT_EQ(olga_.HiddenFields().size(), 4U) << "csrf, kept, kept_at and to stay";
    const Reply in = SignInThere(kKeptPassword);
    EXPECT_EQ(in.status, 200U);
    EXPECT_TRUE(in.body.contains("action=\"/namespaces/acme/settings\"")) << in.body;
    const Reply form = GoBack();
    EXPECT_EQ(form.status, 200U);
    EXPECT_TRUE(form.body.contains("value=\"New title\""));
    EXPECT_TRUE(form.body.contains("value=\"internal\""));
    EXPECT_TRUE(form.body.contains("value=\"warn\" selected"));
    EXPECT_FALSE(form.body.contains("\uFFFD"));
    if (text.starts_with("x")) EXPECT_TRUE(form.body.contains(text + "</textarea>"));
    EXPECT_EQ(Words(), NamespaceWords()) << "nothing is done";
    // The values that are sent then count.
    EXPECT_EQ(olga_.Submit(kSettings, SettingsForm("", "")).Get("Location"), kSettings);
  }
}

TEST_F(KeptPagesTest, ALongTextThatWasClearedStaysCleared) {
  const std::string before(480, 'b');
  EXPECT_EQ(olga_.Submit(kSettings, SettingsForm("Old", before)).Get("Location"), kSettings);
  // Beside a long field, one that was cleared comes back cleared, too; alone it goes in the
  // address.
  olga_.Open(kSettings);
  EndSession();
  EXPECT_EQ(olga_.Submit(kSettings, SettingsForm("", std::string(480, 'n'))).status, 401U);
  EXPECT_EQ(SignInThere(kKeptPassword).status, 200U);
  const Reply form = GoBack();
  EXPECT_FALSE(form.body.contains("value=\"Old\""));
  EXPECT_FALSE(form.body.contains(before));
  EXPECT_TRUE(form.body.contains(std::string(480, 'n') + "</textarea>"));
  EndSession();
  const std::string to = olga_.Submit(kSettings, SettingsForm("Old", "")).Get("Location");
  EXPECT_TRUE(to.contains("description%3D")) << to;
  EXPECT_EQ(Words().description, before);
}

TEST_F(KeptPagesTest, AnOutdatedFormIsOfferedWithALongText) {
  FormFields form = SettingsForm("T", std::string(480, 'x'));
  form.emplace_back("csrf", "wrong");
  const Reply stale = olga_.Submit(kSettings, form);
  EXPECT_EQ(stale.status, 403U);
  EXPECT_TRUE(stale.body.contains("name=\"kept\"")) << stale.body;
  EXPECT_FALSE(stale.body.contains("settings?title")) << stale.body;
  EXPECT_EQ(Words(), NamespaceWords());
}

TEST_F(KeptPagesTest, WhoSignedInElsewhereGoesBackWithoutTheForm) {
  EndSession();
  olga_.Submit(kSettings, SettingsForm("T", std::string(480, 'x')));
  const FormFields kept = olga_.HiddenFields();
  // Too early: the page to sign in on again.
  EXPECT_EQ(olga_.Submit(kSettings, kept).status, 401U);
  olga_.SignIn("olga", kKeptPassword);
  const Reply form = olga_.Submit(kSettings, kept);
  EXPECT_EQ(form.status, 200U);
  EXPECT_TRUE(form.body.contains(std::string(480, 'x') + "</textarea>"));
}

TEST_F(KeptPagesTest, WhatIsForgedChangesNothingAndLeadsNowhereElse) {
  EXPECT_EQ(olga_.Submit(kSettings, {{"kept", "*"}}).status, 400U);
  // A form that keeps nothing takes no notice of the field, and is judged as every other.
  EXPECT_EQ(olga_.Submit("/-/settings/password", {{"kept", "dGl0bGU9YQ"}, {"csrf", ""}}).status,
            403U);
  EXPECT_EQ(olga_.Submit("/namespaces/acme/people/remove", {{"kept", "YT1i"}, {"csrf", ""}}).status,
            403U);
  olga_.fields = {{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}};
  EXPECT_EQ(olga_.Submit(kSettings, {{"kept", "dGl0bGU9YQ"}}).status, 403U);
  olga_.fields.clear();
  EndSession();
  olga_.Submit(kSettings, SettingsForm("T", std::string(480, 'x')));
  FormFields form = olga_.HiddenFields();
  for (auto& [name, value] : form) {
    if (name == "kept_at") value = "//evil.example/";
  }
  form.emplace_back("username", "olga");
  form.emplace_back("password", kKeptPassword);
  const Reply in = olga_.Submit("/login", form);
  EXPECT_EQ(in.status, 200U);
  EXPECT_FALSE(in.body.contains("evil.example")) << in.body;
}

// A POST of kept fields needs no token against forgery.
TEST_F(KeptPagesTest, WhatWasKeptWithdrawsNothing) {
  api_.token = api_.Token(Scope::kPublish);
  EXPECT_LT(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("one")).status, 300U);
  api_.token.clear();
  constexpr std::string_view kVersion = "/modules/acme/vpc/aws/1.0.0";
  constexpr std::array<std::string_view, 3> kAll{"reason", "typed", "message"};
  const std::string reason(480, 'r');
  const std::string kept =
      KeepForm(Typed({{"reason", reason}, {"typed", "1.0.0"}, {"message", reason}}), kAll);
  for (std::string_view end : {"withdraw", "deprecate"}) {
    const std::string path = fmt::format("{}/{}", kVersion, end);
    const Reply shown = olga_.Submit(path, {{"kept", kept}, {"csrf", ""}});
    EXPECT_EQ(shown.status, 200U) << path;
    EXPECT_TRUE(shown.body.contains(reason)) << path;
    EXPECT_EQ(olga_.Submit(path, {{"reason", "r"}, {"typed", "1.0.0"}, {"csrf", ""}}).status, 403U);
  }
  const Reply there = olga_.Open(kVersion);
  EXPECT_EQ(there.status, 200U);
  EXPECT_FALSE(there.body.contains(reason)) << "nor is it deprecated";
}

TEST_F(KeptPagesTest, LongFieldsOfOtherFormsComeBackToo) {
  struct Case {
    std::string path;
    FormFields form;
    std::string field;
  };
  const std::string patterns = Repeated("team-*, ", 60);
  for (const Case& each :
       {Case{"/-/settings/tokens/new",
             {{"name", "ci"}, {"scope", "read"}, {"namespaces", patterns}, {"ends", "30d"}},
             "namespaces"},
        Case{"/namespaces/acme/publishing",
             {{"forge", "other"}, {"issuer", "https://ci.example"}, {"claims", patterns}},
             "claims"},
        Case{"/namespaces/acme/people",
             {{"kind", "user"}, {"grantee", patterns}, {"role", "reader"}},
             "grantee"},
        Case{"/namespaces/acme/keys", {{"key", patterns}}, "key"}}) {
    olga_.SignIn("olga", kKeptPassword);
    olga_.Open(each.path);
    EndSession();
    EXPECT_EQ(olga_.Submit(each.path, each.form).status, 401U) << each.path;
    EXPECT_EQ(SignInThere(kKeptPassword).status, 200U) << each.path;
    const Reply form = olga_.Submit(each.path, olga_.HiddenFields());
    EXPECT_EQ(form.status, 200U) << each.path;
    EXPECT_TRUE(form.body.contains(patterns)) << each.path << form.body;
  }
}

}  // namespace
}  // namespace koya::api
