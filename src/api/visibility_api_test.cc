// Responses by the visibility of the requested thing: every readable route of the table, for every
// kind of caller.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/route.h"
#include "api/routes.h"
#include "archive/archive_builder_fake.h"
#include "auth/token.h"
#include "base/run_task.h"
#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/catalog_parts_fake.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/archive_kind.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/namespace_record.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

using http::Method;

constexpr const char* kModuleDownload = "/v1/modules/acme/vpc/aws/1.0.0/download";
constexpr const char* kModuleVersions = "/v1/modules/acme/vpc/aws/versions";
constexpr const char* kProviderDownload = "/v1/providers/acme/demo/1.0.0/download/linux/amd64";
constexpr const char* kZip = "terraform-provider-demo_1.0.0_linux_amd64.zip";

constexpr const char* kVpcSchema =
    R"({"provider_schemas":{"example.com/acme/demo":{"resource_schemas":{"vpc":{"block":{}}}}}})";

class VisibilityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    admin_ = api_.Token(Scope::kAdmin);
    api_.token = admin_;
    ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
    PublishProvider();
    for (const char* of : {"modules/acme/vpc/aws", "providers/acme/demo"}) {
      Reply added = api_.Ask({.method = Method::kPut,
                              .path = fmt::format("/api/v1/{}/1.0.0/attachments/a.spdx.json", of),
                              .body = R"({"spdxVersion":"SPDX-2.3"})"});
      ASSERT_EQ(added.status, 201U) << added.body;
    }
    api_.token.clear();
    AddAccounts();
  }

  void PublishProvider() {
    const std::string drafts = "/api/v1/providers/acme/demo/1.0.0/drafts";
    Reply opened = api_.Ask({.method = Method::kPost, .path = drafts});
    const std::string draft = drafts + "/" + wire::Decode<wire::Draft>(opened.body).value().id;
    std::string package = Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "x"}});
    api_.Ask({.method = Method::kPut, .path = draft + "/files/" + kZip, .body = package});
    const std::string docs = Zip({{.name = "docs/resources/vpc.md", .content = "# Vpc 1.0.0"}});
    for (const auto& [ending, content] :
         {std::pair("docs.zip", docs), std::pair("schema.json", std::string(kVpcSchema))}) {
      api_.Ask({.method = Method::kPut,
                .path = draft + "/files/terraform-provider-demo_1.0.0_" + ending,
                .body = content});
    }
    Reply done =
        api_.Ask({.method = Method::kPost, .path = draft + "/commit", .body = R"({"sign": true})"});
    ASSERT_EQ(done.status, 201U) << done.body;
  }

  // A service account "robot" that reads, "ann" who publishes by her group, an administrator
  // "root", and "gone", who is disabled.
  void AddAccounts() {
    CatalogParts catalog = api_.catalog();
    Add(AccountKind::kService, "robot");
    Add(AccountKind::kService, "other");
    Add(AccountKind::kUser, "ann");
    Add(AccountKind::kUser, "root", true);
    Add(AccountKind::kUser, "gone");
    ASSERT_TRUE(RunTask(catalog.accounts().AddGroup(Actor::Server(), {.name = "team"})));
    ASSERT_TRUE(RunTask(
        catalog.accounts().AddMember(Actor::Server(), "team", {AccountKind::kUser, "ann", ""})));
    Grant(GranteeKind::kService, "robot", Role::kReader);
    Grant(GranteeKind::kGroup, "team", Role::kPublisher);
    Grant(GranteeKind::kUser, "gone", Role::kOwner);
    ASSERT_TRUE(
        RunTask(catalog.accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "gone", 1)));
  }
  void Add(AccountKind kind, const std::string& name, bool admin = false) {
    AccountRecord account{.id = auth::RandomId(), .kind = kind, .name = name, .admin = admin};
    ASSERT_TRUE(RunTask(api_.catalog().accounts().AddAccount(Actor::Server(), account)));
    ids_[name] = account.id;
  }
  void Grant(GranteeKind kind, const std::string& grantee, Role role) {
    GrantRecord grant{.ns = "acme", .kind = kind, .grantee = grantee, .role = role};
    ASSERT_TRUE(RunTask(api_.catalog().namespaces().PutGrant(Actor::Server(), grant)));
  }
  // A token that acts for the account.
  std::string TokenOf(const std::string& account, Scope scope = Scope::kAdmin,
                      std::vector<std::string> namespaces = {}) {
    auth::MintedToken minted = auth::MintToken();
    TokenRecord record{.name = fmt::format("of-{}-{}", account, ++made_),
                       .secret = minted.secret,
                       .scope = scope,
                       .namespaces = std::move(namespaces),
                       .account_id = ids_[account],
                       .created_by = "test"};
    EXPECT_TRUE(RunTask(api_.catalog().tokens().AddToken(Actor::Server(), record)));
    return minted.text;
  }

  void Set(Visibility visibility) {
    ASSERT_TRUE(
        RunTask(api_.catalog().namespaces().SetVisibility(Actor::Server(), "acme", visibility)));
  }
  // "": anonymous.
  Reply Ask(const std::string& path, const std::string& token, std::string query = "",
            Method method = Method::kGet) {
    Question question{.method = method, .path = path, .query = std::move(query)};
    if (!token.empty()) question.fields = {{"authorization", "Bearer " + token}};
    return api_.Ask(question);
  }
  // Of a location on this server.
  Reply Follow(const std::string& location, const std::string& token = "",
               Method method = Method::kGet) {
    std::string rest = location.substr(location.find('/', std::string("https://").size()));
    std::size_t mark = rest.find('?');
    return Ask(rest.substr(0, mark), token, mark == std::string::npos ? "" : rest.substr(mark + 1),
               method);
  }
  std::string ModuleLocation(const std::string& token) {
    return Ask(kModuleDownload, token).Get("X-Terraform-Get");
  }

  // Where the pattern leads to something of the namespace.
  static std::string PathOf(const Route& route, const std::string& ns) {
    const bool provider = route.pattern.contains("{type}");
    std::map<std::string_view, std::string> parts{
        {"{hostname}", "registry.example.com"},
        {"{namespace}", ns},
        {"{name}", "vpc"},
        {"{system}", "aws"},
        {"{type}", "demo"},
        {"{version}", "1.0.0"},
        {"{os}", "linux"},
        {"{arch}", "amd64"},
        {"{key_id}", "0123456789abcdef"},
        {"{kind}", route.pattern.contains("/docs/") ? "resources" : "resource"},
        {"{path...}", route.pattern.contains("/files/") ? "main.tf" : "sub"},
        {"{file}", provider ? kZip : ns + "-vpc-aws-1.0.0.tar.gz"}};
    if (route.pattern.contains("/attachments/")) parts["{file}"] = "a.spdx.json";
    const bool feed = route.pattern.starts_with("/-/feeds/");
    if (feed || route.pattern.starts_with("/-/badges/")) {
      const bool of_module = route.pattern.contains("/modules/");
      parts["{file}"] = std::string(of_module ? "aws" : "demo") + (feed ? ".atom" : ".svg");
    }
    if (route.pattern == "/mirror/{hostname}/{namespace}/{type}/{file}") {
      parts["{file}"] = "1.0.0.json";
    }
    std::string path;
    for (std::size_t at = 0; at < route.pattern.size();) {
      std::size_t end = route.pattern[at] == '{' ? route.pattern.find('}', at) + 1 : at + 1;
      std::string_view piece = route.pattern.substr(at, end - at);
      path += parts.contains(piece) ? parts[piece] : std::string(piece);
      at = end;
    }
    return path;
  }
  static bool IsOfNamespace(const Route& route) {
    return route.about == ResourceScope::kNamespace || route.about == ResourceScope::kHost;
  }

  ApiFixture api_;
  std::string admin_;
  std::map<std::string, std::string> ids_;
  int made_ = 0;
};

