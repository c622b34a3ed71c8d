// What users watch, and their notifications: the API and the page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "api/common/browser_fake.h"
#include "auth/token.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/module_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"
#include "domain/namespace_record.h"

namespace koya::api {
namespace {

constexpr std::string_view kWatcherPassword = "correct horse battery";

class NotificationsApiTest : public ::testing::Test {
 protected:
  NotificationsApiTest() {
    for (auto [ns, visibility] :
         {std::pair("acme", Visibility::kPublic), std::pair("closed", Visibility::kPrivate)}) {
      NamespaceRecord record{.name = ns, .visibility = visibility};
      EXPECT_TRUE(RunTask(api_.catalog().namespaces().AddNamespace(Actor::Server(), record)));
    }
    for (const char* address : {"Acme/vpc/aws", "closed/vpc/aws"}) Publish(address, "1.0.0");
    api_.AddUser("eve", std::string(kWatcherPassword));
    token_ = TokenOf("eve", AccountKind::kUser);
    api_.token = token_;
  }

  void Publish(const char* address, const char* version) {
    EXPECT_TRUE(
        RunTask(api_.catalog().modules().AddVersion(Actor::Server(), Record(address, version))));
  }
  // The text of a token of the account, with the scope read.
  std::string TokenOf(const std::string& name, AccountKind kind) {
    auto account = RunTask(api_.catalog().accounts().FindAccount(kind, name));
    EXPECT_TRUE(account);
    const auth::MintedToken minted = auth::MintToken();
    TokenRecord token{.name = name, .secret = minted.secret, .scope = Scope::kRead};
    if (account) token.account_id = account->id;
    EXPECT_TRUE(RunTask(api_.catalog().tokens().AddToken(Actor::Server(), token)));
    return minted.text;
  }
  void Grant(bool given) {
    NamespaceCatalog& namespaces = api_.catalog().namespaces();
    const GrantRecord grant{
        .ns = "closed", .kind = GranteeKind::kUser, .grantee = "eve", .role = Role::kReader};
    Status done =
        given
            ? RunTask(namespaces.PutGrant(Actor::Server(), grant))
            : RunTask(namespaces.RemoveGrant(Actor::Server(), "closed", GranteeKind::kUser, "eve"));
    EXPECT_TRUE(done);
    api_.clock.now += 300;
  }
  Reply Ask(http::Method method, std::string path, std::string body = {}) {
    return api_.Ask({.method = method,
                     .path = "/api/v1/" + std::move(path),
                     .query = {},
                     .fields = {},
                     .body = std::move(body)});
  }
  Reply Watch(std::string path, std::string body = {}) {
    return Ask(http::Method::kPut, "watches/" + std::move(path), std::move(body));
  }
  std::string Events() { return Ask(http::Method::kGet, "notifications").body; }

