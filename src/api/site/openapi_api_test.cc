// That /api/openapi.json is a document of OpenAPI 3.1, has every route for programs, and says who
// may ask them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "api/common/json_schema_fake.h"
#include "api/common/route.h"
#include "api/operations.h"
#include "api/routes.h"
#include "http/server/head_parser.h"

namespace koya::api {
namespace {

namespace json = boost::json;

// Served beside the API, for browsers and crawlers.
const std::set<std::string_view> kSiteFiles{"/-/assets/{file}", "/-/opensearch.xml", "/favicon.ico",
                                            "/llms.txt", "/robots.txt"};

// The document, as a server answers it.
class OpenApiFixture : public ::testing::Test {
 protected:
  OpenApiFixture() {
    admin_ = api_.Token(Scope::kAdmin);
    document_ = boost::json::parse(api_.Get("/api/openapi.json").body);
  }

  const boost::json::object& paths() const { return document_.at("paths").get_object(); }

  // Of the operation that a route's pattern and method name.
  const boost::json::object& OperationAt(std::string_view method, std::string_view pattern) const {
    return paths().at(pattern).at(method).get_object();
  }

  // Calls `visit` with the path, the method and the operation of each.
  template <class PageContext>
  void ForEachOperation(const PageContext& visit) const {
    for (const auto& [path, methods] : paths()) {
      for (const auto& [method, operation] : methods.get_object()) {
        visit(std::string(path), std::string(method), operation.get_object());
      }
    }
  }

  ApiFixture api_;
  std::string admin_;
  boost::json::value document_;
};

class OpenApiTest : public OpenApiFixture {};

TEST_F(OpenApiTest, HasEveryRouteForProgramsAndNoOther) {
  std::set<std::string> described;
  ForEachOperation([&](const std::string& path, const std::string& method, const json::object&) {
    std::string name = method;
    std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c & ~0x20); });
    described.insert(name + " " + path);
  });
  EXPECT_GT(described.size(), 130U);
  for (const Route& route : Routes()) {
    const std::string name = fmt::format("{} {}", http::MethodName(route.method), route.pattern);
    const bool wanted = !IsForPeople(route.access) && !kSiteFiles.contains(route.pattern);
    EXPECT_EQ(described.contains(name), wanted)
        << name
        << (wanted ? ": say in the Markdown beside the table what it takes and answers, in"
                     " a block ```api"
                   : " is for people");
    described.erase(name);
  }
  EXPECT_TRUE(described.empty()) << *described.begin() << " is no route";
}

TEST_F(OpenApiTest, IsWhatTheSpecificationCallsADocument) {
  EXPECT_EQ(document_.at("openapi").get_string(), "3.1.0");
  for (const char* member : {"title", "version"}) {
    EXPECT_TRUE(document_.at("info").at(member).is_string()) << member;
  }
  EXPECT_EQ(document_.at("servers").at(0).at("url").get_string(), "https://registry.example.com");
  std::set<std::string> tags;
  for (const json::value& tag : document_.at("tags").get_array()) {
    EXPECT_TRUE(tags.emplace(tag.at("name").get_string()).second);
  }
  EXPECT_TRUE(document_.at("components").at("securitySchemes").at("token").is_object());
  std::set<std::string> used;
  ForEachOperation(
      [&](const std::string& path, const std::string& method, const json::object& operation) {
        SCOPED_TRACE(method + " " + path);
        EXPECT_TRUE(path.starts_with('/'));
        EXPECT_TRUE(std::set<std::string>({"get", "put", "post", "delete"}).contains(method));
        const json::array& of = operation.at("tags").get_array();
        ASSERT_EQ(of.size(), 1U);
        EXPECT_TRUE(tags.contains(std::string(of.front().get_string())));
        used.emplace(of.front().get_string());
        EXPECT_FALSE(operation.at("summary").get_string().empty());
        EXPECT_FALSE(method == "get" && operation.contains("requestBody"));
        bool goes_well = false;
        for (const auto& [status, answer] : operation.at("responses").get_object()) {
          goes_well = goes_well || status.starts_with('2') || status.starts_with('3');
          const bool is_status = status.size() == 3 && status >= "200" && status <= "599";
          EXPECT_TRUE(is_status || status == "default") << std::string_view(status);
          EXPECT_TRUE(answer.get_object().contains("description") ||
                      answer.get_object().contains("$ref"));
        }
        EXPECT_TRUE(goes_well);
        for (const json::value& needed : operation.at("security").get_array()) {
          for (const auto& [scheme, scopes] : needed.get_object()) {
            EXPECT_EQ(std::string_view(scheme), "token");
            EXPECT_TRUE(scopes.is_array());
          }
        }
      });
  EXPECT_EQ(used, tags) << "a group is empty";
}

