// The first administrator, passwords and sessions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/common/browser_fake.h"
#include "auth/token.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/credential_record.h"

namespace koya::api {
namespace {

constexpr std::string_view kRootPassword = "correct horse battery";

FormFields FirstRunFields(std::string_view token) {
  return {{"token", std::string(token)},
          {"username", "root"},
          {"password", std::string(kRootPassword)},
          {"password_again", std::string(kRootPassword)}};
}

FormFields Changed(FormFields fields, std::string_view name, std::string_view value) {
  for (auto& field : fields) {
    if (field.first == name) field.second = value;
  }
  return fields;
}

class SetUpApiTest : public ::testing::Test {
 protected:
  Reply Send(http::Method method, std::string path, std::string body) {
    Question question{.method = method, .path = std::move(path)};
    std::size_t mark = question.path.find('?');
    if (mark != question.path.npos) {
      question.query = question.path.substr(mark + 1);
      question.path.resize(mark);
    }
    question.body = std::move(body);
    return api_.Ask(question);
  }
  // The first session's.
  static std::string IdIn(const Reply& listed) {
    std::size_t begin = listed.body.find(R"("id":")") + 6;
    return listed.body.substr(begin, listed.body.find('"', begin) - begin);
  }
  Reply Exchange(std::string_view token, std::string_view user = "root") {
    return Send(
        http::Method::kPost, "/api/v1/setup",
        fmt::format(R"({{"token":"{}","user":"{}","password":"{}"}})", token, user, kRootPassword));
  }
  Reply SetPassword(std::string_view user, std::string body) {
    return Send(http::Method::kPut, fmt::format("/api/v1/users/{}/password", user),
                std::move(body));
  }
  // A token of theirs.
  std::string TokenOf(const std::string& user, Scope scope) {
    auth::MintedToken minted = auth::MintToken();
    AccountRecord account =
        RunTask(api_.catalog().accounts().FindAccount(AccountKind::kUser, user)).value();
    Status added = RunTask(api_.catalog().tokens().AddToken(
        Actor::Server(), {.name = fmt::format("{}-{}", ScopeName(scope), user),
                          .secret = minted.secret,
                          .scope = scope,
                          .namespaces = {},
                          .account_id = account.id}));
    EXPECT_TRUE(added);
    return minted.text;
  }
  bool SignsIn(std::string_view user, std::string_view password) {
    FakeBrowser fresh(api_);
    return fresh.SignIn(user, password).status == 303;
  }