  ApiFixture api_;
  std::string token_;
};

TEST_F(NotificationsApiTest, AWatchTellsWhatHappens) {
  EXPECT_TRUE(Events().contains(R"("events":[],"unseen":0)")) << Events();
  Reply watch = Watch("modules/acme/vpc/aws");
  EXPECT_EQ(watch.status, 200U) << watch.body;
  EXPECT_TRUE(watch.body.contains(R"("address":"Acme/vpc/aws","mail":"off")")) << watch.body;
  watch = Watch("namespaces/ACME", R"({"mail":"daily"})");
  EXPECT_TRUE(watch.body.contains(R"("kind":"namespace")")) << watch.body;
  const std::string events = Events();
  EXPECT_TRUE(events.contains(
      R"({"kind":"published","of":"module","address":"Acme/vpc/aws","version":"1.0.0",)"))
      << events;
  EXPECT_TRUE(events.contains(R"("unseen":true}],"unseen":1,)")) << events;
  const std::size_t at = events.find("\"latest\":") + 9;
  const std::string latest = events.substr(at, events.find_first_of(",}", at) - at);
  EXPECT_EQ(Ask(http::Method::kPut, "notifications/seen", R"({"latest":)" + latest + "}").status,
            204U);
  EXPECT_TRUE(Events().contains(R"("unseen":0)")) << Events();
  Publish("Acme/vpc/aws", "1.1.0");
  EXPECT_TRUE(Events().contains(R"("unseen":1,)")) << Events();
  const Reply part = api_.Ask({.path = "/api/v1/notifications", .query = "limit=1"});
  EXPECT_TRUE(part.body.contains("1.1.0") && part.body.contains("\"before\":")) << part.body;
  EXPECT_EQ(Ask(http::Method::kDelete, "watches/modules/acme/vpc/aws").status, 204U);
  EXPECT_EQ(Ask(http::Method::kDelete, "watches/namespaces/acme").status, 204U);
  EXPECT_TRUE(Events().contains(R"("events":[])")) << Events();
}

TEST_F(NotificationsApiTest, WhatIsWrongIsRefused) {
  struct Case {
    std::string path, body;
    unsigned status;
    std::string_view words;
  };
  const Case kCases[] = {
      {"modules/acme/vpc/gcp", "", 404, "there is no module"},
      {"modules/closed/vpc/aws", "", 404, "there is no module"},
      {"namespaces/closed", "", 404, "there is no namespace"},
      {"providers/acme/none", "", 404, "there is no provider"},
      {"modules/acme/vpc/aws", R"({"mail":"weekly"})", 400, "use now, daily or off"},
      {"modules/acme/vpc/aws", "[", 400, ""}};
  for (const Case& c : kCases) {
    const Reply reply = Watch(c.path, c.body);
    EXPECT_EQ(reply.status, c.status) << c.path << reply.body;
    EXPECT_TRUE(reply.body.contains(c.words)) << c.path << reply.body;
  }
  EXPECT_EQ(Ask(http::Method::kDelete, "watches/modules/acme/vpc/aws").status, 404U);
  api_.token = api_.Token(Scope::kAdmin);
  EXPECT_EQ(Watch("modules/acme/vpc/aws").status, 400U) << "a token of its own is no user";
  EXPECT_EQ(Ask(http::Method::kGet, "notifications").status, 400U);
  api_.token = api_.Token(Scope::kPublish, {"acme"});
  EXPECT_EQ(Ask(http::Method::kGet, "notifications").status, 403U);
  EXPECT_TRUE(RunTask(api_.catalog().accounts().AddAccount(
      Actor::Server(), {.id = "id-ci", .kind = AccountKind::kService, .name = "ci"})));
  api_.token = TokenOf("ci", AccountKind::kService);
  EXPECT_EQ(Watch("modules/acme/vpc/aws").status, 403U);
}

TEST_F(NotificationsApiTest, WithTheRightToReadGoesEveryWord) {
  Grant(true);
  EXPECT_EQ(Watch("modules/closed/vpc/aws").status, 200U);
  EXPECT_TRUE(Events().contains("closed/vpc/aws"));
  Grant(false);
  EXPECT_FALSE(Events().contains("closed")) << Events();
  EXPECT_TRUE(Events().contains(R"("unseen":0)"));
  EXPECT_FALSE(Ask(http::Method::kGet, "watches").body.contains("closed"));
  Grant(true);
  EXPECT_TRUE(Events().contains("closed/vpc/aws"));
}

TEST_F(NotificationsApiTest, ThePageWatchesAndEnds) {
  FakeBrowser browser(api_);
  api_.token.clear();
  EXPECT_EQ(browser.Open("/-/notifications").Get("Location"), "/login?to=/-/notifications");
  EXPECT_FALSE(browser.Open("/modules/acme/vpc/aws").body.contains("/-/notifications"));
  browser.SignIn("eve", kWatcherPassword);
  const Reply module = browser.Open("/modules/acme/vpc/aws");
  EXPECT_TRUE(module.body.contains(R"(name="address" value="Acme/vpc/aws")")) << module.body;
  FormFields form = {{"kind", "module"}, {"address", "Acme/vpc/aws"}, {"do", "watch"}};
  EXPECT_EQ(browser.Submit("/-/notifications", form).Get("Location"), "/-/notifications");
  Reply page = browser.Open("/-/notifications");
  EXPECT_TRUE(page.body.contains("You watch Acme/vpc/aws now.")) << page.body;
  EXPECT_TRUE(page.body.contains("/modules/Acme/vpc/aws/1.0.0"));
  EXPECT_TRUE(page.body.contains("1 new"));
  EXPECT_EQ(browser.Submit("/-/notifications", {{"do", "seen"}, {"latest", "999"}}).status, 303U);
  EXPECT_FALSE(browser.Open("/-/notifications").body.contains("1 new"));
  form.back().second = "end";
  EXPECT_EQ(browser.Submit("/-/notifications", form).status, 303U);
  EXPECT_TRUE(browser.Open("/-/notifications").body.contains("You watch nothing yet."));
  form[0].second = "planet";
  EXPECT_EQ(browser.Submit("/-/notifications", form).status, 400U);
}

}  // namespace
}  // namespace koya::api