// The callers who may know of a private namespace, and those who may not.
struct Cast {
  std::vector<std::string> seeing;
  std::vector<std::string> blind;
};

TEST_F(VisibilityTest, WhatIsPrivateIsNowhereForThoseItWasNotGrantedTo) {
  Set(Visibility::kPrivate);
  const Cast cast{
      .seeing = {admin_, TokenOf("robot"), TokenOf("robot", Scope::kRead),
                 TokenOf("ann", Scope::kPublish, {"ac*"}), TokenOf("root", Scope::kRead),
                 api_.Token(Scope::kRead, {"acme"}), api_.Token(Scope::kPublish)},
      .blind = {"", TokenOf("other"), TokenOf("robot", Scope::kAdmin, {"beta"}),
                TokenOf("root", Scope::kAdmin, {"beta"}), api_.Token(Scope::kRead),
                api_.Token(Scope::kAdmin, {"beta"})}};
  for (const Route& route : Routes()) {
    if (!IsOfNamespace(route)) continue;
    const std::string path = PathOf(route, "acme");
    const std::string query = route.pattern.contains("}/diff") ? "from=1.0.0&to=v1.0.0" : "";
    // Twice: the second time it may be at hand.
    for (int i = 0; i < 2; ++i) {
      for (const std::string& token : cast.seeing) {
        if (route.pattern.starts_with("/origin/")) break;  // nothing of this server's own is there
        // Nor an example in the module, or a page for another language in the docs.
        if (route.pattern.contains("/examples/{") || route.pattern.contains("{language}")) break;
        EXPECT_LT(Ask(path, token, query).status, 400U) << path;
      }
      for (const std::string& token : cast.blind) {
        Reply hidden = Ask(path, token, query);
        Reply nowhere = Ask(PathOf(route, "nosuch"), token, query);
        EXPECT_EQ(hidden.status, nowhere.status) << path;
        // A page names its own place, and has a form of this reader: their tests compare the rest.
        if (route.access == Access::kBrowse) continue;
        EXPECT_EQ(hidden.body, nowhere.body) << path;
        EXPECT_EQ(hidden.fields, nowhere.fields) << path;
        EXPECT_FALSE(hidden.body.contains("1.0.0")) << path << hidden.body;
      }
    }
  }
}

