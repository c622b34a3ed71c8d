// Permissions of anonymous callers, of tokens for one namespace, and of accounts with each role, on
// every route.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "auth/token.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/credential_record.h"
#include "domain/namespace_record.h"
#include "http/server/head_parser.h"

namespace koya::api {
namespace {

// What a route answers those whose rights end at a namespace.
enum class Expected {
  kAnybody,    // no token is looked at
  kOneself,    // any account, for its own things
  kPeople,     // a page: no token is looked at, and its forms need more than that
  kReaders,    // a page with contents: any caller that may read it, by a session or a token
  kPublisher,  // publish and admin, in their namespace only
  kAdmin,      // admin, in its namespace only
  kGranter,    // admin, whatever is asked: the answer keeps to what the token holds
  kNobody,     // only those without patterns
};
using enum Expected;

const std::map<std::string, Expected, std::less<>> kExpected = {
    {"GET /.well-known/terraform.json", kAnybody},
    {"GET /v1/modules/{namespace}/{name}/{system}/versions", kAnybody},
    {"GET /v1/modules/{namespace}/{name}/{system}/{version}/download", kAnybody},
    {"GET /download/modules/{namespace}/{name}/{system}/{version}/{file}", kAnybody},
    {"GET /v1/providers/{namespace}/{type}/versions", kAnybody},
    {"GET /v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", kAnybody},
    {"GET /download/providers/{namespace}/{type}/{version}/{file}", kAnybody},
    {"GET /mirror/{hostname}/{namespace}/{type}/{file}", kAnybody},
    {"GET /mirror/{hostname}/{namespace}/{type}/{version}/{file}", kAnybody},
    {"GET /origin/{hostname}/.well-known/terraform.json", kAnybody},
    {"GET /api/v1/renovate/modules/{hostname}/{namespace}/{name}/{system}", kAnybody},
    {"GET /api/v1/renovate/providers/{hostname}/{namespace}/{type}", kAnybody},
    {"GET /origin/{hostname}/v1/providers/{namespace}/{type}/versions", kAnybody},
    {"GET /origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}",
     kAnybody},
    {"GET /origin/{hostname}/v1/providers/{namespace}/{type}/{version}/attachments/{file}",
     kAnybody},
    {"GET /origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions", kAnybody},
    {"GET /origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download", kAnybody},
    {"GET /origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}", kAnybody},
    {"GET /", kReaders},
    {"GET /login", kPeople},
    {"POST /login", kPeople},
    {"GET /oauth/authorize", kPeople},
    {"POST /oauth/authorize", kPeople},
    {"POST /oauth/token", kAnybody},
    {"POST /-/mcp", kAnybody},
    {"POST /api/v1/verify/lock", kAnybody},
    {"GET /-/verify", kReaders},
    {"POST /-/verify", kReaders},
    {"POST /oauth/revoke", kAnybody},
    {"POST /-/sign-out", kPeople},
    {"GET /-/first-run", kPeople},
    {"POST /-/first-run", kPeople},
    {"POST /-/prefs", kPeople},
    {"GET /-/oidc/{name}/start", kPeople},
    {"GET /-/oidc/{name}/callback", kPeople},
    {"GET /-/assets/{file}", kAnybody},
    {"GET /-/opensearch.xml", kAnybody},
    {"GET /favicon.ico", kAnybody},
    {"GET /robots.txt", kAnybody},
    {"GET /llms.txt", kAnybody},
    {"GET /-/admin", kReaders},
    {"GET /-/admin/audit", kReaders},
    {"GET /-/admin/audit/{id}", kReaders},
    {"GET /-/admin/audit/proof", kReaders},
    {"GET /-/admin/audit/export/{file}", kReaders},
    {"GET /-/admin/grants", kReaders},
    {"GET /-/admin/grants/why", kReaders},
    {"GET /-/admin/users", kReaders},
    {"POST /-/admin/users", kPeople},
    {"GET /-/admin/services", kReaders},
    {"POST /-/admin/services", kPeople},
    {"GET /-/admin/services/{name}/delete", kReaders},
    {"POST /-/admin/services/{name}/delete", kPeople},
    {"GET /-/admin/tokens", kReaders},
    {"GET /-/admin/users/{name}", kReaders},
    {"POST /-/admin/users/{name}", kPeople},
    {"GET /-/admin/users/{name}/delete", kReaders},
    {"POST /-/admin/users/{name}/delete", kPeople},
    {"GET /-/admin/tokens/{name}/revoke", kReaders},
    {"POST /-/admin/tokens/{name}/revoke", kPeople},
    {"GET /-/admin/groups", kReaders},
    {"POST /-/admin/groups", kPeople},
    {"GET /-/admin/groups/{name}", kReaders},
    {"POST /-/admin/groups/{name}", kPeople},
    {"GET /-/admin/groups/{name}/delete", kReaders},
    {"POST /-/admin/groups/{name}/delete", kPeople},
    {"POST /-/admin/grants", kPeople},
    {"GET /-/admin/sign-in", kReaders},
    {"GET /-/admin/sign-in/{name}", kReaders},
    {"POST /-/admin/sign-in", kPeople},
    {"POST /-/admin/sign-in/{name}", kPeople},
    {"GET /-/admin/sign-in/{name}/trial", kReaders},
    {"GET /-/admin/storage", kReaders},
    {"GET /-/admin/health", kReaders},
    {"GET /namespaces", kReaders},
    {"GET /namespaces/{namespace}", kReaders},
    {"GET /-/docs", kReaders},
    {"GET /-/docs/api", kReaders},
    {"GET /-/docs/api/{name}", kReaders},
    {"GET /-/docs/errors", kReaders},
    {"GET /-/docs/errors/{name}", kReaders},
    {"GET /-/docs/accessibility", kPeople},
    {"GET /-/docs/{name}", kReaders},
    {"GET /namespaces/{namespace}/keys", kReaders},
    {"POST /namespaces/{namespace}/keys", kPeople},
    {"GET /modules/{namespace}/{name}/{system}/{version}/deprecate", kPeople},
    {"POST /modules/{namespace}/{name}/{system}/{version}/deprecate", kPeople},
    {"GET /modules/{namespace}/{name}/{system}/{version}/withdraw", kPeople},
    {"POST /modules/{namespace}/{name}/{system}/{version}/withdraw", kPeople},
    {"GET /modules/{namespace}/{name}/{system}/{version}/restore", kPeople},
    {"POST /modules/{namespace}/{name}/{system}/{version}/restore", kPeople},
    {"GET /providers/{namespace}/{type}/{version}/deprecate", kPeople},
    {"POST /providers/{namespace}/{type}/{version}/deprecate", kPeople},
    {"GET /providers/{namespace}/{type}/{version}/withdraw", kPeople},
    {"POST /providers/{namespace}/{type}/{version}/withdraw", kPeople},
    {"GET /providers/{namespace}/{type}/{version}/restore", kPeople},
    {"POST /providers/{namespace}/{type}/{version}/restore", kPeople},
    {"GET /namespaces/{namespace}/keys/{key_id}/remove", kPeople},
    {"POST /namespaces/{namespace}/keys/{key_id}/remove", kPeople},
    {"GET /namespaces/{namespace}/people", kPeople},
    {"POST /namespaces/{namespace}/people", kPeople},
    {"GET /namespaces/{namespace}/people/remove", kPeople},
    {"POST /namespaces/{namespace}/people/remove", kPeople},
    {"GET /namespaces/{namespace}/publishing", kPeople},
    {"POST /namespaces/{namespace}/publishing", kPeople},
    {"GET /namespaces/{namespace}/publishing/{id}/remove", kPeople},
    {"POST /namespaces/{namespace}/publishing/{id}/remove", kPeople},
    {"POST /namespaces/{namespace}/publishing/tokens", kPeople},
    {"GET /namespaces/{namespace}/settings", kPeople},
    {"POST /namespaces/{namespace}/settings", kPeople},
    {"GET /namespaces/{namespace}/activity", kPeople},
    {"GET /namespaces/{namespace}/usage", kPeople},
    {"GET /-/setup", kReaders},
    {"GET /-/cli/", kReaders},
    {"GET /-/cli/install.sh", kAnybody},
    {"GET /-/cli/{file}", kAnybody},
    {"GET /-/settings", kPeople},
    {"POST /-/settings/sessions", kPeople},
    {"POST /-/settings/language", kPeople},
    {"GET /-/settings/password", kPeople},
    {"POST /-/settings/password", kPeople},
    {"GET /-/settings/tokens", kPeople},
    {"GET /-/settings/tokens/new", kPeople},
    {"POST /-/settings/tokens/new", kPeople},
    {"GET /-/settings/tokens/{name}/revoke", kPeople},
    {"POST /-/settings/tokens/{name}/revoke", kPeople},
    {"GET /-/notifications", kPeople},
    {"GET /-/notifications/end", kPeople},
    {"POST /-/notifications/end", kPeople},
    {"GET /-/notifications/confirm", kPeople},
    {"POST /-/notifications/confirm", kPeople},
    {"PUT /api/v1/users/{name}/email", kNobody},
    {"POST /-/notifications", kPeople},
    {"PUT /api/v1/watches/modules/{namespace}/{name}/{system}", kOneself},
    {"DELETE /api/v1/watches/modules/{namespace}/{name}/{system}", kOneself},
    {"PUT /api/v1/watches/providers/{namespace}/{type}", kOneself},
    {"DELETE /api/v1/watches/providers/{namespace}/{type}", kOneself},
    {"PUT /api/v1/watches/namespaces/{namespace}", kOneself},
    {"DELETE /api/v1/watches/namespaces/{namespace}", kOneself},
    {"GET /api/v1/watches", kOneself},
    {"GET /api/v1/notifications", kOneself},
    {"PUT /api/v1/notifications/seen", kOneself},
    {"GET /-/feeds/{file}", kReaders},
    {"GET /-/feeds/modules/{namespace}/{name}/{file}", kReaders},
    {"GET /-/feeds/providers/{namespace}/{file}", kReaders},
    {"GET /-/badges/modules/{namespace}/{name}/{file}", kReaders},
    {"GET /-/badges/providers/{namespace}/{file}", kReaders},
    {"GET /search", kReaders},
    {"GET /modules", kReaders},
    {"GET /providers", kReaders},
    {"GET /providers/{namespace}/{type}", kReaders},
    {"GET /providers/{namespace}/{type}/{version}", kReaders},
    {"GET /providers/{namespace}/{type}/versions", kReaders},
    {"GET /providers/{namespace}/{type}/keys", kReaders},
    {"GET /providers/{namespace}/{type}/changes", kReaders},
    {"GET /providers/{namespace}/{type}/usage", kReaders},
    {"GET /providers/{namespace}/{type}/{version}/docs", kReaders},
    {"GET /providers/{namespace}/{type}/{version}/docs/{kind}/{name}", kReaders},
    {"GET /providers/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/{name}", kReaders},
    {"GET /-/mirror", kReaders},
    {"GET /-/mirror/packages", kReaders},
    {"GET /-/mirror/upstreams", kReaders},
    {"GET /-/mirror/upstreams/{hostname}", kReaders},
    {"GET /-/mirror/policy", kReaders},
    {"GET /-/mirror/policy/held", kReaders},
    {"GET /-/mirror/keys/{hostname}/{namespace}", kReaders},
    {"GET /-/mirror/explain", kReaders},
    {"GET /-/mirror/explain.json", kAnybody},
    {"GET /-/mirror/providers/{hostname}/{namespace}/{type}", kReaders},
    {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/{version}", kReaders},
    {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/versions", kReaders},
    {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/usage", kReaders},
    {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs", kReaders},
    {"GET /-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}",
     kReaders},
    {"GET "
     "/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/"
     "{name}",
     kReaders},
    {"GET /modules/{namespace}/{name}/{system}", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/inputs", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/outputs", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/resources", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/dependencies", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/submodules", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/submodules/{path...}", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/examples", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/examples/{path...}", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/versions", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/changes", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/changes/source", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/usage", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/used-by", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/files", kReaders},
    {"GET /modules/{namespace}/{name}/{system}/{version}/files/{path...}", kReaders},
    {"PUT /api/v1/modules/{namespace}/{name}/{system}/{version}/deprecation", kPublisher},
    {"POST /api/v1/idps", kNobody},
    {"GET /api/v1/idps", kNobody},
    {"DELETE /api/v1/idps/{name}", kNobody},
    {"POST /api/v1/idps/{name}/disable", kNobody},
    {"POST /api/v1/idps/{name}/test", kNobody},
    {"POST /api/v1/oidc/exchange", kAnybody},
    {"POST /api/v1/namespaces/{namespace}/trust", kAdmin},
    {"GET /api/v1/namespaces/{namespace}/trust", kAdmin},
    {"DELETE /api/v1/namespaces/{namespace}/trust/{id}", kAdmin},
    {"GET /api/v1/namespaces/{namespace}/trust/tokens", kAdmin},
    {"DELETE /api/v1/namespaces/{namespace}/trust/tokens/{name}", kAdmin},
    {"GET /api/openapi.json", kAnybody},
    {"GET /v1/modules", kAnybody},
    {"GET /v1/modules/search", kAnybody},
    {"GET /v1/modules/{namespace}", kAnybody},
    {"GET /v1/modules/{namespace}/{name}", kAnybody},
    {"GET /v1/modules/{namespace}/{name}/{system}", kAnybody},
    {"GET /v1/modules/{namespace}/{name}/{system}/download", kAnybody},
    {"GET /v1/modules/{namespace}/{name}/{system}/{version}", kAnybody},
    {"GET /v2/modules/{namespace}/{name}/{system}/downloads/summary", kAnybody},
    {"GET /v1/providers", kAnybody},
    {"GET /v1/providers/search", kAnybody},
    {"GET /api/v1/search", kAnybody},
    {"GET /v1/providers/{namespace}", kAnybody},
    {"GET /v1/providers/{namespace}/{type}", kAnybody},
    {"GET /v1/providers/{namespace}/{type}/{version}", kAnybody},
    {"GET /api/v1/modules/{namespace}/{name}/{system}/diff", kAnybody},
    {"GET /api/v1/modules/{namespace}/{name}/{system}/diff/source", kAnybody},
    {"GET /api/v1/providers/{namespace}/{type}/diff", kAnybody},
    {"PUT /api/v1/modules/{namespace}/{name}/{system}/{version}", kPublisher},
    {"GET /api/v1/modules/{namespace}/{name}/{system}/{version}", kAnybody},
    {"GET /api/v1/modules/{namespace}/{name}/{system}/{version}/readme", kAnybody},
    {"DELETE /api/v1/modules/{namespace}/{name}/{system}/{version}", kAdmin},
    {"POST /api/v1/modules/{namespace}/{name}/{system}/{version}/restore", kAdmin},
    {"GET /api/v1/verify", kNobody},
    {"POST /api/v1/modules/{namespace}/{name}/{system}/{version}/verify", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/verify", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/docs/verify", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/schema/verify", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/{os}/{arch}/verify", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/drafts", kPublisher},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/drafts", kPublisher},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", kPublisher},
    {"PUT /api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/files/{file}", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/commit", kPublisher},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/drafts/{id}/check", kPublisher},
    {"DELETE /api/v1/providers/{namespace}/{type}/{version}/drafts/{id}", kPublisher},
    {"GET /api/v1/modules/{namespace}/{name}/{system}/{version}/attachments/{file}", kAnybody},
    {"PUT /api/v1/modules/{namespace}/{name}/{system}/{version}/attachments/{file}", kPublisher},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/attachments/{file}", kAnybody},
    {"PUT /api/v1/providers/{namespace}/{type}/{version}/attachments/{file}", kPublisher},
    {"GET /api/v1/providers/{namespace}/{type}/{version}", kAnybody},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/docs", kAnybody},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/docs/{kind}/{name}", kAnybody},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/schema", kAnybody},
    {"GET /api/v1/providers/{namespace}/{type}/{version}/schema/{kind}/{name}", kAnybody},
    {"PUT /api/v1/providers/{namespace}/{type}/{version}/deprecation", kPublisher},
    {"DELETE /api/v1/providers/{namespace}/{type}/{version}", kAdmin},
    {"POST /api/v1/providers/{namespace}/{type}/{version}/restore", kAdmin},
    {"GET /api/v1/namespaces/{namespace}/keys", kAnybody},
    {"POST /api/v1/namespaces/{namespace}/keys", kAdmin},
    {"POST /api/v1/namespaces/{namespace}/keys/rotate", kAdmin},
    {"DELETE /api/v1/namespaces/{namespace}/keys/{key_id}", kAdmin},
    {"GET /api/v1/mirror/keys/{hostname}/{namespace}", kAnybody},
    {"GET /api/v1/policy", kAnybody},
    {"PUT /api/v1/policy", kNobody},
    {"GET /api/v1/policy/revisions", kAnybody},
    {"GET /api/v1/policy/revisions/{revision}", kAnybody},
    {"POST /api/v1/policy/rollback", kNobody},
    {"POST /api/v1/policy/baseline", kNobody},
    {"GET /api/v1/policy/explain", kAnybody},
    {"GET /api/v1/policy/held", kAnybody},
    {"POST /api/v1/policy/test", kAnybody},
    {"GET /api/v1/mirror/status", kAnybody},
    {"GET /api/v1/mirror/providers", kAnybody},
    {"GET /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", kAnybody},
    {"PUT /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release", kNobody},
    {"POST /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/verify", kNobody},
    {"PUT /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}", kNobody},
    {"DELETE /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}",
     kNobody},
    {"POST /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}/verify",
     kNobody},
    {"GET /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs", kAnybody},
    {"GET /api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}",
     kAnybody},
    {"GET /api/v1/mirror/modules", kAnybody},
    {"GET /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", kAnybody},
    {"GET /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/inside",
     kAnybody},
    {"GET /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/readme",
     kAnybody},
    {"PUT /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", kNobody},
    {"DELETE /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}", kNobody},
    {"POST /api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}/verify",
     kNobody},
    {"GET /api/v1/admin/replicas", kNobody},
    {"GET /api/v1/admin/freeze", kNobody},
    {"PUT /api/v1/admin/freeze", kNobody},
    {"GET /api/v1/admin/gc", kNobody},
    {"POST /api/v1/verify/blobs/{id}", kNobody},
    {"GET /api/v1/admin/status", kNobody},
    {"POST /api/v1/admin/reseal", kNobody},
    {"GET /api/v1/admin/backup", kNobody},
    {"POST /api/v1/admin/backup", kNobody},
    {"POST /api/v1/admin/backup/session", kNobody},
    {"DELETE /api/v1/admin/backup/session/{id}", kNobody},
    {"GET /api/v1/admin/backup/records", kNobody},
    {"GET /api/v1/admin/backup/blobs", kNobody},
    {"GET /api/v1/admin/backup/blobs/{id}", kNobody},
    {"POST /api/v1/inspect", kNobody},
    {"POST /api/v1/reindex", kNobody},
    {"GET /api/v1/usage/modules/{namespace}/{name}/{system}", kAnybody},
    {"GET /api/v1/usage/providers/{namespace}/{type}", kAnybody},
    {"GET /api/v1/usage/mirror/modules/{hostname}/{namespace}/{name}/{system}", kAnybody},
    {"GET /api/v1/usage/mirror/providers/{hostname}/{namespace}/{type}", kAnybody},
    {"GET /api/v1/usage/modules/{namespace}/{name}/{system}/used-by", kAnybody},
    {"GET /api/v1/usage/providers/{namespace}/{type}/used-by", kAnybody},
    {"GET /api/v1/impact/modules/{namespace}/{name}/{system}", kAnybody},
    {"GET /api/v1/impact/providers/{namespace}/{type}", kAnybody},
    {"GET /api/v1/usage/impact/{namespace}/{name}/{system}/{version}", kAnybody},
    {"GET /api/v1/usage/impact/{namespace}/{type}/{version}", kAnybody},
    {"GET /api/v1/usage/lag", kNobody},     // without a namespace
    {"GET /api/v1/usage/unused", kNobody},  // the same
    {"POST /api/v1/usage/forget", kNobody},
    {"GET /api/v1/audit", kNobody},
    {"GET /api/v1/audit/verify", kNobody},
    {"POST /api/v1/setup", kAnybody},
    {"PUT /api/v1/users/{name}/password", kNobody},
    {"PUT /api/v1/users/{name}/language", kNobody},
    {"GET /api/v1/whoami", kAnybody},
    {"GET /api/v1/sessions", kOneself},
    {"DELETE /api/v1/sessions/{id}", kOneself},
    {"DELETE /api/v1/users/{name}/sessions", kNobody},
    {"POST /api/v1/tokens", kAdmin},
    {"GET /api/v1/tokens", kGranter},
    {"POST /api/v1/tokens/{name}/rotate", kAdmin},
    {"DELETE /api/v1/tokens/{name}", kAdmin},
    {"POST /api/v1/users", kNobody},
    {"GET /api/v1/users", kNobody},
    {"POST /api/v1/users/{name}/disable", kNobody},
    {"POST /api/v1/users/{name}/enable", kNobody},
    {"DELETE /api/v1/users/{name}", kNobody},
    {"POST /api/v1/services", kNobody},
    {"GET /api/v1/services", kNobody},
    {"POST /api/v1/services/{name}/disable", kNobody},
    {"POST /api/v1/services/{name}/enable", kNobody},
    {"DELETE /api/v1/services/{name}", kNobody},
    {"POST /api/v1/groups", kNobody},
    {"GET /api/v1/groups", kNobody},
    {"DELETE /api/v1/groups/{name}", kNobody},
    {"GET /api/v1/groups/{name}/members", kNobody},
    {"PUT /api/v1/groups/{name}/members/users/{member}", kNobody},
    {"DELETE /api/v1/groups/{name}/members/users/{member}", kNobody},
    {"PUT /api/v1/groups/{name}/members/services/{member}", kNobody},
    {"DELETE /api/v1/groups/{name}/members/services/{member}", kNobody},
    {"GET /api/v1/namespaces", kAnybody},
    {"GET /api/v1/namespaces/{namespace}", kPublisher},
    {"PUT /api/v1/namespaces/{namespace}", kAdmin},
    {"GET /api/v1/namespaces/{namespace}/grants", kAdmin},
    {"PUT /api/v1/namespaces/{namespace}/grants/users/{name}", kAdmin},
    {"DELETE /api/v1/namespaces/{namespace}/grants/users/{name}", kAdmin},
    {"PUT /api/v1/namespaces/{namespace}/grants/groups/{name}", kAdmin},
    {"DELETE /api/v1/namespaces/{namespace}/grants/groups/{name}", kAdmin},
    {"PUT /api/v1/namespaces/{namespace}/grants/services/{name}", kAdmin},
    {"DELETE /api/v1/namespaces/{namespace}/grants/services/{name}", kAdmin},
};

std::string NameOf(const Route& route) {
  return fmt::format("{} {}", http::MethodName(route.method), route.pattern);
}

// A caller with a role in the namespace "in", and a token that allows no less.
struct Holder {
  std::string_view name;
  std::optional<Role> role = std::nullopt;
  bool admin = false;
};
constexpr std::array kHolders{Holder{"nobody"}, Holder{"reader", Role::kReader},
                              Holder{"publisher", Role::kPublisher}, Holder{"owner", Role::kOwner},
                              Holder{"root", std::nullopt, true}};

bool Passes(Expected expected, const Holder& who, bool within) {
  switch (expected) {
    case kAnybody:
    case kPeople:
    case kReaders:
    case kGranter:
    case kOneself:
      return true;
    case kPublisher:
      return who.admin || (within && who.role && Includes(*who.role, Role::kPublisher));
    case kAdmin:
      return who.admin || (within && who.role == Role::kOwner);
    case kNobody:
      return who.admin;
  }
  return false;
}

bool Passes(Expected expected, Scope scope, bool within) {
  switch (expected) {
    case kAnybody:
    case kPeople:
    case kReaders:
      return true;
    case kPublisher:
      return scope != Scope::kRead && within;
    case kAdmin:
      return scope == Scope::kAdmin && within;
    case kGranter:
      return scope == Scope::kAdmin;
    case kOneself:
    case kNobody:
      return false;
  }
  return false;
}

// Or the way to one: never JSON.
bool IsPage(const Reply& reply) {
  return reply.Get("Content-Type").starts_with("text/html") || reply.status == 303;
}

class RightsTest : public ::testing::Test {
 protected:
  // The tokens "in" and "out", which the routes about tokens are asked for.
  RightsTest() {
    admin_ = api_.Token(Scope::kAdmin);
    api_.token = admin_;
    for (std::string_view ns : {"in", "out"}) Ask("POST", "/api/v1/tokens", NewToken(ns));
  }

  // A token that acts for them.
  std::string TokenOf(const Holder& who, Scope scope = Scope::kAdmin) {
    std::string id = fmt::format("id of {}", who.name);
    CatalogParts catalog = api_.catalog();
    EXPECT_TRUE(
        RunTask(catalog.accounts().AddAccount(Actor::Server(), {.id = id,
                                                                .kind = AccountKind::kUser,
                                                                .name = std::string(who.name),
                                                                .admin = who.admin})));
    if (who.role) {
      RunTask(catalog.namespaces().AddNamespace(Actor::Server(),
                                                {.name = "in", .visibility = Visibility::kPublic}));
      EXPECT_TRUE(
          RunTask(catalog.namespaces().PutGrant(Actor::Server(), {.ns = "in",
                                                                  .kind = GranteeKind::kUser,
                                                                  .grantee = std::string(who.name),
                                                                  .role = *who.role})));
    }
    auth::MintedToken minted = auth::MintToken();
    EXPECT_TRUE(
        RunTask(catalog.tokens().AddToken(Actor::Server(), {.name = fmt::format("of-{}", who.name),
                                                            .secret = minted.secret,
                                                            .scope = scope,
                                                            .namespaces = {},
                                                            .account_id = id})));
    return minted.text;
  }

  static std::string NewToken(std::string_view ns) {
    return fmt::format(R"({{"name":"{0}","scope":"read","namespaces":["{0}"]}})", ns);
  }

  Reply Ask(std::string_view method, std::string path, std::string body,
            std::string accept = "*/*") {
    Question question{.path = std::move(path),
                      .fields = {{"Accept", std::move(accept)}},
                      .body = std::move(body)};
    for (http::Method each : {http::Method::kPut, http::Method::kPost, http::Method::kDelete}) {
      if (http::MethodName(each) == method) question.method = each;
    }
    return api_.Ask(question);
  }

  // Asks for what concerns the namespace `ns`. What a handler says of the rest does not matter.
  Reply Ask(const Route& route, std::string_view ns) {
    const std::map<std::string_view, std::string_view> kValues = {
        {"{hostname}", "registry.example.org"},
        {"{namespace}", ns},
        {"{system}", "aws"},
        {"{version}", "1.0.0"},
        {"{os}", "linux"},
        {"{arch}", "amd64"},
        {"{file}", "terraform-provider-demo_1.0.0_SHA256SUMS"},
    };
    std::string path;
    std::string_view rest = route.pattern;
    while (!rest.empty()) {
      rest.remove_prefix(1);
      std::string_view segment = rest.substr(0, rest.find('/'));
      rest.remove_prefix(segment.size());
      auto value = kValues.find(segment);
      // Of a module, a provider and a token.
      std::string_view name = route.pattern.contains("/tokens/") ? ns : "demo";
      path += '/';
      path += value != kValues.end() ? value->second : segment.starts_with('{') ? name : segment;
    }
    return Ask(http::MethodName(route.method), path, BodyFor(route, ns),
               IsForPeople(route.access) ? "text/html" : "*/*");
  }

  static std::string BodyFor(const Route& route, std::string_view ns) {
    if (route.pattern == "/api/v1/tokens") return NewToken(ns);
    if (route.pattern.ends_with("/language")) return R"({"language":"ja"})";
    if (route.pattern.ends_with("/password")) return R"({"password":null})";
    if (route.pattern.ends_with("/deprecation")) return R"({"message":"m"})";
    if (route.pattern.ends_with("/restore")) return R"({"reason":"r"})";
    if (route.method == http::Method::kPut && route.pattern.contains("/grants/")) {
      return R"({"role":"reader"})";
    }
    if (route.pattern == "/api/v1/namespaces/{namespace}") return R"({"visibility":"private"})";
    return route.method == http::Method::kDelete ? R"({"reason":"r"})" : "{}";
  }

  ApiFixture api_;
  std::string admin_;
};

TEST_F(RightsTest, EveryRouteSaysWhoMayCallIt) {
  std::set<std::string_view> known;
  for (const Route& route : Routes()) {
    auto expected = kExpected.find(NameOf(route));
    EXPECT_NE(expected, kExpected.end())
        << NameOf(route) << ": say here what tokens of one namespace may do with it";
    if (expected != kExpected.end()) known.insert(expected->first);
  }
  for (const auto& [route, expected] : kExpected) {
    EXPECT_TRUE(known.contains(route)) << route << " is gone";
  }
}

TEST_F(RightsTest, ATokenOfANamespaceReachesNothingBeyondItOnAnyRoute) {
  for (Scope scope : {Scope::kRead, Scope::kPublish, Scope::kAdmin}) {
    std::string token = api_.Token(scope, {"in"});
    for (const Route& route : Routes()) {
      auto expected = kExpected.find(NameOf(route));
      if (expected == kExpected.end()) continue;
      for (bool within : {false, true}) {
        api_.token = token;
        Reply reply = Ask(route, within ? "in" : "out");
        std::string asked =
            fmt::format("{} with {}, {} the namespace: {} {}", NameOf(route), ScopeName(scope),
                        within ? "within" : "beyond", reply.status, reply.body);
        EXPECT_NE(reply.status, 405U) << asked;
        const bool is_page = expected->second == kPeople || expected->second == kReaders;
        EXPECT_EQ(IsPage(reply), is_page) << asked;
        if (expected->second == kPeople) continue;
        EXPECT_EQ(reply.status != 403, Passes(expected->second, scope, within)) << asked;
        EXPECT_NE(reply.status, 401U) << asked;
      }
    }
  }
}

// With tokens of the admin scope, so that nothing but the account decides.
TEST_F(RightsTest, AnAccountMayWhatItsRoleSaysOnEveryRoute) {
  for (const Holder& who : kHolders) {
    std::string token = TokenOf(who);
    for (const Route& route : Routes()) {
      auto expected = kExpected.find(NameOf(route));
      // A new token has at most the permissions of its creator, whatever it says of namespaces.
      if (expected == kExpected.end() || route.pattern.contains("/tokens")) continue;
      for (bool within : {false, true}) {
        api_.token = token;
        Reply reply = Ask(route, within ? "in" : "out");
        std::string asked =
            fmt::format("{} as {}, {} the namespace: {} {}", NameOf(route), who.name,
                        within ? "within" : "beyond", reply.status, reply.body);
        EXPECT_EQ(reply.status != 403, Passes(expected->second, who, within)) << asked;
        EXPECT_NE(reply.status, 401U) << asked;
      }
    }
  }
}

// An account's own things require no scope; an administrator's token with a lesser scope is no
// administrator.
TEST_F(RightsTest, WithATokenToReadAnAccountReachesWhatIsItsOwn) {
  for (const Holder& who : {kHolders.front(), kHolders.back()}) {
    const std::string token = TokenOf(who, Scope::kRead);
    for (const Route& route : Routes()) {
      auto expected = kExpected.find(NameOf(route));
      if (expected == kExpected.end() || expected->second == kPeople) continue;
      const bool passes = expected->second == kAnybody || expected->second == kOneself ||
                          expected->second == kReaders;
      api_.token = token;
      Reply reply = Ask(route, "in");
      EXPECT_EQ(reply.status != 403, passes)
          << NameOf(route) << " as " << who.name << ": " << reply.status << " " << reply.body;
      EXPECT_NE(reply.status, 401U) << NameOf(route);
    }
  }
}

TEST_F(RightsTest, WhoeverIsNobodyIsToldToSignInOnEveryRouteThatChangesAnything) {
  std::string expired = api_.Token(Scope::kAdmin, {}, std::chrono::seconds(1));
  std::string revoked = api_.Token(Scope::kAdmin);
  std::vector<TokenRecord> tokens = *RunTask(api_.catalog().tokens().ListTokens());
  auto record = std::ranges::find(tokens, auth::TokenSecret(revoked), &TokenRecord::secret);
  ASSERT_TRUE(
      RunTask(api_.catalog().tokens().RevokeToken(Actor::Server(), record->name, record->secret)));
  api_.clock.now += 2;
  for (const Route& route : Routes()) {
    api_.token = "";
    EXPECT_EQ(Ask(route, "in").status == 401, !IsOpen(route.access)) << NameOf(route);
    for (const std::string& token : {expired, revoked}) {
      api_.token = token;
      Reply reply = Ask(route, "in");
      EXPECT_EQ(reply.status == 401, !IsAnonymous(route.access))
          << NameOf(route) << ": " << reply.status << " " << reply.body;
    }
  }
}

TEST_F(RightsTest, WhatBelongsToNoNamespaceSaysThatItNeedsAllOfThem) {
  api_.token = api_.Token(Scope::kAdmin, {"*"});
  for (const Route& route : Routes()) {
    auto expected = kExpected.find(NameOf(route));
    if (expected == kExpected.end() || expected->second != kNobody) continue;
    Reply reply = Ask(route, "in");
    EXPECT_EQ(reply.status, 403U) << NameOf(route);
    EXPECT_TRUE(reply.body.contains("needs an administrator without namespace patterns"))
        << reply.body;
  }
}

TEST_F(RightsTest, AnAdministratorWithoutPatternsIsRefusedNowhere) {
  for (const Route& route : Routes()) {
    auto expected = kExpected.find(NameOf(route));
    if (expected != kExpected.end() && expected->second == kPeople) continue;
    api_.token = admin_;
    Reply reply = Ask(route, "in");
    EXPECT_NE(reply.status, 403U) << NameOf(route) << " " << reply.body;
    EXPECT_NE(reply.status, 401U) << NameOf(route) << " " << reply.body;
  }
}

TEST_F(RightsTest, ANamespacesAdministratorSeesAndGivesOnlyWhatItHolds) {
  api_.token = api_.Token(Scope::kAdmin, {"in"});
  Reply listed = Ask("GET", "/api/v1/tokens", "");
  EXPECT_TRUE(listed.body.contains(R"("name":"in")")) << listed.body;
  EXPECT_FALSE(listed.body.contains(R"("name":"out")")) << listed.body;
  Reply god = Ask("POST", "/api/v1/tokens", R"({"name":"god","scope":"admin"})");
  EXPECT_EQ(god.status, 403U) << god.body;
  EXPECT_TRUE(god.body.contains("all namespaces")) << god.body;
}

}  // namespace
}  // namespace koya::api
