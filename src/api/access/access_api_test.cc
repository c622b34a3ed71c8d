// Users, service accounts, groups, namespaces and grants over the API.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "base/run_task.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/sign_in_catalog.h"
#include "domain/actor.h"
#include "domain/identity_record.h"
#include "domain/namespace_record.h"
#include "http/server/head_parser.h"
#include "wire/accounts.h"
#include "wire/error_document.h"
#include "wire/namespaces.h"
#include "wire/tokens.h"

namespace koya::api {
namespace {

class AccessApiTest : public ::testing::Test {
 protected:
  AccessApiTest() { api_.token = api_.Token(Scope::kAdmin); }

  // Below /api/v1.
  Reply Ask(std::string_view method, std::string_view path, std::string body = {},
            std::string query = {}) {
    Question question{.path = fmt::format("/api/v1/{}", path),
                      .query = std::move(query),
                      .body = std::move(body)};
    for (http::Method each : {http::Method::kPut, http::Method::kPost, http::Method::kDelete}) {
      if (http::MethodName(each) == method) question.method = each;
    }
    return api_.Ask(question);
  }
  // "ada+admin", "bob-disabled", …
  std::vector<std::string> Users() {
    std::vector<std::string> users;
    for (const wire::Account& each :
         wire::Decode<wire::UserList>(Ask("GET", "users").body).value().items) {
      users.push_back(each.name + (each.admin ? "+admin" : "") +
                      (each.disabled.empty() ? "" : "-disabled"));
    }
    return users;
  }
  std::vector<std::string> Members(std::string_view group) {
    std::vector<std::string> members;
    std::string body = Ask("GET", fmt::format("groups/{}/members", group)).body;
    for (const wire::GroupMember& each : wire::Decode<wire::MemberList>(body).value().items) {
      members.push_back(each.kind + ":" + each.name);
    }
    return members;
  }
  std::vector<std::string> Grants(std::string_view ns) {
    std::vector<std::string> grants;
    std::string body = Ask("GET", fmt::format("namespaces/{}/grants", ns)).body;
    for (const wire::Grant& each : wire::Decode<wire::GrantList>(body).value().items) {
      grants.push_back(fmt::format("{}:{}={}", each.kind, each.name, each.role));
    }
    return grants;
  }