// What differs between two requests for the same page, or follows from the name that was asked for.
Reply WithoutItsOwn(Reply reply) {
  auto rename = [](std::string& text) {
    for (const auto& [from, to] : {std::pair("emca", "acme"), std::pair("EMCA", "ACME")}) {
      for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;) text.replace(at, 4, to);
    }
  };
  constexpr std::string_view kCsrf = "name=\"csrf\" value=\"";
  for (std::size_t at = 0; (at = reply.body.find(kCsrf, at)) != reply.body.npos;) {
    at += kCsrf.size();
    reply.body.erase(at, reply.body.find('"', at) - at);
  }
  rename(reply.body);
  for (auto& [name, value] : reply.fields) {
    if (name == "Set-Cookie") value = value.substr(0, value.find('='));
    rename(value);
  }
  reply.etag.clear();
  return reply;
}

TEST_F(VisibilityTest, WhatIsPrivateAndWhatIsNowhereAreAnsweredAlikeWhateverIsAsked) {
  Set(Visibility::kPrivate);
  const std::vector<std::string> queries = {
      "",          "page=0",     "page=2",  "page=x",     "limit=0",      "limit=-1",
      "offset=x",  "q=%FF",      "kind=x",  "sort=x",     "lang=klingon", "from=1.0.0",
      "raw=1",     "sig=x",      "to=x",    "below=x",    "days=0",       "constraint=x",
      "version=x", "format=x&=", "%zz=%zz", "address=%00"};
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"Accept", "application/json"}, {"Accept", "text/html"}, {"If-None-Match", "*"},
      {"Range", "bytes=0-0"},         {"If-Range", "\"x\""},   {"Cookie", "koya_session=x"},
      {"Accept-Encoding", "gzip"}};
  std::size_t compared = 0;
  auto compare = [&](Question asked, const std::string& hidden, const std::string& nowhere) {
    asked.path = hidden;
    const Reply one = WithoutItsOwn(api_.Ask(asked));
    asked.path = nowhere;
    const Reply other = WithoutItsOwn(api_.Ask(asked));
    const std::string told = fmt::format("{} ?{} {}", hidden, asked.query,
                                         asked.fields.empty() ? "" : asked.fields[0].first);
    EXPECT_EQ(one.status, other.status) << told;
    EXPECT_EQ(one.fields, other.fields) << told;
    EXPECT_EQ(one.body, other.body) << told;
    ++compared;
  };
  const std::pair<std::string, std::string> other_token{"authorization",
                                                        "Bearer " + TokenOf("other")};
  std::size_t turn = 0;
  for (const Route& route : Routes()) {
    if (!IsOfNamespace(route) || route.method != Method::kGet) continue;
    const std::string hidden = PathOf(route, "acme"), nowhere = PathOf(route, "emca");
    for (const std::string& query : queries) compare({.query = query}, hidden, nowhere);
    for (const auto& field : fields) compare({.fields = {field}}, hidden, nowhere);
    compare({.method = Method::kHead}, hidden, nowhere);
    compare({}, PathOf(route, "ACME"), PathOf(route, "EMCA"));
    compare({.query = queries[++turn % queries.size()], .fields = {other_token}}, hidden, nowhere);
  }
  EXPECT_GT(compared, 1000U);
}

