// A frozen registry: which routes refuse, and what they say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "api/routes.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/replica_catalog.h"
#include "domain/use.h"
#include "http/server/head_parser.h"
#include "wire/admin.h"

namespace koya::api {
namespace {

class FrozenApiTest : public ::testing::Test {
 protected:
  FrozenApiTest() {
    api_.operations = {.database = "SQLite", .store = "folder"};
    api_.SettleMirror();
    Installation made{.id = "id", .secret_mark = "mark"};
    EXPECT_TRUE(RunTask(api_.catalog().installation().AdoptInstallation(made)));
    admin_ = api_.Token(Scope::kAdmin);
  }

  Reply Put(std::string body, const std::string& token) {
    api_.token = token;
    return api_.Ask({.method = http::Method::kPut,
                     .path = "/api/v1/admin/freeze",
                     .query = {},
                     .fields = {},
                     .body = std::move(body)});
  }
  void SetFrozen(bool frozen) {
    const Reply reply =
        Put(fmt::format(R"({{"state":"{}","reason":"moving"}})", frozen ? "on" : "off"), admin_);
    ASSERT_EQ(reply.status, 200U) << reply.body;
  }
  // A path that the route has.
  static std::string PathOf(const Route& route) {
    std::string path(route.pattern);
    for (std::size_t open = path.find('{'); open != path.npos; open = path.find('{')) {
      const std::size_t close = path.find('}', open);
      const std::string name = path.substr(open + 1, close - open - 1);
      std::string value = "x";
      if (name == "version") value = "1.0.0";
      if (name == "hostname") value = "registry.example.com";
      path.replace(open, close - open + 1, value);
    }
    return path;
  }
  static std::string NameOf(const Route& route) {
    return fmt::format("{} {}", http::MethodName(route.method), route.pattern);
  }

  ApiFixture api_;
  std::string admin_;
};

TEST_F(FrozenApiTest, EveryRouteRefusesChangesAndNoneRefusesReading) {
  SetFrozen(true);
  api_.token = admin_;
  for (const Route& route : Routes()) {
    if (route.pattern == "/api/v1/admin/freeze") continue;
    Question question{.method = route.method, .path = PathOf(route)};
    const Reply reply = api_.Ask(question);
    const bool refused = reply.status == 503 && reply.body.contains("frozen since");
    EXPECT_EQ(refused, route.changes) << NameOf(route) << ": " << reply.status << reply.body;
    if (!refused) continue;
    EXPECT_EQ(reply.Get("Retry-After"), "30") << NameOf(route);
    EXPECT_TRUE(reply.body.contains("moving")) << NameOf(route);
  }
}

// What goes on in spite of its method, and the reverse: a new route belongs here only with a
// reason.
TEST_F(FrozenApiTest, TheMethodSaysWhichRoutesChangeSomethingButForThese) {
  std::set<std::string> goes_on, refused;
  for (const Route& route : Routes()) {
    const bool reads = route.method == http::Method::kGet;
    if (!reads && !route.changes) goes_on.insert(NameOf(route));
    if (reads && route.changes) refused.insert(NameOf(route));
  }
  const std::set<std::string> reading{
      "PUT /api/v1/admin/freeze",
      "POST /api/v1/admin/backup",
      "POST /api/v1/admin/backup/session",
      "DELETE /api/v1/admin/backup/session/{id}",
      "POST /-/mcp",
      "POST /-/prefs",
      "POST /-/verify",
      "POST /api/v1/policy/test",
      "POST /api/v1/verify/lock",
      "POST /api/v1/verify/blobs/{id}",
      "POST /api/v1/modules/{namespace}/{name}/{system}/{version}/verify",
      "POST /api/v1/providers/{namespace}/{type}/{version}/verify",
      "POST /api/v1/providers/{namespace}/{type}/{version}/docs/verify",
      "POST /api/v1/providers/{namespace}/{type}/{version}/schema/verify",
      "POST /api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify",
      "POST /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify",
      "POST /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify",
      "POST /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify"};
  EXPECT_EQ(goes_on, reading);
  EXPECT_EQ(refused,
            (std::set<std::string>{"GET /-/oidc/{name}/callback", "GET /-/oidc/{name}/start"}));
}

TEST_F(FrozenApiTest, PublishingGoesOnWhenTheFreezeEnds) {
  api_.token = admin_;
  ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive("one")).status, 201U);
  SetFrozen(true);
  EXPECT_EQ(api_.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("two")).status, 503U);
  EXPECT_EQ(api_.Get("/v1/modules/acme/vpc/aws/versions").status, 200U);
  api_.token = api_.Token(Scope::kRead);
  EXPECT_EQ(api_.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("two")).status, 403U)
      << "the state is no answer to callers without the right";
  SetFrozen(false);
  EXPECT_EQ(api_.Publish("acme/vpc/aws", "1.1.0", ModuleArchive("two")).status, 201U);
}

TEST_F(FrozenApiTest, TheStateIsShownToAdministrators) {
  api_.token = admin_;
  const std::string path = "/api/v1/admin/freeze";
  EXPECT_EQ(api_.Get(path).body, R"({"frozen":false,"since":null,"by":null,"reason":null})");
  SetFrozen(true);
  const auto report = wire::Decode<wire::FreezeReport>(api_.Get(path).body);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->frozen);
  EXPECT_NE(report->since, "");
  EXPECT_NE(report->by, "");
  EXPECT_EQ(report->reason, "moving");
  const auto status = wire::Decode<wire::ServerStatus>(api_.Get("/api/v1/admin/status").body);
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_EQ(status->todo.size(), 1U);
  EXPECT_EQ(status->todo[0].code, "frozen");
  EXPECT_TRUE(status->todo[0].text.contains("moving")) << status->todo[0].text;
  for (const Scope scope : {Scope::kRead, Scope::kPublish}) {
    EXPECT_EQ(Put(R"({"state":"off"})", api_.Token(scope)).status, 403U);
  }
  EXPECT_EQ(Put(R"({"state":"off"})", "").status, 401U);
  EXPECT_EQ(Put("{}", admin_).status, 400U);
  EXPECT_EQ(Put(R"({"state":"perhaps"})", admin_).status, 400U);
  EXPECT_EQ(
      Put(fmt::format(R"({{"state":"on","reason":"{}"}})", std::string(1001, 'a')), admin_).status,
      400U);
  EXPECT_EQ(Put(R"({"state":"on","reason":"a\u001b[31m"})", admin_).status, 400U);
}

TEST_F(FrozenApiTest, ThePagesSayIt) {
  api_.AddUser("ada", "correct horse battery", true);
  FakeBrowser ada(api_);
  api_.token.clear();
  ada.SignIn("ada", "correct horse battery");
  SetFrozen(true);
  api_.token.clear();
  EXPECT_TRUE(ada.Open("/-/admin").body.contains("is frozen since"));
  EXPECT_TRUE(ada.Open("/-/admin").body.contains("moving"));
  const Reply refused = api_.Ask({.method = http::Method::kPost, .path = "/login"});
  EXPECT_EQ(refused.status, 503U);
  EXPECT_TRUE(refused.Get("Content-Type").starts_with("text/html"));
}

}  // namespace
}  // namespace koya::api
