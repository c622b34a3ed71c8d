// Permissions of a browser with a session, on every route: on pages those of their forms, and
// elsewhere those of an anonymous caller, since a cookie is no token.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/browser_fake.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "base/encoding.h"
#include "base/run_task.h"
#include "base/sha256.h"
#include "catalog/access_catalog.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "http/server/head_parser.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

using http::Method;

constexpr std::string_view kEverybodysPassword = "correct horse battery";

enum class Session { kNone, kReader, kAdministrator, kExpired, kEnded, kDisabled };
using enum Session;
constexpr std::array kSessions{kNone, kReader, kAdministrator, kExpired, kEnded, kDisabled};

constexpr std::string_view SessionName(Session session) {
  constexpr std::array<std::string_view, 6> kNames{"a stranger",       "a reader",
                                                   "an administrator", "an expired one",
                                                   "an ended one",     "a disabled user"};
  return kNames[static_cast<std::size_t>(session)];
}
constexpr bool IsAlive(Session session) { return session == kReader || session == kAdministrator; }

// The text against forged requests that a form is sent with: none, that of another browser, or the
// one that this browser was shown last.
enum class Csrf { kNone, kAnothers, kOwn };

// Request for a page, and its response. A number is a status, "303 X" one with the beginning of the
// Location.
struct PageRow {
  std::string query = {};
  FormFields form = {};
  std::string signed_in;           // with the own csrf, if it is a form
  std::string visitor;             // the same for anonymous callers
  std::string forged = {};         // for the signed-in user, without their own csrf
  std::string nobody_forged = {};  // the same for anonymous callers and ended sessions
  std::string administrator = {};  // with the own csrf, where it is not as of others
};

// A page that administrators alone are shown.
PageRow OfAdministrators(std::string administrator = "200", std::string query = {}) {
  return {.query = std::move(query),
          .signed_in = "404",
          .visitor = "303 /login?to=",
          .administrator = std::move(administrator)};
}

FormFields ConsentRequest() {
  const Sha256Bytes challenge = Sha256("a verifier of forty-three characters at least");
  return {{"client_id", "terraform-cli"},    {"code_challenge", Base64UrlEncode(challenge)},
          {"code_challenge_method", "S256"}, {"redirect_uri", "http://localhost:10000/login"},
          {"response_type", "code"},         {"state", "s"}};
}

FormFields Allowed() {
  FormFields form = ConsentRequest();
  form.emplace_back("decision", "allow");
  return form;
}

// A form that administrators alone may send.
PageRow FormOfAdministrators(std::string administrator, FormFields form = {}) {
  return {.form = std::move(form),
          .signed_in = "404",
          .visitor = "303 /login?to=",
          .forged = "403",
          .nobody_forged = "303 /login?to=",
          .administrator = std::move(administrator)};
}

// A form for publishers of a namespace, for a version that does not exist: its own page says so.
PageRow FormOfVersion(std::string administrator) {
  return {.signed_in = "404",
          .visitor = "303 /login?to=",
          .forged = "403",
          .nobody_forged = "303 /login?to=",
          .administrator = std::move(administrator)};
}