TEST_F(VisibilityTest, WhatIsNotPublicIsForNoCacheOnTheWay) {
  for (Visibility visibility :
       {Visibility::kPublic, Visibility::kPrivate, Visibility::kInternal, Visibility::kPublic}) {
    Set(visibility);
    const bool open = visibility == Visibility::kPublic;
    // Twice: the second time it is at hand.
    for (int i = 0; i < 2; ++i) {
      for (const char* path : {kModuleVersions, "/v1/providers/acme/demo/versions",
                               "/v1/modules/acme/vpc/aws/1.0.0", "/v1/modules/acme/vpc/aws"}) {
        const Reply reply = Ask(path, admin_);
        EXPECT_EQ(reply.status, 200U) << path;
        EXPECT_EQ(reply.Get("Cache-Control"), open ? "no-cache" : "private, no-cache") << path;
      }
      for (const char* path : {"/v1/modules", "/v1/providers", "/v1/modules/acme/vpc"}) {
        EXPECT_EQ(Ask(path, admin_).Get("Cache-Control"), "private, no-cache") << path;
        EXPECT_EQ(Ask(path, "").Get("Cache-Control"), "no-cache") << path;
      }
    }
  }
}

TEST_F(VisibilityTest, WhatIsInternalIsForWhoeverHasAToken) {
  Set(Visibility::kInternal);
  for (const std::string& token : {api_.Token(Scope::kRead), TokenOf("other", Scope::kRead),
                                   api_.Token(Scope::kRead, {"beta"}), admin_}) {
    EXPECT_EQ(Ask(kModuleVersions, token).status, 200U);
    EXPECT_EQ(Ask(kProviderDownload, token).status, 200U);
  }
  for (const char* path : {kModuleVersions, kProviderDownload, kModuleDownload}) {
    Reply stranger = Ask(path, "");
    EXPECT_EQ(stranger.status, 404U) << path;
    EXPECT_TRUE(stranger.body.contains("sign in")) << stranger.body;
  }
}