  ApiFixture api_;
  FakeBrowser browser_{api_};
};

TEST_F(SetUpApiTest, TheFirstRunPageMakesTheAdministratorAndIsGone) {
  std::string token = api_.SetUpToken();
  ASSERT_TRUE(token.starts_with("koya_"));
  EXPECT_EQ(browser_.Open("/-/first-run").status, 200U);
  Reply done = browser_.Submit("/-/first-run", FirstRunFields(token));
  EXPECT_EQ(done.status, 200U) << done.body;
  EXPECT_TRUE(done.body.contains("root"));
  EXPECT_TRUE(done.body.contains("action=\"/login\"")) << "the next step is at hand";
  EXPECT_FALSE(done.body.contains(token));
  EXPECT_EQ(
      browser_
          .Submit("/login",
                  {{"username", "root"}, {"password", std::string(kRootPassword)}, {"to", "/"}})
          .status,
      303U);
  EXPECT_EQ(browser_.Open("/-/first-run").status, 404U);
  EXPECT_EQ(browser_.Submit("/-/first-run", FirstRunFields(token)).status, 404U);
  EXPECT_EQ(api_.SetUpToken(), "");
}

TEST_F(SetUpApiTest, WhoSetsUpSaysWhoMayReadWhatIsPublished) {
  const std::string token = api_.SetUpToken();
  const Reply page = browser_.Open("/-/first-run");
  EXPECT_TRUE(page.body.contains("<option value=\"internal\" selected>")) << page.body;
  Reply wrong = Send(http::Method::kPost, "/api/v1/setup",
                     fmt::format(R"({{"token":"{}","user":"root","password":"{}",)"
                                 R"("visibility":"secret"}})",
                                 token, kRootPassword));
  EXPECT_EQ(wrong.status, 400U);
  EXPECT_TRUE(wrong.body.contains("public, internal or private, not")) << wrong.body;
  FormFields fields = FirstRunFields(token);
  fields.emplace_back("visibility", "private");
  const Reply again = browser_.Submit("/-/first-run", Changed(fields, "password_again", "x"));
  EXPECT_TRUE(again.body.contains("<option value=\"private\" selected>")) << again.body;
  EXPECT_EQ(browser_.Submit("/-/first-run", fields).status, 200U);
  api_.token = api_.Token(Scope::kAdmin);
  const Reply missing = api_.Get("/api/v1/namespaces/acme");
  EXPECT_EQ(missing.status, 404U);
  EXPECT_TRUE(missing.body.contains("then it is private: only accounts with a role"))
      << missing.body;
  const Reply made = Send(http::Method::kPut, "/api/v1/namespaces/acme", R"({"title":"Acme"})");
  EXPECT_TRUE(made.body.contains(R"("visibility":"private")")) << made.body;
}

TEST_F(SetUpApiTest, TheFirstRunPageSaysWhatIsWrong) {
  std::string token = api_.SetUpToken();
  const FormFields good = FirstRunFields(token);
  struct Case {
    std::string_view field;
    std::string_view value;
    unsigned status;
    std::string_view told;
  };
  for (const Case& each : {Case{"token", "koya_wrong", 401, "set-up token is incorrect"},
                           Case{"username", "no name", 400, "user name cannot be used"},
                           Case{"username", "", 400, "user name cannot be used"},
                           Case{"password", "short", 400, "must have at least"},
                           Case{"password_again", "another one altogether", 400, "do not match"}}) {
    browser_.Open("/-/first-run");
    Reply reply = browser_.Submit("/-/first-run", Changed(good, each.field, each.value));
    EXPECT_EQ(reply.status, each.status) << each.field << reply.body;
    EXPECT_TRUE(reply.body.contains(each.told)) << each.field << reply.body;
    EXPECT_FALSE(reply.body.contains(token));
  }
  browser_.Open("/-/first-run");
  FormFields foreign = good;
  foreign.emplace_back("csrf", "wrong");
  EXPECT_EQ(browser_.Submit("/-/first-run", foreign).status, 403U);
  EXPECT_EQ(Exchange(token).status, 201U) << "none of this has used the token up";
}

TEST_F(SetUpApiTest, ProgramsSetUpOnce) {
  std::string token = api_.SetUpToken();
  EXPECT_EQ(Send(http::Method::kPost, "/api/v1/setup", "{}").status, 400U);
  EXPECT_EQ(Exchange("koya_wrong").status, 401U);
  EXPECT_EQ(Exchange(token, "no name").status, 400U);
  Reply made = Exchange(token);
  EXPECT_EQ(made.status, 201U) << made.body;
  EXPECT_TRUE(made.body.contains(R"("admin":true)")) << made.body;
  EXPECT_FALSE(made.body.contains(kRootPassword));
  EXPECT_NE(Exchange(token).status, 201U);
  EXPECT_TRUE(SignsIn("root", kRootPassword));
}

TEST_F(SetUpApiTest, ATokenEndsAfterAnHourAndANewOneReplacesIt) {
  std::string first = api_.SetUpToken();
  std::string second = api_.SetUpToken();
  EXPECT_EQ(Exchange(first).status, 401U);
  api_.clock.now += 3601;
  EXPECT_EQ(Exchange(second).status, 401U);
  EXPECT_EQ(Exchange(api_.SetUpToken()).status, 201U);
}

TEST_F(SetUpApiTest, AdministratorsSetAnybodysPassword) {
  api_.token = api_.Token(Scope::kAdmin);
  api_.AddUser("ada", "the first password");
  EXPECT_EQ(SetPassword("ada", R"({"password":"the second password"})").status, 204U);
  EXPECT_FALSE(SignsIn("ada", "the first password"));
  EXPECT_TRUE(SignsIn("ada", "the second password"));
  EXPECT_EQ(SetPassword("ada", R"({"password":null})").status, 204U);
  EXPECT_FALSE(SignsIn("ada", "the second password"));
  EXPECT_EQ(SetPassword("ada", "{}").status, 400U) << "who says nothing takes nothing away";
  EXPECT_EQ(SetPassword("ada", R"({"password":"short"})").status, 400U);
  EXPECT_EQ(SetPassword("nobody", R"({"password":"a password for nobody"})").status, 404U);
  api_.token = api_.Token(Scope::kRead);
  EXPECT_EQ(SetPassword("ada", R"({"password":"the third password"})").status, 403U);
  api_.token = "";
  EXPECT_EQ(SetPassword("ada", R"({"password":"the third password"})").status, 401U);
}

TEST_F(SetUpApiTest, UsersChangeTheirOwnPassword) {
  constexpr std::string_view kOther = "the second password";
  api_.AddUser("ada", std::string(kRootPassword));
  api_.AddUser("bob", std::string(kRootPassword));
  api_.token = TokenOf("ada", Scope::kRead);
  auto change = [this](std::string_view user, std::string_view before, std::string_view after) {
    return SetPassword(user,
                       fmt::format(R"({{"password":"{}","old_password":"{}"}})", after, before))
        .status;
  };
  EXPECT_EQ(change("ada", "not the old one", kOther), 401U);
  EXPECT_EQ(change("bob", kRootPassword, kOther), 403U);
  EXPECT_EQ(change("nobody", kRootPassword, kOther), 403U) << "as of one that there is";
  EXPECT_EQ(change("ada", kRootPassword, "short"), 400U);
  EXPECT_EQ(
      SetPassword("ada", fmt::format(R"({{"password":null,"old_password":"{}"}})", kRootPassword))
          .status,
      400U);
  EXPECT_EQ(SetPassword("ada", fmt::format(R"({{"password":"{}"}})", kOther)).status, 403U)
      << "without the old one it takes an administrator";
  EXPECT_TRUE(SignsIn("ada", kRootPassword));
  FakeBrowser before(api_);
  before.SignIn("ada", kRootPassword);
  EXPECT_EQ(change("ADA", kRootPassword, kOther), 204U);
  EXPECT_FALSE(before.Open("/").body.contains("/-/sign-out")) << "sessions end";
  EXPECT_FALSE(SignsIn("ada", kRootPassword));
  EXPECT_TRUE(SignsIn("ada", kOther));
  EXPECT_TRUE(SignsIn("bob", kRootPassword));
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_EQ(change("ada", kOther, kRootPassword), 403U) << "that token is no user's";
  api_.token = "";
  EXPECT_EQ(change("ada", kOther, kRootPassword), 401U);
}

TEST_F(SetUpApiTest, GuessingAtTheSetUpTokenIsThrottled) {
  const std::string token = api_.SetUpToken();
  unsigned wrong = 0;
  while (wrong < 40 && Exchange("koya_wrong").status == 401) ++wrong;
  EXPECT_GE(wrong, 20U) << "mistyping costs nothing";
  Reply program = Exchange("koya_wrong");
  EXPECT_EQ(program.status, 429U) << program.body;
  EXPECT_GT(std::stoi("0" + program.Get("Retry-After")), 0);
  EXPECT_EQ(Exchange(token).status, 429U) << "whatever is sent meanwhile";
  browser_.Open("/-/first-run");
  Reply page = browser_.Submit("/-/first-run", FirstRunFields(token));
  EXPECT_EQ(page.status, 429U) << "of the same address";
  EXPECT_EQ(page.Get("Retry-After"), program.Get("Retry-After"));
  EXPECT_TRUE(page.body.contains("Too many attempts")) << page.body;
  browser_.remote = "198.51.100.7";
  browser_.Open("/-/first-run");
  EXPECT_EQ(browser_.Submit("/-/first-run", FirstRunFields(token)).status, 200U)
      << "others are not held up";
}

TEST_F(SetUpApiTest, TheStartPageLeadsToTheFirstRunUntilItIsDone) {
  for (bool anonymous_read : {true, false}) {
    api_.access.anonymous_read = anonymous_read;
    api_.SettleMirror();
    Reply home = browser_.Open("/");
    EXPECT_EQ(home.status, 200U);
    EXPECT_TRUE(home.body.contains("href=\"/-/first-run\"") ||
                home.body.contains("href=\"&#x2F;-&#x2F;first-run\""))
        << home.body;
    EXPECT_FALSE(home.body.contains("tofu login"));
    EXPECT_FALSE(home.body.contains("koya_"));
  }
  api_.access.anonymous_read = true;
  api_.SettleMirror();
  EXPECT_EQ(Exchange(api_.SetUpToken()).status, 201U);
  Reply home = browser_.Open("/");
  EXPECT_FALSE(home.body.contains("first-run"));
  EXPECT_TRUE(home.body.contains("koya login"));
}

TEST_F(SetUpApiTest, OnesOwnSessionsTakeNoScope) {
  api_.AddUser("ada", std::string(kRootPassword));
  api_.AddUser("root", std::string(kRootPassword), true);
  FakeBrowser mine(api_), theirs(api_);
  mine.SignIn("ada", kRootPassword);
  theirs.SignIn("root", kRootPassword);
  api_.token = TokenOf("ada", Scope::kRead);
  Reply listed = Send(http::Method::kGet, "/api/v1/sessions", "");
  ASSERT_EQ(listed.status, 200U) << listed.body;
  EXPECT_TRUE(listed.body.contains(R"("user":"ada")"));
  EXPECT_FALSE(listed.body.contains(R"("user":"root")"));
  EXPECT_EQ(Send(http::Method::kGet, "/api/v1/sessions?user=root", "").status, 403U);
  EXPECT_EQ(Send(http::Method::kDelete, "/api/v1/users/ada/sessions", "").status, 403U);
  const std::string id = IdIn(listed);
  api_.token = TokenOf("root", Scope::kPublish);
  EXPECT_EQ(Send(http::Method::kDelete, "/api/v1/sessions/" + id, "").status, 404U)
      << "an administrator with less than the scope admin";
  api_.token = api_.Token(Scope::kRead);
  EXPECT_EQ(Send(http::Method::kGet, "/api/v1/sessions", "").status, 403U) << "a token of nobody";
  api_.token = TokenOf("ada", Scope::kPublish);
  EXPECT_EQ(Send(http::Method::kDelete, "/api/v1/sessions/" + id, "").status, 204U);
  EXPECT_FALSE(mine.Open("/").body.contains("/-/sign-out"));
  EXPECT_TRUE(theirs.Open("/").body.contains("/-/sign-out"));
}

TEST_F(SetUpApiTest, SessionsAreListedAndEnded) {
  api_.AddUser("ada", "the first password");
  FakeBrowser one(api_), two(api_);
  one.SignIn("ada", "the first password");
  two.SignIn("ada", "the first password");
  EXPECT_EQ(Send(http::Method::kGet, "/api/v1/sessions", "").status, 401U);
  api_.token = api_.Token(Scope::kAdmin);
  Reply listed = Send(http::Method::kGet, "/api/v1/sessions?user=ADA", "");
  ASSERT_EQ(listed.status, 200U) << listed.body;
  EXPECT_TRUE(listed.body.contains(R"("user":"ada")")) << listed.body;
  EXPECT_FALSE(listed.body.contains(one.cookies["__Host-koya"]));
  std::string id = IdIn(listed);
  EXPECT_EQ(Send(http::Method::kDelete, "/api/v1/sessions/" + id, "").status, 204U);
  EXPECT_EQ(Send(http::Method::kDelete, "/api/v1/sessions/" + id, "").status, 404U);
  Reply ended = Send(http::Method::kDelete, "/api/v1/users/ada/sessions", "");
  EXPECT_EQ(ended.body, R"({"ended":1})");
  for (FakeBrowser* each : {&one, &two}) {
    EXPECT_FALSE(each->Open("/").body.contains("/-/sign-out"));
  }
}

}  // namespace
}  // namespace koya::api