  ApiFixture api_;
};

struct Refused {
  std::string_view method;
  std::string_view path;
  std::string body;
  unsigned status;
  std::string_view words;
};

void ExpectRefused(const Refused& refused, const Reply& reply) {
  std::string asked =
      fmt::format("{} {} {}: {}", refused.method, refused.path, refused.body, reply.body);
  EXPECT_EQ(reply.status, refused.status) << asked;
  std::vector<std::string> said = wire::DecodeErrors(reply.body);
  ASSERT_EQ(said.size(), 1U) << asked;
  EXPECT_TRUE(said[0].contains(refused.words)) << asked;
}

TEST_F(AccessApiTest, UsersAreMadeListedDisabledAndDeleted) {
  Reply made = Ask("POST", "users", R"({"name":"ada@example.com","admin":true})");
  EXPECT_EQ(made.status, 201U) << made.body;
  auto ada = wire::Decode<wire::Account>(made.body);
  ASSERT_TRUE(ada);
  EXPECT_EQ(ada->kind, "user");
  EXPECT_TRUE(ada->admin);
  EXPECT_EQ(ada->created_by, "t1");
  EXPECT_FALSE(ada->created.empty());
  EXPECT_EQ(Ask("POST", "users", R"({"name":"bob"})").status, 201U);
  Reply disabled = Ask("POST", "users/bob/disable");
  EXPECT_EQ(disabled.status, 200U) << disabled.body;
  EXPECT_FALSE(wire::Decode<wire::Account>(disabled.body)->disabled.empty());
  EXPECT_EQ(Users(), (std::vector<std::string>{"ada@example.com+admin", "bob-disabled"}));
  Reply enabled = Ask("POST", "users/BOB/enable", "{}");
  EXPECT_EQ(enabled.status, 200U) << enabled.body;
  EXPECT_EQ(*wire::Decode<wire::Account>(enabled.body),
            *wire::Decode<wire::Account>(Ask("POST", "users/bob/enable").body));
  EXPECT_EQ(Ask("DELETE", "users/bob").status, 204U);
  EXPECT_EQ(Ask("DELETE", "users/ada@example.com").status, 204U) << "a token may do everything";
  EXPECT_TRUE(Users().empty());
}

TEST_F(AccessApiTest, UsersHaveALanguage) {
  EXPECT_EQ(Ask("POST", "users", R"({"name":"ada"})").status, 201U);
  EXPECT_TRUE(Ask("GET", "users").body.contains(R"("language":null)"));
  EXPECT_EQ(Ask("PUT", "users/ADA/language", R"({"language":"ja"})").status, 204U);
  EXPECT_TRUE(Ask("GET", "users").body.contains(R"("language":"ja")"));
  const Refused kCases[] = {
      {"PUT", "users/ada/language", R"({"language":"de"})", 400, "use en, ja or zh"},
      {"PUT", "users/ada/language", R"({"language":""})", 400, "\"language\" must be given"},
      {"PUT", "users/ada/language", R"({"language":null})", 400, "language"},
      {"PUT", "users/ada/language", "{}", 400, "\"language\" must be given"},
      {"PUT", "users/eve/language", R"({"language":"ja"})", 404, "there is no user"}};
  for (const Refused& each : kCases) {
    ExpectRefused(each, Ask(each.method, each.path, each.body));
  }
  EXPECT_EQ(Ask("PUT", "users/ada/language", R"({"language":"auto"})").status, 204U);
  EXPECT_TRUE(Ask("GET", "users").body.contains(R"("language":null)"));
}

TEST_F(AccessApiTest, UsersHaveTheAddressThatTheirProviderSays) {
  CatalogParts catalog = api_.catalog();
  IdentityProviderRecord corp{.name = "corp", .issuer = "https://id.example.com", .groups = {}};
  ASSERT_TRUE(RunTask(catalog.identities().AddIdentityProvider(Actor::Server(), std::move(corp))));
  IdentityClaim bob{.provider = "corp", .subject = "1", .wanted_name = "bob", .groups = {}};
  bob.email = "bob@example.com";
  ASSERT_TRUE(RunTask(catalog.identities().RecordIdentity(Actor::Server(), std::move(bob), 1)));
  EXPECT_EQ(Ask("POST", "users", R"({"name":"ada@example.com"})").status, 201U);
  auto users = wire::Decode<wire::UserList>(Ask("GET", "users").body);
  ASSERT_TRUE(users);
  ASSERT_EQ(users->items.size(), 2U);
  EXPECT_EQ(users->items.at(0).email, "") << "a name is no address";
  EXPECT_EQ(users->items.at(1).email, "bob@example.com");
  EXPECT_TRUE(Ask("GET", "users").body.contains(R"("email":null)"));
  for (std::string_view what : {"disable", "enable"}) {
    const Reply changed = Ask("POST", fmt::format("users/bob/{}", what));
    EXPECT_EQ(wire::Decode<wire::Account>(changed.body)->email, "bob@example.com") << changed.body;
  }
  EXPECT_EQ(Ask("POST", "services", R"({"name":"bob"})").status, 201U);
  EXPECT_FALSE(Ask("GET", "services").body.contains("bob@example.com"));
  EXPECT_FALSE(Ask("POST", "services/bob/disable").body.contains("bob@example.com"));
  for (Scope scope : {Scope::kRead, Scope::kPublish}) {
    api_.token = api_.Token(scope);
    EXPECT_FALSE(Ask("GET", "users").body.contains("bob@example.com"));
  }
}

TEST_F(AccessApiTest, ServiceAccountsAreApartFromUsers) {
  EXPECT_EQ(Ask("POST", "users", R"({"name":"ci"})").status, 201U);
  Reply made = Ask("POST", "services", R"({"name":"ci"})");
  EXPECT_EQ(made.status, 201U) << made.body;
  EXPECT_EQ(wire::Decode<wire::Account>(made.body)->kind, "service");
  EXPECT_EQ(Ask("POST", "services/ci/disable").status, 200U);
  auto services = wire::Decode<wire::ServiceList>(Ask("GET", "services").body);
  ASSERT_TRUE(services);
  ASSERT_EQ(services->items.size(), 1U);
  EXPECT_FALSE(services->items.front().disabled.empty());
  EXPECT_EQ(services->items.front().tokens, 0U);
  EXPECT_EQ(services->items.front().last_used, "");
  EXPECT_FALSE(services->items.front().created_by.empty());
  EXPECT_EQ(Users(), std::vector<std::string>{"ci"});
  EXPECT_EQ(Ask("POST", "services/ci/enable").status, 200U);
  EXPECT_EQ(Ask("DELETE", "services/ci").status, 204U);
  EXPECT_EQ(Ask("DELETE", "services/ci").status, 404U);
  EXPECT_EQ(Users(), std::vector<std::string>{"ci"});
}

TEST_F(AccessApiTest, GroupsHaveUsersAndServiceAccounts) {
  Ask("POST", "users", R"({"name":"ada"})");
  Ask("POST", "services", R"({"name":"ci"})");
  Reply made = Ask("POST", "groups", R"({"name":"platform"})");
  EXPECT_EQ(made.status, 201U) << made.body;
  EXPECT_EQ(wire::Decode<wire::Group>(made.body)->name, "platform");
  EXPECT_EQ(Ask("PUT", "groups/platform/members/users/ada").status, 204U);
  EXPECT_EQ(Ask("PUT", "groups/platform/members/users/ada", "{}").status, 204U);
  EXPECT_EQ(Ask("PUT", "groups/platform/members/services/ci").status, 204U);
  EXPECT_EQ(Members("platform"), (std::vector<std::string>{"user:ada", "service:ci"}));
  EXPECT_EQ(Ask("DELETE", "groups/platform/members/users/ada").status, 204U);
  EXPECT_EQ(Ask("DELETE", "groups/platform/members/users/ada").status, 404U);
  EXPECT_EQ(Ask("DELETE", "groups/platform/members/services/ci").status, 204U);
  EXPECT_TRUE(Members("platform").empty());
  EXPECT_EQ(wire::Decode<wire::GroupList>(Ask("GET", "groups").body)->items.size(), 1U);
  EXPECT_EQ(Ask("DELETE", "groups/platform").status, 204U);
  EXPECT_TRUE(wire::Decode<wire::GroupList>(Ask("GET", "groups").body)->items.empty());
}

TEST_F(AccessApiTest, WhatIsNoAccountOrGroupIsRefused) {
  Ask("POST", "users", R"({"name":"ada"})");
  Ask("POST", "groups", R"({"name":"platform"})");
  const std::vector<Refused> kRefused = {
      {"POST", "users", "", 400, "not valid JSON"},
      {"POST", "users", "{}", 400, "\"name\" must be given"},
      {"POST", "users", R"({"name":"a b"})", 400, "use 1 to 64 letters"},
      {"POST", "users", R"({"name":"ADA"})", 409, "already"},
      {"POST", "users", R"({"name":"eve","admin":"yes"})", 400, "\"admin\""},
      {"POST", "users", fmt::format(R"({{"name":"{}"}})", std::string(70'000, 'x')), 413, "larg"},
      {"POST", "users/none/disable", "", 404, "no user named \"none\""},
      {"POST", "users/none/enable", "", 404, "no user named \"none\""},
      {"POST", "users/a b/disable", "", 400, "use 1 to 64 letters"},
      {"DELETE", "users/none", "", 404, "no user named"},
      {"POST", "services", R"({"name":"ci@example.com"})", 400, "use 1 to 64 letters"},
      {"POST", "services", R"({"admin":true})", 400, "\"name\" must be given"},
      {"POST", "services/ada/disable", "", 404, "no service account named"},
      {"POST", "services/ada/enable", "", 404, "no service account named"},
      {"DELETE", "services/ada", "", 404, "no service account named"},
      {"POST", "groups", R"({"name":"a/b"})", 400, "use 1 to 64 letters"},
      {"POST", "groups", R"({"name":"Platform"})", 409, "already"},
      {"DELETE", "groups/none", "", 404, "no group named"},
      {"GET", "groups/none/members", "", 404, "no group named"},
      {"PUT", "groups/none/members/users/ada", "", 404, "no group named"},
      {"PUT", "groups/platform/members/users/none", "", 404, "no user named"},
      {"PUT", "groups/platform/members/services/ada", "", 404, "no service account named"},
      {"PUT", "groups/platform/members/users/a*", "", 400, "use 1 to 64 letters"},
      {"DELETE", "groups/platform/members/users/ada", "", 404, "no such member"},
      {"DELETE", "groups/none/members/services/ada", "", 404, "no group named"},
  };
  for (const Refused& each : kRefused) ExpectRefused(each, Ask(each.method, each.path, each.body));
  EXPECT_EQ(Users(), std::vector<std::string>{"ada"});
  EXPECT_TRUE(Members("platform").empty());
}

TEST_F(AccessApiTest, ATokenIsShownWithWhomItActsFor) {
  ASSERT_EQ(Ask("POST", "services", R"({"name":"Build"})").status, 201U);
  Reply made = Ask("POST", "tokens", R"({"name":"of-build","scope":"read","service":"build"})");
  ASSERT_EQ(made.status, 201U) << made.body;
  EXPECT_EQ(wire::Decode<wire::Token>(made.body)->account, "Build");
  EXPECT_EQ(wire::Decode<wire::Token>(made.body)->account_kind, "service");
  auto listed = wire::Decode<wire::TokenList>(Ask("GET", "tokens").body);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->items.size(), 2U);
  EXPECT_EQ(listed->items.front().account, "Build");
  EXPECT_EQ(listed->items.front().account_kind, "service");
  EXPECT_EQ(listed->items.back().account, "") << "one of its own";
  EXPECT_EQ(listed->items.back().account_kind, "");
}

TEST_F(AccessApiTest, AdministratorsFilterTheTokensOfAllAccounts) {
  ASSERT_EQ(Ask("POST", "services", R"({"name":"ci"})").status, 201U);
  for (const char* body : {R"({"name":"a","scope":"read","service":"ci","expires":"never"})",
                           R"({"name":"b","scope":"read","service":"ci","expires":"14d"})",
                           R"({"name":"c","scope":"read","expires":"15d"})"}) {
    ASSERT_EQ(Ask("POST", "tokens", body).status, 201U) << body;
  }
  auto names = [this](const std::string& query) {
    std::vector<std::string> found;
    auto listed = wire::Decode<wire::TokenList>(Ask("GET", "tokens", "", query).body);
    EXPECT_TRUE(listed) << query;
    for (const wire::Token& each : listed.value_or(wire::TokenList()).items) {
      found.push_back(each.name);
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("filter=ends_soon"), Names{"b"});
  EXPECT_EQ(names("filter=unused"), Names{});
  EXPECT_EQ(names("limit=2&offset=1"), (Names{"b", "c"}));
  EXPECT_EQ(names("filter=never_expires&limit=1"), Names{"a"});
  EXPECT_EQ(names("filter=never_expires&offset=99"), Names{});
  api_.clock.now += 91 * 86'400;
  EXPECT_EQ(names("filter=unused"), (Names{"a", "b", "c", "t1"})) << "expired ones, too";
  auto listed = wire::Decode<wire::TokenList>(Ask("GET", "tokens", "", "filter=unused").body);
  EXPECT_FALSE(listed->items[0].account_created_by.empty());
  EXPECT_EQ(listed->items[2].account_created_by, "");
  for (const char* bad :
       {"filter=old", "filter=NEVER_EXPIRES", "filter=%FF", "limit=x", "offset=-1"}) {
    EXPECT_EQ(Ask("GET", "tokens", "", bad).status, 400U) << bad;
  }
  api_.token = api_.Token(Scope::kAdmin, {"acme"});
  EXPECT_EQ(Ask("GET", "tokens").status, 200U);
  for (const char* part : {"filter=unused", "limit=5"}) {
    EXPECT_EQ(Ask("GET", "tokens", "", part).status, 403U) << part;
  }
}

TEST_F(AccessApiTest, NamespacesAreSetAndShown) {
  Reply made = Ask("PUT", "namespaces/Acme", R"({"visibility":"private"})");
  EXPECT_EQ(made.status, 201U) << made.body;
  auto ns = wire::Decode<wire::Namespace>(made.body);
  ASSERT_TRUE(ns);
  EXPECT_EQ(ns->name, "Acme");
  EXPECT_EQ(ns->visibility, "private");
  EXPECT_EQ(ns->created_by, "t1");
  Reply set = Ask("PUT", "namespaces/acme", R"({"visibility":"internal"})");
  EXPECT_EQ(set.status, 200U) << set.body;
  EXPECT_EQ(wire::Decode<wire::Namespace>(set.body)->visibility, "internal");
  EXPECT_EQ(Ask("GET", "namespaces/ACME").body, set.body);
  EXPECT_EQ(Ask("PUT", "namespaces/größe", R"({"visibility":"public"})").status, 201U);
  auto all = wire::Decode<wire::NamespaceList>(Ask("GET", "namespaces").body);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->items.size(), 2U);
  api_.token = api_.Token(Scope::kAdmin, {"acme"});
  auto own = wire::Decode<wire::NamespaceList>(Ask("GET", "namespaces").body);
  ASSERT_TRUE(own);
  ASSERT_EQ(own->items.size(), 2U) << "the other one is public";
  EXPECT_EQ(own->items.front().name, "Acme");
  EXPECT_EQ(own->items.front().created_by, "t1");
  EXPECT_EQ(own->items.back().created_by, "") << "of others no names of accounts";
  EXPECT_FALSE(own->items.front().bytes) << "for administrators of all namespaces";
}

TEST_F(AccessApiTest, NamespacesAreListedToThoseWhoMayReadThem) {
  Ask("POST", "users", R"({"name":"ada"})");
  for (const char* user : {"b1", "b2", "b3", "b4"}) {
    Ask("POST", "users", fmt::format(R"({{"name":"{}"}})", user));
  }
  ASSERT_EQ(api_.Publish("open/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
  ASSERT_EQ(Ask("PUT", "namespaces/inner", R"({"visibility":"internal"})").status, 201U);
  ASSERT_EQ(Ask("PUT", "namespaces/veiled", R"({"visibility":"private"})").status, 201U);
  for (const char* user : {"ada", "b1", "b2", "b3", "b4"}) {
    Ask("PUT", fmt::format("namespaces/open/grants/users/{}", user), R"({"role":"owner"})");
  }
  auto listed = [this] {
    const Reply reply = Ask("GET", "namespaces");
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return wire::Decode<wire::NamespaceList>(reply.body).value_or(wire::NamespaceList()).items;
  };
  const std::vector<wire::Namespace> all = listed();
  ASSERT_EQ(all.size(), 3U);
  const wire::Namespace& open = all[1];
  EXPECT_EQ(open.name, "open");
  EXPECT_EQ(open.modules, 1U);
  EXPECT_EQ(open.providers, 0U);
  EXPECT_GT(open.bytes.value_or(0), 0U);
  EXPECT_FALSE(open.last_published.empty());
  ASSERT_EQ(open.owners.size(), 3U);
  EXPECT_EQ(open.owners[0], (wire::NamespaceOwner{"user", "ada"}));
  EXPECT_EQ(open.more_owners, 2U);
  EXPECT_EQ(all[2].modules, 0U);
  EXPECT_EQ(all[2].last_published, "");
  EXPECT_TRUE(all[2].owners.empty());
  api_.token = api_.Token(Scope::kRead);
  EXPECT_EQ(listed().size(), 2U) << "not the private one";
  api_.token = api_.Token(Scope::kRead, {"other"});
  EXPECT_EQ(listed().size(), 2U);
  api_.token.clear();
  const std::vector<wire::Namespace> seen = listed();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].name, "open");
  EXPECT_EQ(seen[0].created_by, "");
  EXPECT_TRUE(seen[0].owners.empty() && !seen[0].bytes && seen[0].last_published.empty());
}

TEST_F(AccessApiTest, RolesAreGrantedAndTakenAway) {
  Ask("POST", "users", R"({"name":"ada"})");
  Ask("POST", "groups", R"({"name":"platform"})");
  Ask("POST", "services", R"({"name":"ci"})");
  Ask("PUT", "namespaces/acme", R"({"visibility":"private"})");
  api_.token = api_.Token(Scope::kAdmin, {"acme"});
  Reply granted = Ask("PUT", "namespaces/ACME/grants/users/ADA", R"({"role":"reader"})");
  EXPECT_EQ(granted.status, 200U) << granted.body;
  auto grant = wire::Decode<wire::Grant>(granted.body);
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->kind, "user");
  EXPECT_EQ(grant->name, "ada");
  EXPECT_EQ(grant->granted_by, "t2");
  EXPECT_EQ(Ask("PUT", "namespaces/acme/grants/users/ada", R"({"role":"owner"})").status, 200U);
  EXPECT_EQ(Ask("PUT", "namespaces/acme/grants/groups/platform", R"({"role":"reader"})").status,
            200U);
  EXPECT_EQ(Ask("PUT", "namespaces/acme/grants/services/ci", R"({"role":"publisher"})").status,
            200U);
  EXPECT_EQ(Grants("acme"), (std::vector<std::string>{"user:ada=owner", "group:platform=reader",
                                                      "service:ci=publisher"}));
  for (const char* who : {"users/ada", "groups/platform", "services/ci"}) {
    std::string path = fmt::format("namespaces/acme/grants/{}", who);
    EXPECT_EQ(Ask("DELETE", path).status, 204U) << path;
    EXPECT_EQ(Ask("DELETE", path).status, 404U) << path;
  }
  EXPECT_TRUE(Grants("acme").empty());
}

TEST_F(AccessApiTest, OwnersSayWhatANamespaceIs) {
  Reply made = Ask("PUT", "namespaces/acme", R"({"title":" Acme & co "})");
  EXPECT_EQ(made.status, 201U) << made.body;
  EXPECT_TRUE(made.body.contains(R"("title":"Acme & co","description":null)")) << made.body;
  EXPECT_EQ(Ask("PUT", "namespaces/ACME", R"({"description":"All of it.\r\nAsk us."})").status,
            200U);
  for (const char* path : {"namespaces/acme", "namespaces"}) {
    EXPECT_TRUE(Ask("GET", path)
                    .body.contains(R"("title":"Acme & co","description":"All of it.\nAsk us.")"))
        << path;
  }
  Reply removed = Ask("PUT", "namespaces/acme", R"({"title":""})");
  EXPECT_TRUE(removed.body.contains(R"("title":null,"description":"All of it.\nAsk us.")"))
      << removed.body;
}

TEST_F(AccessApiTest, WhatIsNoNamespaceOrGrantIsRefused) {
  Ask("POST", "users", R"({"name":"ada"})");
  Ask("PUT", "namespaces/acme", R"({"visibility":"private"})");
  const std::string role = R"({"role":"owner"})";
  const std::string everybody = R"({"visibility":"public"})";
  const std::vector<Refused> kRefused = {
      {"PUT", "namespaces/acme", "{}", 400, "\"publish\" is needed"},
      {"PUT", "namespaces/acme", R"({"title":"a\nb"})", 400, "is one line"},
      {"PUT", "namespaces/acme", R"({"title":7})", 400, "a string"},
      {"PUT", "namespaces/acme", R"({"title":"a\u0007"})", 400, "leave out control characters"},
      {"PUT", "namespaces/acme", R"({"description":"\u0000"})", 400, "control characters"},
      {"PUT", "namespaces/acme", R"({"description":")" + std::string(501, 'a') + R"("})", 400,
       "500 at most"},
      {"PUT", "namespaces/acme", R"({"semver":"strict"})", 400,
       "off, warn, refuse-breaking, refuse, or default"},
      {"PUT", "namespaces/acme", R"({"publish":"none"})", 400, "use any or ci-only"},
      {"PUT", "namespaces/acme", R"({"visibility":"secret"})", 400, "public, internal or private"},
      {"PUT", "namespaces/acme", R"({"visibility":["public"]})", 400, "a string"},
      {"PUT", "namespaces/acme", "public", 400, "not valid JSON"},
      {"PUT", "namespaces/a.b", everybody, 400, "letters, digits"},
      {"PUT", "namespaces/-a", everybody, 400, "begin and end"},
      {"PUT", "namespaces/api", everybody, 400, "is reserved"},
      {"PUT", "namespaces/MIRROR", everybody, 400, "is reserved"},
      {"GET", "namespaces/none", "", 404, "no namespace \"none\""},
      {"GET", "namespaces/a.b", "", 400, "letters, digits"},
      {"GET", "namespaces/none/grants", "", 404, "no namespace \"none\""},
      {"PUT", "namespaces/none/grants/users/ada", role, 404, "no namespace \"none\""},
      {"PUT", "namespaces/acme/grants/users/none", role, 404, "no user named"},
      {"PUT", "namespaces/acme/grants/groups/ada", role, 404, "no group named"},
      {"PUT", "namespaces/acme/grants/services/ada", role, 404, "no service account named"},
      {"PUT", "namespaces/acme/grants/users/a b", role, 400, "use 1 to 64 letters"},
      {"PUT", "namespaces/acme/grants/users/ada", "{}", 400, "\"role\" must be given"},
      {"PUT", "namespaces/acme/grants/users/ada", R"({"role":"Owner"})", 400,
       "reader, publisher or owner"},
      {"PUT", "namespaces/acme/grants/users/ada", R"({"role":""})", 400, "\"role\" must be given"},
      {"DELETE", "namespaces/acme/grants/users/ada", "", 404, "has no role"},
      {"DELETE", "namespaces/none/grants/users/ada", "", 404, "has no role"},
      {"DELETE", "namespaces/acme/grants/groups/x@y", "", 400, "use 1 to 64 letters"},
  };
  for (const Refused& each : kRefused) ExpectRefused(each, Ask(each.method, each.path, each.body));
  EXPECT_EQ(Ask("PUT", "namespaces/acme/grants/tokens/ada", role).status, 404U) << "no such route";
  EXPECT_TRUE(Grants("acme").empty());
  EXPECT_EQ(wire::Decode<wire::Namespace>(Ask("GET", "namespaces/acme").body)->visibility,
            "private");
}

TEST_F(AccessApiTest, NeedsATokenThatMay) {
  Ask("PUT", "namespaces/acme", R"({"visibility":"private"})");
  const std::vector<Refused> kAsked = {
      {"POST", "users", R"({"name":"eve","admin":true})", 403, ""},
      {"GET", "users", "", 403, ""},
      {"GET", "groups", "", 403, ""},
      {"GET", "tokens", "", 403, ""},
      {"GET", "namespaces/acme/grants", "", 403, ""},
      {"PUT", "namespaces/acme", R"({"visibility":"public"})", 403, ""},
      {"PUT", "namespaces/acme/grants/users/eve", R"({"role":"owner"})", 403, ""},
  };
  std::string publisher = api_.Token(Scope::kPublish);
  for (const Refused& each : kAsked) {
    api_.token = publisher;
    ExpectRefused(each, Ask(each.method, each.path, each.body));
    api_.token.clear();
    EXPECT_EQ(Ask(each.method, each.path, each.body).status, 401U) << each.path;
  }
}

}  // namespace
}  // namespace koya::api