// A change shows in documents that are kept, too.
TEST_F(VisibilityTest, DocumentsAndPagesSayWhoMayRead) {
  for (const Visibility visibility :
       {Visibility::kPublic, Visibility::kInternal, Visibility::kPrivate, Visibility::kPublic}) {
    Set(visibility);
    const std::string member = fmt::format(R"("visibility":"{}")", VisibilityName(visibility));
    for (const auto& [path, query] :
         {std::pair("/v1/modules/acme/vpc/aws", ""),
          std::pair("/v1/modules/acme/vpc/aws/1.0.0", ""), std::pair("/v1/modules", ""),
          std::pair("/modules/acme/vpc/aws.json", ""), std::pair("/v1/providers/acme/demo", ""),
          std::pair("/v1/providers/acme/demo/1.0.0", ""), std::pair("/v1/providers", ""),
          std::pair("/providers/acme/demo.json", ""), std::pair("/api/v1/search", "q=vpc")}) {
      Reply reply = Ask(path, admin_, query);
      EXPECT_EQ(reply.status, 200U) << path;
      EXPECT_TRUE(reply.body.contains(member)) << path << reply.body;
    }
    const std::string badge = fmt::format("\">{}</span>", VisibilityName(visibility));
    for (const auto& [path, query] :
         {std::pair("/modules/acme/vpc/aws", ""), std::pair("/providers/acme/demo", ""),
          std::pair("/search", "q=vpc"), std::pair("/modules", ""), std::pair("/", "")}) {
      Reply page = Ask(path, admin_, query);
      EXPECT_EQ(page.status, 200U) << path;
      EXPECT_TRUE(page.body.contains(badge)) << path;
      if (visibility == Visibility::kPublic) {
        EXPECT_FALSE(Ask(path, "", query).body.contains(badge)) << path;
      }
    }
  }
}

TEST_F(VisibilityTest, PublicThingsArePlainlyEverybodys) {
  for (const std::string& token : {std::string(), admin_, TokenOf("other")}) {
    std::string location = ModuleLocation(token);
    EXPECT_FALSE(location.contains("sig=")) << location;
    EXPECT_EQ(Follow(location).status, 200U);
    EXPECT_TRUE(Follow(location).Get("Cache-Control").starts_with("public")) << location;
  }
}

TEST_F(VisibilityTest, ADisabledAccountsTokensAreNotGood) {
  for (const char* path : {kModuleVersions, kProviderDownload, "/v1/modules"}) {
    Reply reply = Ask(path, TokenOf("gone"));
    EXPECT_EQ(reply.status, 401U) << path;
    EXPECT_TRUE(reply.body.contains("disabled")) << reply.body;
  }
}

TEST_F(VisibilityTest, AChangeOfRightsShowsAtTheNextRequest) {
  const std::string robot = TokenOf("robot");
  Set(Visibility::kPrivate);
  ASSERT_EQ(Ask(kModuleVersions, robot).status, 200U);
  ASSERT_TRUE(RunTask(api_.catalog().namespaces().RemoveGrant(Actor::Server(), "acme",
                                                              GranteeKind::kService, "robot")));
  EXPECT_EQ(Ask(kModuleVersions, robot).status, 404U);
  Set(Visibility::kPublic);
  EXPECT_EQ(Ask(kModuleVersions, robot).status, 200U);
  ASSERT_TRUE(RunTask(
      api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kService, "robot", 5)));
  EXPECT_EQ(Ask(kModuleVersions, robot).status, 401U);
  ASSERT_TRUE(RunTask(api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kService,
                                                            "robot", std::nullopt)));
  EXPECT_EQ(Ask(kModuleVersions, robot).status, 200U);
}