// Of every page; another one must be written down here, or the test fails.
std::map<std::string, PageRow, std::less<>> PageRows() {
  const std::string consent = EncodeForm(ConsentRequest());
  return {
      {"GET /", {.signed_in = "200", .visitor = "200"}},
      {"GET /login", {.signed_in = "303 /", .visitor = "200"}},
      {"POST /login",
       {.form = {{"username", "eve"}, {"password", std::string(kEverybodysPassword)}},
        .signed_in = "303 /",
        .visitor = "303 /",
        .forged = "403",
        .nobody_forged = "403"}},
      {"GET /oauth/authorize", {.query = consent, .signed_in = "200", .visitor = "303 /login?to="}},
      {"POST /oauth/authorize",
       {.form = Allowed(),
        .signed_in = "303 http://localhost:10000/login?code=",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"POST /-/sign-out",
       {.signed_in = "200", .visitor = "200", .forged = "403", .nobody_forged = "403"}},
      {"GET /-/first-run", {.signed_in = "404", .visitor = "404"}},
      {"POST /-/first-run",
       {.form = {{"username", "mallory"}, {"password", std::string(kEverybodysPassword)}},
        .signed_in = "404",
        .visitor = "404",
        .forged = "404",
        .nobody_forged = "404"}},
      {"POST /-/prefs",
       {.form = {{"theme", "dark"}, {"to", "/login"}},
        .signed_in = "303 /login",
        .visitor = "303 /login",
        .forged = "403",
        .nobody_forged = "403"}},
      {"GET /-/oidc/{name}/start", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/oidc/{name}/callback", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/admin", OfAdministrators()},
      {"GET /-/admin/audit", OfAdministrators()},
      {"GET /-/admin/audit/{id}", OfAdministrators("404")},
      {"GET /-/admin/audit/proof", OfAdministrators("200", "walk=yes")},
      {"GET /-/admin/audit/export/{file}", OfAdministrators("404")},
      {"GET /-/admin/grants", OfAdministrators()},
      {"GET /-/admin/grants/why", OfAdministrators("200", "who=eve&may=everything")},
      {"GET /-/admin/users", OfAdministrators("200", "q=eve")},
      {"POST /-/admin/users", FormOfAdministrators("422", {{"name", "a b"}})},
      {"GET /-/admin/users/{name}", OfAdministrators()},
      {"POST /-/admin/users/{name}", FormOfAdministrators("400", {{"do", "nothing"}})},
      {"GET /-/admin/users/{name}/delete", OfAdministrators()},
      {"POST /-/admin/users/{name}/delete", FormOfAdministrators("422", {{"typed", "ada"}})},
      {"GET /-/admin/services", OfAdministrators()},
      {"POST /-/admin/services", FormOfAdministrators("422", {{"name", "a b"}})},
      {"GET /-/admin/services/{name}/delete", OfAdministrators("404")},
      {"POST /-/admin/services/{name}/delete", FormOfAdministrators("404", {{"typed", "ada"}})},
      {"GET /-/admin/tokens", OfAdministrators()},
      {"GET /-/admin/tokens/{name}/revoke", OfAdministrators("404")},
      {"POST /-/admin/tokens/{name}/revoke", FormOfAdministrators("303 /-/admin/tokens")},
      {"GET /-/admin/groups", OfAdministrators()},
      {"POST /-/admin/groups", FormOfAdministrators("422", {{"name", "a b"}})},
      {"GET /-/admin/groups/{name}", OfAdministrators("404")},
      {"POST /-/admin/groups/{name}",
       FormOfAdministrators("303 /-/admin/groups", {{"kind", "user"}, {"member", "eve"}})},
      {"GET /-/admin/groups/{name}/delete", OfAdministrators("404")},
      {"POST /-/admin/groups/{name}/delete",
       FormOfAdministrators("303 /-/admin/groups", {{"typed", "eve"}})},
      {"POST /-/admin/grants", FormOfAdministrators("422", {{"ns", "acme"}})},
      {"GET /-/admin/sign-in", OfAdministrators()},
      {"POST /-/admin/sign-in", FormOfAdministrators("422", {{"name", "a b"}})},
      {"GET /-/admin/sign-in/{name}", OfAdministrators("404")},
      {"POST /-/admin/sign-in/{name}", FormOfAdministrators("404")},
      {"GET /-/admin/sign-in/{name}/trial", OfAdministrators("404")},
      {"GET /-/admin/storage", OfAdministrators()},
      {"GET /-/admin/health", OfAdministrators()},
      {"GET /search", {.query = "q=eve", .signed_in = "200", .visitor = "200"}},
      {"GET /modules", {.signed_in = "200", .visitor = "200"}},
      {"GET /providers", {.signed_in = "200", .visitor = "200"}},
      {"GET /namespaces", {.signed_in = "200", .visitor = "200"}},
      {"GET /namespaces/{namespace}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/docs", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/docs/api", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/docs/api/{name}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/docs/errors", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/docs/errors/{name}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/docs/accessibility", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/docs/{name}", {.signed_in = "404", .visitor = "404"}},
      {"GET /namespaces/{namespace}/keys", {.signed_in = "404", .visitor = "404"}},
      {"POST /namespaces/{namespace}/keys",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/keys/{key_id}/remove",
       {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /namespaces/{namespace}/keys/{key_id}/remove",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/people", {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /namespaces/{namespace}/people",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/people/remove",
       {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /namespaces/{namespace}/people/remove",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/publishing", {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /namespaces/{namespace}/publishing",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/publishing/{id}/remove",
       {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /namespaces/{namespace}/publishing/{id}/remove",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"POST /namespaces/{namespace}/publishing/tokens",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/settings", {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /namespaces/{namespace}/settings",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /namespaces/{namespace}/activity", {.signed_in = "404", .visitor = "303 /login?to="}},
      {"GET /namespaces/{namespace}/usage", {.signed_in = "404", .visitor = "303 /login?to="}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/deprecate",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .administrator = "303 /modules/eve/eve/eve/1.0.0"}},
      {"POST /modules/{namespace}/{name}/{system}/{version}/deprecate",
       FormOfVersion("303 /modules/eve/eve/eve/1.0.0")},
      {"GET /modules/{namespace}/{name}/{system}/{version}/withdraw",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .administrator = "303 /modules/eve/eve/eve/1.0.0"}},
      {"POST /modules/{namespace}/{name}/{system}/{version}/withdraw",
       FormOfVersion("303 /modules/eve/eve/eve/1.0.0")},
      {"GET /modules/{namespace}/{name}/{system}/{version}/restore",
       {.signed_in = "404", .visitor = "303 /login?to=", .administrator = "200"}},
      {"POST /modules/{namespace}/{name}/{system}/{version}/restore", FormOfVersion("422")},
      {"GET /providers/{namespace}/{type}/{version}/deprecate",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .administrator = "303 /providers/eve/eve/1.0.0"}},
      {"POST /providers/{namespace}/{type}/{version}/deprecate",
       FormOfVersion("303 /providers/eve/eve/1.0.0")},
      {"GET /providers/{namespace}/{type}/{version}/withdraw",
       {.signed_in = "404",
        .visitor = "303 /login?to=",
        .administrator = "303 /providers/eve/eve/1.0.0"}},
      {"POST /providers/{namespace}/{type}/{version}/withdraw",
       FormOfVersion("303 /providers/eve/eve/1.0.0")},
      {"GET /providers/{namespace}/{type}/{version}/restore",
       {.signed_in = "404", .visitor = "303 /login?to=", .administrator = "200"}},
      {"POST /providers/{namespace}/{type}/{version}/restore", FormOfVersion("422")},
      {"GET /-/setup", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/cli/", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/settings", {.signed_in = "200", .visitor = "303 /login?to="}},
      {"POST /-/settings/sessions",
       {.form = {{"end", "others"}},
        .signed_in = "303 /-/settings",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"POST /-/settings/language",
       {.form = {{"language", "en"}},
        .signed_in = "303 /-/settings",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /-/notifications/end", {.signed_in = "404", .visitor = "404"}},
      {"POST /-/notifications/end",
       {.signed_in = "404", .visitor = "404", .forged = "404", .nobody_forged = "404"}},
      {"GET /-/notifications/confirm", {.query = "key=x", .signed_in = "200", .visitor = "200"}},
      {"POST /-/notifications/confirm",
       {.form = {{"key", "x"}},
        .signed_in = "404",
        .visitor = "404",
        .forged = "404",
        .nobody_forged = "404"}},
      {"GET /-/notifications", {.signed_in = "200", .visitor = "303 /login?to="}},
      {"POST /-/notifications",
       {.form = {{"do", "seen"}, {"latest", "1"}},
        .signed_in = "303 /-/notifications",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /-/settings/password", {.signed_in = "200", .visitor = "303 /login?to="}},
      {"POST /-/settings/password",
       {.form = {{"old_password", "x"}},
        .signed_in = "422",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /-/settings/tokens", {.signed_in = "200", .visitor = "303 /login?to="}},
      {"GET /-/settings/tokens/new", {.signed_in = "200", .visitor = "303 /login?to="}},
      {"POST /-/settings/tokens/new",
       {.form = {{"name", "no name"}},
        .signed_in = "422",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /-/settings/tokens/{name}/revoke", {.signed_in = "404", .visitor = "303 /login?to="}},
      {"POST /-/settings/tokens/{name}/revoke",
       {.signed_in = "303 /-/settings/tokens",
        .visitor = "303 /login?to=",
        .forged = "403",
        .nobody_forged = "303 /login?to="}},
      {"GET /-/feeds/{file}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/feeds/modules/{namespace}/{name}/{file}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/feeds/providers/{namespace}/{file}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/badges/modules/{namespace}/{name}/{file}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/badges/providers/{namespace}/{file}", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/{version}", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/versions", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/keys", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/changes", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/usage", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/{version}/docs", {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/{version}/docs/{kind}/{name}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /providers/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/{name}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/mirror/packages", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/mirror/upstreams", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/mirror/upstreams/{hostname}", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/mirror/policy", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/mirror/policy/held", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/mirror/keys/{hostname}/{namespace}", {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror/explain", {.signed_in = "200", .visitor = "200"}},
      {"GET /-/verify", {.signed_in = "200", .visitor = "200"}},
      {"POST /-/verify",
       {.form = {{"lock", "# no providers"}},
        .signed_in = "200",
        .visitor = "200",
        .forged = "403",
        .nobody_forged = "403"}},
      {"GET /-/mirror/providers/{hostname}/{namespace}/{type}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/{version}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/versions",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/usage",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET "
       "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/"
       "{name}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}", {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/inputs",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/outputs",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/resources",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/dependencies",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/submodules",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/submodules/{path...}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/examples",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/examples/{path...}",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/versions",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/changes",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/changes/source",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/usage",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/used-by",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/files",
       {.signed_in = "404", .visitor = "404"}},
      {"GET /modules/{namespace}/{name}/{system}/{version}/files/{path...}",
       {.signed_in = "404", .visitor = "404"}},
  };
}

std::string SessionRouteName(const Route& route) {
  return fmt::format("{} {}", http::MethodName(route.method), route.pattern);
}

// A path that the pattern matches.
std::string SessionPathOf(const Route& route) {
  std::string path;
  std::string_view rest = route.pattern;
  while (!rest.empty()) {
    std::size_t begin = std::min(rest.find('{'), rest.size());
    path += rest.substr(0, begin);
    rest.remove_prefix(begin);
    if (rest.empty()) break;
    std::string_view name = rest.substr(0, rest.find('}') + 1);
    path += name == "{version}" ? "1.0.0" : name == "{hostname}" ? "registry.example.org" : "eve";
    rest.remove_prefix(name.size());
  }
  return path;
}

class SessionRightsTest : public ::testing::Test {
 protected:
  SessionRightsTest() {
    for (std::string_view user : {"ada", "eve", "gone"}) {
      api_.AddUser(std::string(user), std::string(kEverybodysPassword), user == "ada");
    }
    SignInAs(kExpired, "eve");
    api_.clock.now += std::chrono::seconds(service::Sessions::kLife).count();
    for (Session each : {kReader, kAdministrator}) SignInAgain(each);
    SignInAs(kEnded, "eve");
    FakeBrowser(browsers_.at(kEnded)).Submit("/-/sign-out", {});
    SignInAs(kDisabled, "gone");
    EXPECT_TRUE(RunTask(
        api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "gone", 1)));
    browsers_.emplace(kNone, FakeBrowser(api_)).first->second.Open("/login");
  }

  void SignInAs(Session session, std::string_view user) {
    FakeBrowser browser(api_);
    EXPECT_EQ(browser.SignIn(user, kEverybodysPassword).status, 303U) << user;
    browser.Open("/");
    browsers_.insert_or_assign(session, std::move(browser));
  }
  void SignInAgain(Session session) {
    SignInAs(session, session == kAdministrator ? "ada" : "eve");
  }

  // The text that this browser is to send; nullopt: none.
  std::optional<std::string> CsrfFor(Session session, Csrf csrf) {
    if (csrf == Csrf::kNone) return std::nullopt;
    const Session whose = csrf == Csrf::kOwn   ? session
                          : session == kReader ? kAdministrator
                                               : kReader;
    return browsers_.at(whose).csrf;
  }

  // Status, and Location. A copy of the browser sends the request, so that the response changes no
  // other session's cookies.
  std::string Ask(const Route& route, const PageRow& row, Session session, Csrf csrf) {
    FakeBrowser browser = browsers_.at(session);
    Reply reply;
    if (route.method == Method::kGet) {
      reply = browser.Open(SessionPathOf(route) + "?" + row.query);
    } else {
      FormFields form = row.form;
      // An empty field is taken for none.
      form.emplace_back("csrf", CsrfFor(session, csrf).value_or(""));
      reply = browser.Submit(SessionPathOf(route), form);
    }
    EXPECT_NE(reply.status, 401U) << SessionRouteName(route);
    const std::string place(reply.Get("Location"));
    return place.empty() ? std::to_string(reply.status) : fmt::format("{} {}", reply.status, place);
  }

  static const std::string& ExpectedOf(const Route& route, const PageRow& row, Session session,
                                       Csrf csrf) {
    // What a page was made with while they were signed in counts for nothing afterwards.
    const bool forged = route.method == Method::kPost &&
                        (csrf != Csrf::kOwn || (!IsAlive(session) && session != kNone));
    const bool may_more = session == kAdministrator && !row.administrator.empty();
    if (IsAlive(session) && !forged && may_more) return row.administrator;
    if (IsAlive(session)) return forged ? row.forged : row.signed_in;
    return forged ? row.nobody_forged : row.visitor;
  }

  bool IsSignedIn(Session session) {
    return FakeBrowser(browsers_.at(session)).Open("/").body.contains("/-/sign-out");
  }

  ApiFixture api_;
  std::map<Session, FakeBrowser> browsers_;
};

TEST_F(SessionRightsTest, EveryPageAnswersWhoeverIsSignedInAndNobodyElse) {
  const auto rows = PageRows();
  std::size_t pages = 0;
  for (const Route& route : Routes()) {
    if (!IsForPeople(route.access)) continue;
    auto row = rows.find(SessionRouteName(route));
    ASSERT_NE(row, rows.end()) << SessionRouteName(route) << ": say here what sessions may do";
    ++pages;
    for (Session session : kSessions) {
      for (Csrf csrf : {Csrf::kNone, Csrf::kAnothers, Csrf::kOwn}) {
        const std::string& expected = ExpectedOf(route, row->second, session, csrf);
        const std::string answered = Ask(route, row->second, session, csrf);
        EXPECT_TRUE(expected.contains(' ') ? answered.starts_with(expected) : answered == expected)
            << SessionRouteName(route) << " by " << SessionName(session) << " with csrf "
            << static_cast<int>(csrf) << ": " << answered << ", not " << expected;
        // A forged request has ended no session; a genuine one may have.
        if (csrf != Csrf::kOwn) EXPECT_EQ(IsSignedIn(session), IsAlive(session));
        if (IsAlive(session) && !IsSignedIn(session)) SignInAgain(session);
        if (route.method == Method::kGet) break;
      }
    }
  }
  EXPECT_EQ(pages, rows.size()) << "a page is gone";
}

TEST_F(SessionRightsTest, ACookieIsNoTokenOnAnyOtherRoute) {
  api_.token.clear();
  for (const Route& route : Routes()) {
    if (IsForPeople(route.access)) continue;
    Question question{.method = route.method, .path = SessionPathOf(route), .body = "{}"};
    if (route.method == Method::kGet) question.body.clear();
    const Reply stranger = api_.Ask(question);
    if (!IsOpen(route.access)) EXPECT_EQ(stranger.status, 401U) << SessionRouteName(route);
    for (const auto& [session, browser] : browsers_) {
      auto cookie = browser.cookies.find("__Host-koya");
      if (cookie == browser.cookies.end()) continue;
      question.fields = {{"Cookie", fmt::format("__Host-koya={}", cookie->second)}};
      Reply reply = api_.Ask(question);
      EXPECT_EQ(reply.status, stranger.status) << SessionRouteName(route);
      EXPECT_EQ(reply.body, stranger.body) << SessionRouteName(route);
      EXPECT_EQ(reply.Get("Set-Cookie"), "") << SessionRouteName(route);
      // Nor does it become one when it is sent as one.
      question.fields = {{"Authorization", "Bearer " + cookie->second}};
      EXPECT_EQ(api_.Ask(question).status, IsAnonymous(route.access) ? stranger.status : 401U)
          << SessionRouteName(route) << " by " << SessionName(session);
    }
  }
}

}  // namespace
}  // namespace koya::api
