// All responses, errors included, match /api/openapi.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/json_schema_fake.h"
#include "api/common/module_archive_fake.h"
#include "api/operations.h"
#include "api/site/openapi_fixture_fake.h"
#include "http/server/head_parser.h"

namespace koya::api {
namespace {

class OpenApiAnswersTest : public OpenApiFixture {
 protected:
  // Sends the request, and compares the response with the operation of that pattern.
  boost::json::value Answered(Question question, std::string_view pattern) {
    api_.token = admin_;
    const Reply reply = api_.Ask(question);
    api_.token.clear();
    const std::string name = fmt::format("{} {}", http::MethodName(question.method), question.path);
    std::string method(http::MethodName(question.method));
    std::ranges::transform(method, method.begin(),
                           [](char c) { return static_cast<char>(c | 0x20); });
    const boost::json::object& answers = OperationAt(method, pattern).at("responses").get_object();
    const boost::json::value* answer = answers.if_contains(fmt::to_string(reply.status));
    EXPECT_NE(answer, nullptr) << name << " answers " << reply.status << ": " << reply.body;
    if (answer == nullptr || reply.body.empty()) return nullptr;
    const boost::json::object* said = &answer->get_object();
    if (said->contains("$ref")) {
      said = &Resolve(document_, said->at("$ref").get_string())->get_object();
    }
    const boost::json::object& media = said->at("content").at("application/json").get_object();
    boost::json::value body = boost::json::parse(reply.body);
    EXPECT_EQ(Mismatch(document_, media.at("schema").get_object(), body, name), "");
    return body;
  }
  boost::json::value Answered(http::Method method, std::string_view pattern, std::string path,
                              std::string body = {}, std::string query = {}) {
    return Answered({.method = method,
                     .path = std::move(path),
                     .query = std::move(query),
                     .body = std::move(body)},
                    pattern);
  }
};

TEST_F(OpenApiAnswersTest, AnswersAreAsItSays) {
  using http::Method;
  const std::string module = "/api/v1/modules/{namespace}/{name}/{system}/{version}";
  Answered(Method::kPut, module, "/api/v1/modules/acme/vpc/aws/1.0.0", ModuleArchive("one"));
  Answered(Method::kPut, module, "/api/v1/modules/acme/vpc/aws/1.1.0", ModuleArchive("two"));
  Answered(Method::kPut, module, "/api/v1/modules/acme/vpc/aws/1.1.0", ModuleArchive("three"));
  Answered(Method::kGet, module, "/api/v1/modules/acme/vpc/aws/1.0.0");
  Answered(Method::kGet, "/api/v1/modules/{namespace}/{name}/{system}/diff",
           "/api/v1/modules/acme/vpc/aws/diff", "", "from=1.0.0&to=1.1.0");
  Answered(Method::kGet, "/.well-known/terraform.json", "/.well-known/terraform.json");
  const std::string listed = "/v1/modules/{namespace}/{name}/{system}";
  Answered(Method::kGet, listed + "/versions", "/v1/modules/acme/vpc/aws/versions");
  Answered(Method::kGet, listed, "/v1/modules/acme/vpc/aws");
  Answered(Method::kGet, listed + "/{version}", "/v1/modules/acme/vpc/aws/1.0.0");
  Answered({.path = "/v1/modules/acme/vpc/aws/1.0.0/download",
            .fields = {{"Accept", "application/json"}}},
           listed + "/{version}/download");
  Answered(Method::kGet, "/v2/modules/{namespace}/{name}/{system}/downloads/summary",
           "/v2/modules/acme/vpc/aws/downloads/summary");
  Answered(Method::kGet, "/v1/modules", "/v1/modules", "", "limit=1");
  Answered(Method::kGet, "/v1/modules", "/v1/modules", "", "limit=x");
  Answered(Method::kGet, "/v1/modules/search", "/v1/modules/search", "", "q=vpc");
  Answered(Method::kGet, "/v1/providers", "/v1/providers");
  Answered(Method::kGet, "/api/v1/search", "/api/v1/search", "", "q=vpc");
  Answered(Method::kPost, module + "/verify", "/api/v1/modules/acme/vpc/aws/1.0.0/verify", "{}");
  Answered(Method::kGet, "/api/v1/usage/modules/{namespace}/{name}/{system}",
           "/api/v1/usage/modules/acme/vpc/aws");
  Answered(Method::kGet, "/api/v1/usage/impact/{namespace}/{name}/{system}/{version}",
           "/api/v1/usage/impact/acme/vpc/aws/1.0.0");
  Answered(Method::kGet, "/api/v1/usage/lag", "/api/v1/usage/lag", "", "namespace=acme");
  Answered(Method::kGet, "/api/v1/usage/unused", "/api/v1/usage/unused");
  Answered(Method::kPost, "/api/v1/usage/forget", "/api/v1/usage/forget",
           R"({"principal":"user:ada"})");
}

TEST_F(OpenApiAnswersTest, AnswersToAdministratorsAreAsItSays) {
  using http::Method;
  Answered(Method::kPost, "/api/v1/users", "/api/v1/users", R"({"name":"ada","admin":true})");
  Answered(Method::kPost, "/api/v1/users", "/api/v1/users", R"({"name":"ada"})");
  Answered(Method::kGet, "/api/v1/users", "/api/v1/users");
  Answered(Method::kPost, "/api/v1/services", "/api/v1/services", R"({"name":"ci"})");
  Answered(Method::kGet, "/api/v1/services", "/api/v1/services");
  Answered(Method::kPost, "/api/v1/services/{name}/disable", "/api/v1/services/ci/disable");
  Answered(Method::kPost, "/api/v1/services/{name}/enable", "/api/v1/services/ci/enable");
  Answered(Method::kPost, "/api/v1/groups", "/api/v1/groups", R"({"name":"platform"})");
  Answered(Method::kGet, "/api/v1/groups", "/api/v1/groups");
  Answered(Method::kPut, "/api/v1/groups/{name}/members/users/{member}",
           "/api/v1/groups/platform/members/users/ada");
  Answered(Method::kGet, "/api/v1/groups/{name}/members", "/api/v1/groups/platform/members");
  const std::string ns = "/api/v1/namespaces/{namespace}";
  Answered(Method::kPut, ns, "/api/v1/namespaces/acme", R"({"visibility":"private"})");
  Answered(Method::kPut, ns, "/api/v1/namespaces/acme", R"({"semver":"warn","title":"Acme"})");
  Answered(Method::kGet, ns, "/api/v1/namespaces/acme");
  Answered(Method::kGet, "/api/v1/namespaces", "/api/v1/namespaces");
  Answered(Method::kPut, ns + "/grants/users/{name}", "/api/v1/namespaces/acme/grants/users/ada",
           R"({"role":"owner"})");
  Answered(Method::kGet, ns + "/grants", "/api/v1/namespaces/acme/grants");
  Answered(Method::kPost, ns + "/keys/rotate", "/api/v1/namespaces/acme/keys/rotate", "{}");
  Answered(Method::kGet, ns + "/keys", "/api/v1/namespaces/acme/keys");
  Answered(Method::kGet, ns + "/trust", "/api/v1/namespaces/acme/trust");
  Answered(Method::kPost, ns + "/trust", "/api/v1/namespaces/acme/trust",
           R"({"github":"acme/vpc"})");
  Answered(Method::kPost, "/api/v1/tokens", "/api/v1/tokens",
           R"({"name":"one","scope":"read","expires":"90d"})");
  Answered(Method::kPost, "/api/v1/tokens/{name}/rotate", "/api/v1/tokens/one/rotate");
  Answered(Method::kGet, "/api/v1/tokens", "/api/v1/tokens");
  Answered(Method::kGet, "/api/v1/sessions", "/api/v1/sessions");
  Answered(Method::kGet, "/api/v1/idps", "/api/v1/idps");
  api_.WriteAudit();
  Answered(Method::kGet, "/api/v1/audit", "/api/v1/audit", "", "limit=5");
  Answered(Method::kGet, "/api/v1/audit/verify", "/api/v1/audit/verify");
  Answered(Method::kGet, "/api/v1/verify", "/api/v1/verify");
  Answered(Method::kPost, "/api/v1/verify/runs", "/api/v1/verify/runs",
           R"({"checked":2,"wrong":1,"found":[{"name":"acme/vpc/aws 1.0.0","state":"missing"}]})");
  Answered(Method::kPost, "/api/v1/verify/runs", "/api/v1/verify/runs", R"({"wrong":1})");
  Answered(Method::kPut, "/api/v1/verify/runs/{id}", "/api/v1/verify/runs/none", "{}");
  Answered(Method::kGet, "/api/v1/verify/runs", "/api/v1/verify/runs");
  Answered(Method::kGet, "/api/v1/admin/replicas", "/api/v1/admin/replicas");
  Answered(Method::kPost, "/api/v1/admin/reseal", "/api/v1/admin/reseal", "{}");
  Answered(Method::kPost, "/api/v1/inspect", "/api/v1/inspect");
  Answered(Method::kPost, "/api/v1/reindex", "/api/v1/reindex");
  Answered(Method::kGet, "/api/v1/mirror/providers", "/api/v1/mirror/providers");
  Answered(Method::kGet, "/api/v1/mirror/status", "/api/v1/mirror/status", "", "days=7");
  Answered(Method::kGet, "/api/v1/mirror/modules", "/api/v1/mirror/modules");
  Answered(Method::kGet, "/-/mirror/explain.json", "/-/mirror/explain.json", "",
           "address=registry.example.org/acme/demo");
}

// A number that is described is one that is read: words in its place are refused.
TEST_F(OpenApiAnswersTest, NumbersAreReadByWhatTheyAreSaidToBeOf) {
  ASSERT_EQ((api_.token = admin_, api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status),
            201U);
  std::size_t asked = 0;
  for (const Operation& each : Operations()) {
    for (const wire::ApiParameter& parameter : each.described.parameters) {
      if (parameter.in_path || !(parameter.shape.contains("..") || parameter.shape == "integer")) {
        continue;
      }
      std::string path = each.described.path;
      for (const auto& [name, value] :
           std::map<std::string, std::string>{{"{namespace}", "acme"},
                                              {"{name}", "vpc"},
                                              {"{system}", "aws"},
                                              {"{version}", "1.0.0"},
                                              {"{type}", "demo"},
                                              {"{hostname}", "r.example"}}) {
        const std::size_t at = path.find(name);
        if (at != path.npos) path.replace(at, name.size(), value);
      }
      std::string query = parameter.name + "=many";
      for (const wire::ApiParameter& needed : each.described.parameters) {
        if (needed.required && !needed.in_path) query += "&" + needed.name + "=acme";
      }
      const Reply reply = api_.Ask({.path = path, .query = query});
      EXPECT_TRUE(reply.status == 400 || (reply.status == 404 && path.contains("demo")))
          << path << "?" << query << " answers " << reply.status;
      ++asked;
    }
  }
  EXPECT_GT(asked, 20U);
}

}  // namespace
}  // namespace koya::api