TEST_F(VisibilityTest, ListingsLeaveOutWhatOneMayNotKnowOf) {
  api_.token = admin_;
  ASSERT_EQ(api_.Publish("beta/vpc/aws", "1.0.0", ModuleArchive()).status, 201U);
  api_.token.clear();
  Set(Visibility::kPrivate);
  for (const char* path : {"/v1/modules", "/v1/modules/acme", "/v1/modules/acme/vpc"}) {
    EXPECT_FALSE(Ask(path, "").body.contains("acme/vpc")) << path;
    EXPECT_FALSE(Ask(path, TokenOf("other")).body.contains("acme/vpc")) << path;
    EXPECT_TRUE(Ask(path, TokenOf("robot")).body.contains("acme/vpc")) << path;
    EXPECT_TRUE(Ask(path, admin_).body.contains("acme/vpc")) << path;
  }
  EXPECT_TRUE(Ask("/v1/modules", "").body.contains("beta/vpc"));
  EXPECT_FALSE(Ask("/v1/modules/search", "", "q=acme").body.contains("acme/vpc"));
  EXPECT_FALSE(Ask("/v1/providers", "").body.contains("acme/demo"));
  EXPECT_TRUE(Ask("/v1/providers", TokenOf("ann")).body.contains("acme/demo"));
  EXPECT_FALSE(Ask("/v1/providers/search", "", "q=demo").body.contains("acme/demo"));
  EXPECT_FALSE(Ask("/v1/providers/acme", "").body.contains("acme/demo"));
}

// ---- capability URLs

TEST_F(VisibilityTest, APrivateThingsLocationOpensItWithoutAToken) {
  Set(Visibility::kPrivate);
  for (int i = 0; i < 2; ++i) {
    Reply download = Ask(kModuleDownload, TokenOf("robot"));
    EXPECT_EQ(download.Get("Cache-Control"), "private, no-store");
    std::string location = download.Get("X-Terraform-Get");
    Reply archive = Follow(location);
    EXPECT_EQ(archive.status, 200U) << archive.body;
    EXPECT_TRUE(archive.Get("Cache-Control").starts_with("private")) << "not for other caches";
    EXPECT_EQ(Follow(location, "", Method::kHead).status, 200U) << "clients ask so first";
    EXPECT_EQ(Follow(location).status, 200U) << "as often as one likes";
  }
  Reply download = Ask(kProviderDownload, TokenOf("ann"));
  EXPECT_EQ(download.Get("Cache-Control"), "private, no-store");
  auto provider = wire::DecodeProviderDownload(download.body).value();
  for (const std::string& url :
       {provider.download_url, provider.shasums_url, provider.shasums_signature_url}) {
    EXPECT_EQ(Follow(url).status, 200U) << url;
    EXPECT_EQ(Follow(url.substr(0, url.find('?'))).status, 404U) << "without its query";
  }
}

TEST_F(VisibilityTest, ADirectLocationOpensAPrivateModuleWithoutAToken) {
  api_.module_location = ModuleLocationForm::kDirect;
  api_.SettleMirror();
  Set(Visibility::kPrivate);
  Question question;
  question.path = kModuleDownload;
  question.fields = {{"Authorization", "Bearer " + TokenOf("robot")},
                     {"User-Agent", "OpenTofu/1.12.6"}};
  for (int kept = 0; kept < 2; ++kept) {
    const Reply download = api_.Ask(question);
    EXPECT_EQ(download.Get("Cache-Control"), "private, no-store");
    EXPECT_TRUE(download.body.contains("\"use_registry_credentials\":false")) << download.body;
    const std::string location = wire::DecodeModuleLocation(download.body).value();
    EXPECT_FALSE(location.contains("checksum")) << "OpenTofu sends the query as it stands";
    EXPECT_EQ(Follow(location).status, 200U) << location;
    EXPECT_EQ(Follow(location.substr(0, location.find('?'))).status, 404U);
  }
}

TEST_F(VisibilityTest, TwoCallersNeverGetEachOthersLocation) {
  Set(Visibility::kPrivate);
  const std::string one = TokenOf("robot");
  const std::string two = TokenOf("ann");
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(ModuleLocation(one), ModuleLocation(two));
    EXPECT_NE(Ask(kProviderDownload, one).body, Ask(kProviderDownload, two).body);
    EXPECT_NE(Ask(kProviderDownload, one).etag, Ask(kProviderDownload, two).etag);
  }
}