TEST_F(OpenApiTest, OperationsHaveNamesOfTheirOwn) {
  std::set<std::string> ids;
  ForEachOperation([&](const std::string& path, const std::string&, const json::object& operation) {
    const std::string id(operation.at("operationId").get_string());
    EXPECT_TRUE(ids.insert(id).second) << id << " at " << path;
    EXPECT_TRUE(!id.empty() && std::ranges::all_of(id, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    })) << id;
  });
}

TEST_F(OpenApiTest, ParametersAreThoseOfThePathAndNamedOnce) {
  ForEachOperation([&](const std::string& path, const std::string& method,
                       const json::object& operation) {
    SCOPED_TRACE(method + " " + path);
    std::set<std::string> in_path;
    std::set<std::string> names;
    const json::value* parameters = operation.if_contains("parameters");
    if (parameters != nullptr) {
      for (const json::value& each : parameters->get_array()) {
        const std::string name(each.at("name").get_string());
        const std::string place(each.at("in").get_string());
        EXPECT_TRUE(names.insert(place + " " + name).second) << name;
        EXPECT_TRUE(each.at("schema").is_object());
        EXPECT_TRUE(place == "query" || place == "path");
        if (place != "path") continue;
        in_path.insert(name);
        EXPECT_TRUE(each.at("required").get_bool());
      }
    }
    std::set<std::string> in_pattern;
    for (std::size_t open = path.find('{'); open != path.npos; open = path.find('{', open + 1)) {
      in_pattern.insert(path.substr(open + 1, path.find('}', open) - open - 1));
    }
    EXPECT_EQ(in_path, in_pattern);
  });
}

TEST_F(OpenApiTest, NoTwoPathsDifferInNamesAlone) {
  std::map<std::string, std::string> shapes;
  for (const auto& [path, methods] : paths()) {
    std::string shape;
    bool is_name = false;
    for (char c : path) {
      if (c == '}') is_name = false;
      if (!is_name) shape += c;
      if (c == '{') is_name = true;
    }
    const auto [other, added] = shapes.emplace(shape, std::string(path));
    EXPECT_TRUE(added) << std::string_view(path) << " and " << other->second;
  }
}

void CheckReferences(const json::value& document, const json::value& part, std::size_t& found) {
  if (const json::array* list = part.if_array()) {
    for (const json::value& each : *list) CheckReferences(document, each, found);
  }
  const json::object* object = part.if_object();
  if (object == nullptr) return;
  for (const auto& [key, value] : *object) {
    if (key == "$ref" && value.is_string()) {
      EXPECT_NE(Resolve(document, value.get_string()), nullptr) << json::serialize(value);
      EXPECT_EQ(object->size(), 1U) << "nothing stands beside a reference";
      ++found;
    } else {
      CheckReferences(document, value, found);
    }
  }
}

TEST_F(OpenApiTest, EveryReferenceLeadsSomewhereAndEveryComponentIsUsed) {
  std::size_t found = 0;
  CheckReferences(document_, document_, found);
  EXPECT_GT(found, 300U);
  const std::string text = json::serialize(document_);
  for (const char* kind : {"schemas", "responses"}) {
    for (const auto& [name, component] : document_.at("components").at(kind).get_object()) {
      EXPECT_TRUE(text.contains(fmt::format("#/components/{}/{}\"", kind, std::string_view(name))))
          << std::string_view(name) << " is named by nothing";
      EXPECT_TRUE(std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      })) << std::string_view(name);
    }
  }
}

void CheckSchemas(const json::value& part) {
  if (const json::array* list = part.if_array()) {
    for (const json::value& each : *list) CheckSchemas(each);
  }
  const json::object* object = part.if_object();
  if (object == nullptr) return;
  if (const json::value* required = object->if_contains("required");
      required != nullptr && required->is_array()) {
    for (const json::value& name : required->get_array()) {
      EXPECT_TRUE(object->at("properties").get_object().contains(name.get_string()))
          << json::serialize(part);
    }
  }
  for (const auto& [key, value] : *object) CheckSchemas(value);
}

TEST_F(OpenApiTest, SchemasNeedNothingThatTheyDoNotHave) { CheckSchemas(document_); }