TEST_F(VisibilityTest, ALocationEndsWithItsTimeAndWithWhoeverItWasFor) {
  Set(Visibility::kPrivate);
  const std::string robot = TokenOf("robot");
  std::string location = ModuleLocation(robot);
  ASSERT_TRUE(RunTask(api_.catalog().namespaces().RemoveGrant(Actor::Server(), "acme",
                                                              GranteeKind::kService, "robot")));
  EXPECT_EQ(Follow(location).status, 403U) << "the grant is gone";
  Grant(GranteeKind::kService, "robot", Role::kReader);
  EXPECT_EQ(Follow(location).status, 200U);
  ASSERT_TRUE(RunTask(
      api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kService, "robot", 5)));
  EXPECT_EQ(Follow(location).status, 403U) << "the account is disabled";
  ASSERT_TRUE(RunTask(api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kService,
                                                            "robot", std::nullopt)));
  EXPECT_EQ(Follow(location).status, 200U);
  api_.clock.now += 2000;
  Reply old = Follow(location);
  EXPECT_EQ(old.status, 403U) << "its time is over";
  location = ModuleLocation(robot);
  ASSERT_TRUE(RunTask(
      api_.catalog().accounts().RemoveAccount(Actor::Server(), AccountKind::kService, "robot")));
  EXPECT_EQ(Follow(location).status, 403U) << "the token is gone";
}

TEST_F(VisibilityTest, AnAlteredLocationOpensNothing) {
  Set(Visibility::kPrivate);
  const std::string location = ModuleLocation(TokenOf("robot"));
  std::string altered = location;
  altered.back() = altered.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(Follow(altered).status, 403U);
  auto provider = wire::DecodeProviderDownload(Ask(kProviderDownload, TokenOf("ann")).body).value();
  std::string query = provider.download_url.substr(provider.download_url.find('?'));
  EXPECT_EQ(Follow(location.substr(0, location.find('?')) + query).status, 403U) << "another path";
  EXPECT_EQ(Follow(location + "&" + query.substr(1)).status, 403U) << "twice";
  EXPECT_EQ(Follow(location + "&more=x").status, 200U) << "what else stands there does not matter";
}

// A caller that is denied with a URL signed here is identified: the audit log names it.
TEST_F(VisibilityTest, WhoIsRefusedWithALocationIsNamed) {
  Set(Visibility::kPrivate);
  const std::string ended = ModuleLocation(TokenOf("robot"));
  const std::string revoked = ModuleLocation(api_.Token(Scope::kAdmin));
  api_.clock.now += 2000;
  const std::string disabled = ModuleLocation(TokenOf("ann"));
  const std::string hidden = ModuleLocation(TokenOf("root"));
  EXPECT_EQ(Follow(ended, admin_).status, 403U) << "whoever else sends it";
  ASSERT_TRUE(RunTask(
      api_.catalog().accounts().SetDisabled(Actor::Server(), AccountKind::kUser, "ann", 5)));
  EXPECT_EQ(Follow(disabled).status, 403U);
  std::string altered = hidden;
  altered.back() = altered.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(Follow(altered).status, 403U);
  const std::vector<TokenRecord> tokens = RunTask(api_.catalog().tokens().ListTokens()).value();
  for (const TokenRecord& each : tokens) {
    if (each.name != "t2") continue;
    ASSERT_TRUE(
        RunTask(api_.catalog().tokens().RevokeToken(Actor::Server(), each.name, each.secret)));
  }
  EXPECT_EQ(Follow(revoked).status, 403U);
  api_.WriteAudit();
  AuditFilter denials;
  denials.kind = AuditKind::kDenied;
  std::map<std::string, std::uint64_t> counts;
  for (const AuditRecord& each : RunTask(api_.catalog().audit().ListAudit(denials, 100)).value()) {
    EXPECT_TRUE(each.entry.after.starts_with(R"({"status":403)")) << each.entry.after;
    counts[each.entry.by.name] += each.entry.count;
  }
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(counts, (Counts{{"", 2}, {"service:robot", 1}, {"user:ann", 1}}))
      << "nobody has what was altered, nor a token that is no more";
}