TEST_F(OpenApiTest, SaysWhoMayAsTheTableDoes) {
  for (const Operation& each : Operations()) {
    const json::object& operation = OperationAt(each.described.method, each.route->pattern);
    const json::array& security = operation.at("security").get_array();
    const bool without = security.empty() || security.front().get_object().empty();
    EXPECT_EQ(without, IsOpen(each.route->access)) << each.route->pattern;
    EXPECT_EQ(security.empty(), IsAnonymous(each.route->access)) << each.route->pattern;
    EXPECT_EQ(operation.contains("requestBody"), each.described.body.has_value());
    if (each.described.body) EXPECT_NE(each.route->body, BodyLimit::kNone) << each.route->pattern;
  }
}

TEST_F(OpenApiTest, IsTheSameForEverybodyAndKnownByItsTag) {
  const Reply first = api_.Get("/api/openapi.json");
  ASSERT_EQ(first.status, 200U) << first.body;
  EXPECT_EQ(first.Get("Content-Type"), "application/json");
  EXPECT_TRUE(first.etag.starts_with('"')) << "a strong one: " << first.etag;
  api_.token = "koya_not_a_token";
  const Reply second = api_.Get("/api/openapi.json");
  EXPECT_EQ(second.status, 200U);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.etag, first.etag);
  api_.access.anonymous_read = false;
  api_.SettleMirror();
  EXPECT_EQ(api_.Get("/api/openapi.json").status, 200U);
}

TEST_F(OpenApiTest, ThePagesTellTheSame) {
  FakeBrowser browser(api_);
  const Reply index = browser.Open("/-/docs/api");
  ASSERT_EQ(index.status, 200U) << index.body;
  EXPECT_TRUE(index.body.contains("href=\"/api/openapi.json\""));
  for (const wire::ApiGroup& group : OperationGroups()) {
    const std::string path = fmt::format("/-/docs/api/{}", group.name);
    EXPECT_TRUE(index.body.contains(fmt::format("href=\"{}\"", path)));
    const Reply page = browser.Open(path);
    ASSERT_EQ(page.status, 200U) << path;
    for (const Operation& each : Operations()) {
      if (each.described.group != group.name) continue;
      EXPECT_TRUE(page.body.contains(fmt::format("id=\"{}\"", each.described.id)))
          << each.described.id;
    }
    EXPECT_TRUE(page.body.contains("https://registry.example.com/"))
        << "a command names this server";
  }
  EXPECT_EQ(browser.Open("/-/docs/api/no-such").status, 404U);
}

// ---- all responses, errors included, match /api/openapi.json.

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
  Answered(Method::kGet, "/api/v1/impact/modules/{namespace}/{name}/{system}",
           "/api/v1/impact/modules/acme/vpc/aws");
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
  Answered(Method::kGet, "/api/v1/admin/replicas", "/api/v1/admin/replicas");
  Answered(Method::kPost, "/api/v1/admin/reseal", "/api/v1/admin/reseal", "{}");
  Answered(Method::kPost, "/api/v1/inspect", "/api/v1/inspect");
  Answered(Method::kPost, "/api/v1/reindex", "/api/v1/reindex");
  Answered(Method::kGet, "/api/v1/mirror/providers", "/api/v1/mirror/providers");
  Answered(Method::kGet, "/api/v1/mirror/status", "/api/v1/mirror/status", "", "days=7");
  Answered(Method::kGet, "/api/v1/mirror/modules", "/api/v1/mirror/modules");
  Answered(Method::kGet, "/-/mirror/explain.json", "/-/mirror/explain.json", "",
           "address=registry.example.org/acme/demo");
  const std::string policy = "/api/v1/policy";
  Answered(Method::kGet, policy + "/explain", policy + "/explain", "",
           "address=registry.example.org/acme/demo&version=1.0.0");
  Answered(Method::kGet, policy + "/held", policy + "/held");
  Answered(Method::kPost, policy + "/test", policy + "/test", "version = 1");
  Answered(Method::kPost, policy + "/test", policy + "/test", "version = 2");
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
      const Reply reply = api_.Ask({.method = each.route->method,
                                    .path = path,
                                    .query = query,
                                    .fields = {{"Authorization", "Bearer " + admin_}}});
      EXPECT_TRUE(reply.status == 400 || (reply.status == 404 && path.contains("demo")))
          << path << "?" << query << " answers " << reply.status;
      ++asked;
    }
  }
  EXPECT_GT(asked, 20U);
}

}  // namespace

}  // namespace koya::api