// ---- without anonymous reading

class NoStrangersTest : public VisibilityTest {
 protected:
  void SetUp() override {
    api_.access.anonymous_read = false;
    api_.SettleMirror();
    VisibilityTest::SetUp();
  }
};

TEST_F(NoStrangersTest, EverythingButDiscoveryWantsAToken) {
  for (const Route& route : Routes()) {
    const bool is_get = route.method == http::Method::kGet;
    if (!IsReading(route.access) || !is_get || route.pattern == "/") continue;
    for (const char* ns : {"acme", "nosuch"}) {
      Reply reply = Ask(PathOf(route, ns), "");
      if (route.pattern.starts_with("/-/admin")) {  // only administrators have it anyway
        EXPECT_EQ(reply.status, 303U) << route.pattern << ns;
        EXPECT_TRUE(reply.Get("Location").starts_with("/login")) << reply.Get("Location");
        continue;
      }
      EXPECT_EQ(reply.status, 401U) << route.pattern << ns;
      EXPECT_TRUE(reply.body.contains("sign in")) << reply.body;
      EXPECT_EQ(reply.body, Ask(PathOf(route, "nosuch"), "").body) << route.pattern;
    }
  }
  EXPECT_EQ(Ask("/.well-known/terraform.json", "").status, 200U);
  EXPECT_EQ(Ask("/there/is/no/such/route", "").status, 401U);
  EXPECT_EQ(Ask("/there/is/no/such/route", admin_).status, 404U);
}

TEST_F(NoStrangersTest, WhoeverHasATokenReadsWhatIsPublicAndIsGivenLocationsThatOpen) {
  const std::string reader = api_.Token(Scope::kRead);
  EXPECT_EQ(Ask(kModuleVersions, reader).status, 200U);
  std::string location = ModuleLocation(reader);
  EXPECT_TRUE(location.contains("sig=")) << location;
  EXPECT_EQ(Follow(location).status, 200U);
  EXPECT_EQ(Follow(location.substr(0, location.find('?'))).status, 401U);
}

// ---- what comes from other registries

TEST_F(VisibilityTest, TheMirrorHasAVisibilityOfItsOwn) {
  const std::string index = "/mirror/registry.example.org/acme/demo/index.json";
  ASSERT_EQ(Ask(index, "").status, 200U);
  const std::string docs = "/api/v1/mirror/providers/registry.example.org/acme/demo/1.0.0/docs";
  const std::string page = docs + "/resources/thing";
  api_.mirror_docs = true;
  api_.SettleMirror();
  ASSERT_EQ(Ask(docs, "").status, 200U);
  ASSERT_EQ(Ask(page, "").status, 200U);
  api_.access.mirror = Visibility::kInternal;
  api_.SettleMirror();
  EXPECT_EQ(Ask(index, "").status, 404U);
  EXPECT_EQ(Ask(docs, "").status, 404U) << "though it is kept";
  EXPECT_EQ(Ask(page, "").status, 404U);
  EXPECT_EQ(Ask("/api/v1/mirror/providers", "").status, 404U);
  EXPECT_EQ(Ask("/api/v1/mirror/status", "").status, 404U);
  const std::string reader = api_.Token(Scope::kRead);
  EXPECT_EQ(Ask(index, reader).status, 200U);
  EXPECT_EQ(Ask("/api/v1/mirror/providers", reader).status, 200U);
  EXPECT_EQ(Ask("/api/v1/mirror/status", reader).status, 200U);
  EXPECT_EQ(Ask(docs, reader).status, 200U);
  EXPECT_EQ(Ask(page, reader).status, 200U);
}

}  // namespace
}  // namespace koya::api
