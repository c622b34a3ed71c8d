// Sign-in providers and trusted publishing, from the outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "api/common/cookies.h"
#include "archive/archive_builder_fake.h"
#include "base/run_task.h"
#include "catalog/audit_catalog.h"
#include "domain/audit_record.h"
#include "wire/identity.h"
#include "wire/modules.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"
#include "wire/tokens.h"

namespace koya::api {
namespace {

using http::Method;

class IdentityApiTest : public testing::Test {
 protected:
  IdentityApiTest() { api_.token = root_; }

  Reply Send(Method method, std::string path, std::string body = {}, std::string token = "root") {
    Question question{.method = method, .path = std::move(path), .body = std::move(body)};
    std::string kept = std::exchange(api_.token, "");
    if (token == "root") token = root_;
    if (!token.empty()) question.fields.emplace_back("Authorization", "Bearer " + token);
    Reply reply = api_.Ask(question);
    api_.token = std::move(kept);
    return reply;
  }
  void AddProvider() {
    const wire::IdentityProvider provider{.name = "corp",
                                          .issuer = "https://id.example.com",
                                          .client_id = "koya",
                                          .client_secret = "s3cret"};
    ASSERT_EQ(Send(Method::kPost, "/api/v1/idps", wire::Encode(provider)).status, 201u);
  }
  void AddEnabledProvider() {
    AddProvider();
    ASSERT_EQ(Send(Method::kPost, "/api/v1/idps/corp/test").status, 200u);
  }
  // As a browser, with one cookie.
  Reply Browse(std::string path, std::string query = {}, std::string cookie = {}) {
    Question question{.path = std::move(path), .query = std::move(query), .fields = {}};
    question.fields.emplace_back("Accept", "text/html");
    if (!cookie.empty()) question.fields.emplace_back("Cookie", std::move(cookie));
    std::string kept = std::exchange(api_.token, "");
    Reply reply = api_.Ask(question);
    api_.token = std::move(kept);
    return reply;
  }
  // "NAME=VALUE" of a cookie that was set, or "".
  static std::string CookieOf(const Reply& reply, std::string_view name) {
    for (const auto& [field, value] : reply.fields) {
      if (field == "Set-Cookie" && value.starts_with(fmt::format("{}=", name))) {
        return value.substr(0, value.find(';'));
      }
    }
    return {};
  }
  static std::string Parameter(const std::string& url, std::string_view name) {
    const std::size_t at = url.find(fmt::format("&{}=", name)) + name.size() + 2;
    return url.substr(at, url.find('&', at) - at);
  }
  // What the page of a failed sign-in says.
  static std::string ProblemIn(const Reply& reply) {
    const std::size_t begin = reply.body.find("id=\"problem\"");
    if (begin == reply.body.npos) return {};
    return reply.body.substr(begin, reply.body.find("</div>", begin) - begin);
  }
  // As ada@example.com, who has an account there: the response of the page that they come back to.
  Reply SignInElsewhere() {
    const Reply begun = Browse("/-/oidc/corp/start", "to=%2Fabc");
    const std::string location = begun.Get("Location");
    api_.issuers.answer = fmt::format(R"({{"id_token":"{}"}})",
                                      api_.issuers.Token(ClaimsOf(fmt::format(
                                          R"("aud":"koya","nonce":"{}","email":"ada@example.com")",
                                          Parameter(location, "nonce")))));
    return Browse("/-/oidc/corp/callback",
                  fmt::format("code=c&state={}", Parameter(location, "state")),
                  CookieOf(begun, kOidcCookie));
  }
  std::string ClaimsOf(std::string_view more) const {
    return fmt::format(R"({{"iss":"https://id.example.com","sub":"42","exp":{},"iat":{},{}}})",
                       api_.clock.Now() + 300, api_.clock.Now(), more);
  }
  Reply Exchange(std::string_view ns, std::string_view ref = "refs/heads/main") {
    const std::string token = api_.issuers.Token(ClaimsOf(fmt::format(
        R"("aud":"https://registry.example.com","repository":"acme/infra","ref":"{}")", ref)));
    return Send(Method::kPost, "/api/v1/oidc/exchange",
                wire::Encode<wire::TokenExchange>({token, std::string(ns)}), "");
  }

  ApiFixture api_;
  std::string root_ = api_.Token(Scope::kAdmin);
};

TEST_F(IdentityApiTest, ProvidersAreAddedShownTestedAndRemoved) {
  AddProvider();
  const Reply listed = Send(Method::kGet, "/api/v1/idps");
  EXPECT_EQ(listed.status, 200u);
  EXPECT_FALSE(listed.body.contains("s3cret"));
  const auto providers = wire::Decode<wire::IdentityProviderList>(listed.body).value().items;
  ASSERT_EQ(providers.size(), 1u);
  EXPECT_FALSE(providers[0].enabled);
  EXPECT_FALSE(Browse("/login").body.contains("/-/oidc/corp/start"));
  const Reply refused = Browse("/-/oidc/corp/start");
  EXPECT_EQ(refused.status, 403u);
  EXPECT_TRUE(ProblemIn(refused).contains("is disabled")) << refused.body;
  EXPECT_TRUE(providers[0].callback.ends_with("/-/oidc/corp/callback"));
  const Reply tested = Send(Method::kPost, "/api/v1/idps/corp/test");
  EXPECT_EQ(tested.status, 200u);
  EXPECT_TRUE(wire::Decode<wire::IdentityProviderReport>(tested.body)->ok) << tested.body;
  EXPECT_TRUE(wire::Decode<wire::IdentityProviderReport>(tested.body)->enabled) << tested.body;
  EXPECT_TRUE(Browse("/login").body.contains("/-/oidc/corp/start"));
  const Reply disabled = Send(Method::kPost, "/api/v1/idps/corp/disable");
  EXPECT_EQ(disabled.status, 200u);
  EXPECT_FALSE(wire::Decode<wire::IdentityProvider>(disabled.body)->enabled) << disabled.body;
  EXPECT_FALSE(Browse("/login").body.contains("/-/oidc/corp/start"));
  EXPECT_EQ(Send(Method::kPost, "/api/v1/idps/none/disable").status, 404u);
  api_.issuers.down = true;
  EXPECT_FALSE(
      wire::Decode<wire::IdentityProviderReport>(Send(Method::kPost, "/api/v1/idps/corp/test").body)
          ->ok);
  EXPECT_EQ(Send(Method::kPost, "/api/v1/admin/reseal").body,
            R"({"renewed":0,"current":1,"lost":[]})");
  EXPECT_EQ(Send(Method::kDelete, "/api/v1/idps/corp").status, 204u);
  EXPECT_EQ(Send(Method::kDelete, "/api/v1/idps/corp").status, 404u);
  EXPECT_EQ(Send(Method::kPost, "/api/v1/idps/corp/test").status, 404u);
  EXPECT_EQ(Send(Method::kPost, "/api/v1/idps", "{}").status, 400u);
}

TEST_F(IdentityApiTest, SomebodySignsInElsewhere) {
  AddEnabledProvider();
  const Reply page = Browse("/login", "to=%2Fabc");
  EXPECT_TRUE(page.body.contains("/-/oidc/corp/start?to&#x3D;%2Fabc") ||
              page.body.contains("/-/oidc/corp/start?to=%2Fabc"))
      << page.body;
  const Reply begun = Browse("/-/oidc/corp/start", "to=%2Fabc");
  EXPECT_EQ(begun.status, 303u);
  const std::string location = begun.Get("Location");
  EXPECT_TRUE(location.starts_with("https://id.example.com/authorize?")) << location;
  const std::string cookie = CookieOf(begun, kOidcCookie);
  ASSERT_FALSE(cookie.empty());

  api_.issuers.answer = fmt::format(R"({{"id_token":"{}"}})",
                                    api_.issuers.Token(ClaimsOf(fmt::format(
                                        R"("aud":"koya","nonce":"{}","email":"ada@example.com")",
                                        Parameter(location, "nonce")))));
  const std::string query = fmt::format("code=c&state={}", Parameter(location, "state"));
  const Reply stranger = Browse("/-/oidc/corp/callback", query);
  EXPECT_EQ(stranger.status, 401u);
  EXPECT_TRUE(CookieOf(stranger, kSessionCookie).empty());
  const Reply finished = Browse("/-/oidc/corp/callback", query, cookie);
  ASSERT_EQ(finished.status, 303u) << finished.body;
  EXPECT_EQ(finished.Get("Location"), "/abc");
  const std::string session = CookieOf(finished, kSessionCookie);
  ASSERT_FALSE(session.empty());
  EXPECT_EQ(CookieOf(finished, kOidcCookie), fmt::format("{}=", kOidcCookie));
  EXPECT_TRUE(Browse("/", "", session).body.contains("ada@example.com"));
  EXPECT_TRUE(Send(Method::kGet, "/api/v1/sessions").body.contains(R"("oidc:corp")"));
}

TEST_F(IdentityApiTest, WhoSignsInElsewhereHasADeviceMark) {
  AddEnabledProvider();
  const Reply finished = SignInElsewhere();
  ASSERT_EQ(finished.status, 303u) << finished.body;
  const std::string mark = CookieOf(finished, kDeviceCookie);
  EXPECT_EQ(mark.size(), std::string_view(kDeviceCookie).size() + 1 + 75) << mark;
}

// Bug: the page said that the provider had failed, which had done all it should.
TEST_F(IdentityApiTest, OfAnAccountThatIsDisabledThePageSaysWhatItSaysOfAWrongPassword) {
  AddEnabledProvider();
  ASSERT_EQ(SignInElsewhere().status, 303u);
  ASSERT_EQ(Send(Method::kPost, "/api/v1/users/ada@example.com/disable", "{}").status, 200u);
  const Reply refused = SignInElsewhere();
  EXPECT_EQ(refused.status, 401u);
  EXPECT_TRUE(CookieOf(refused, kSessionCookie).empty());
  EXPECT_TRUE(CookieOf(refused, kDeviceCookie).empty());
  FakeBrowser browser(api_);
  const Reply wrong = browser.SignIn("ada@example.com", "a wrong password");
  EXPECT_EQ(wrong.status, 401u);
  EXPECT_EQ(ProblemIn(refused), ProblemIn(wrong));
  EXPECT_TRUE(ProblemIn(refused).contains("incorrect")) << refused.body;
  EXPECT_FALSE(refused.body.contains("disabled"));
  EXPECT_FALSE(refused.body.contains("ada@example.com"));
  EXPECT_TRUE(refused.body.contains("/-/oidc/corp/start")) << "there may be another account";
}

TEST_F(IdentityApiTest, ProvidersThatFailBreakNoPassword) {
  AddEnabledProvider();
  api_.issuers.down = true;
  const Reply begun = Browse("/-/oidc/corp/start", "to=%2Fabc");
  EXPECT_EQ(begun.status, 502u);
  EXPECT_TRUE(begun.body.contains(R"(name="password")"));
  EXPECT_TRUE(begun.body.contains(R"(value="/abc")") || begun.body.contains("&#x2F;abc"));
  EXPECT_EQ(Browse("/login").status, 200u);
  EXPECT_EQ(Browse("/-/oidc/none/start").status, 404u);
  EXPECT_EQ(Browse("/-/oidc/none/callback", "code=c&state=s").status, 404u);
  EXPECT_EQ(Browse("/-/oidc/corp/callback", "code=c&state=s").status, 401u);
  EXPECT_EQ(Browse("/-/oidc/corp/callback", "code=c&code=d").status, 400u);
  for (std::string_view to : {"https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil"}) {
    api_.issuers.down = false;
    const Reply open = Browse("/-/oidc/corp/start", fmt::format("to={}", to));
    EXPECT_EQ(open.status, 303u);
    EXPECT_FALSE(open.Get("Location").contains("evil"));
  }
}

TEST_F(IdentityApiTest, WhoIsRefusedIsInTheAuditLog) {
  AddEnabledProvider();
  ASSERT_EQ(SignInElsewhere().status, 303u);
  ASSERT_EQ(Send(Method::kPost, "/api/v1/users/ada@example.com/disable", "{}").status, 200u);
  EXPECT_EQ(SignInElsewhere().status, 401u);
  EXPECT_EQ(Browse("/-/oidc/corp/callback", "code=c&state=s").status, 401u);
  EXPECT_EQ(Exchange("acme").status, 403u);
  api_.issuers.down = true;
  EXPECT_EQ(Browse("/-/oidc/corp/start").status, 502u) << "which denies nobody anything";
  api_.WriteAudit();
  AuditFilter denials;
  denials.kind = AuditKind::kDenied;
  std::map<std::string, std::uint64_t> counts;
  for (const AuditRecord& each : RunTask(api_.catalog().audit().ListAudit(denials, 100)).value()) {
    EXPECT_EQ(each.entry.by.name, "");
    counts[fmt::format("{} {}", each.entry.action, each.entry.after)] += each.entry.count;
  }
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(counts, (Counts{{R"(GET /-/oidc/… {"status":401})", 2},
                            {R"(POST /api/v1/oidc/… {"status":403})", 1}}));
}

TEST_F(IdentityApiTest, AJobPublishesAndItsReleaseSaysSo) {
  ASSERT_EQ(Send(Method::kPut, "/api/v1/namespaces/acme", R"({"visibility":"public"})").status,
            201u);
  const std::string trust = "/api/v1/namespaces/acme/trust";
  EXPECT_EQ(Exchange("acme").status, 403u);
  const Reply added =
      Send(Method::kPost, trust, R"({"issuer":"https://id.example.com","github":"acme/infra"})");
  ASSERT_EQ(added.status, 201u) << added.body;
  EXPECT_EQ(Send(Method::kPost, trust, R"({"github":"*/infra"})").status, 400u);
  EXPECT_EQ(wire::Decode<wire::TrustList>(Send(Method::kGet, trust).body)->items.size(), 1u);

  const Reply exchanged = Exchange("acme");
  ASSERT_EQ(exchanged.status, 201u) << exchanged.body;
  const auto token = wire::Decode<wire::ExchangedToken>(exchanged.body).value();
  EXPECT_EQ(token.ns, "acme");
  api_.token = token.token;
  ASSERT_EQ(api_.Publish("acme/vpc/aws", "1.0.0", ModuleArchive()).status, 201u);
  EXPECT_EQ(api_.Publish("beta/vpc/aws", "1.0.0", ModuleArchive()).status, 403u);
  EXPECT_EQ(api_.Withdraw("acme/vpc/aws", "1.0.0", "no").status, 403u);
  api_.token = root_;
  const auto shown =
      wire::Decode<wire::ModuleDetails>(api_.Get("/v1/modules/acme/vpc/aws/1.0.0").body).value();
  EXPECT_EQ(shown.provenance.at("repository"), "acme/infra");
  EXPECT_TRUE(shown.owner.starts_with("ci-"));
  const Reply badge = api_.Get("/-/badges/modules/acme/vpc/aws.verified.svg");
  EXPECT_TRUE(badge.body.contains("provenance: id.example.com")) << badge.body;

  // It is valid once; its owners see the resulting token, and revoke it.
  const Reply again = Exchange("acme");
  EXPECT_EQ(again.status, 403u);
  EXPECT_TRUE(again.body.contains("was already used in that namespace")) << again.body;
  const auto tokens =
      wire::Decode<wire::TokenList>(Send(Method::kGet, trust + "/tokens").body).value().items;
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0].name, shown.owner);
  EXPECT_EQ(tokens[0].token, "");
  EXPECT_EQ(Send(Method::kGet, trust + "/tokens", "", token.token).status, 403u);
  EXPECT_EQ(Send(Method::kDelete, trust + "/tokens/" + tokens[0].name).status, 204u);
  EXPECT_EQ(Send(Method::kDelete, trust + "/tokens/" + tokens[0].name).status, 404u);
  api_.token = token.token;
  EXPECT_EQ(api_.Publish("acme/vpc/aws", "1.0.1", ModuleArchive()).status, 401u);
  api_.token = root_;

  const std::string id = wire::Decode<wire::Trust>(added.body)->id;
  EXPECT_EQ(Send(Method::kDelete, trust + "/" + id).status, 204u);
  EXPECT_EQ(Send(Method::kDelete, trust + "/" + id).status, 404u);
  EXPECT_EQ(Exchange("acme").status, 403u);
}

TEST_F(IdentityApiTest, AJobPublishesAProviderAndItsReleaseSaysSo) {
  ASSERT_EQ(Send(Method::kPut, "/api/v1/namespaces/acme", R"({"visibility":"public"})").status,
            201u);
  ASSERT_EQ(Send(Method::kPost, "/api/v1/namespaces/acme/trust",
                 R"({"issuer":"https://id.example.com","github":"acme/infra"})")
                .status,
            201u);
  const std::string token = wire::Decode<wire::ExchangedToken>(Exchange("acme").body)->token;
  const std::string release = "/api/v1/providers/acme/demo/1.0.0/drafts";
  const auto draft =
      wire::Decode<wire::Draft>(Send(Method::kPost, release, "", token).body).value();
  const std::string name = "terraform-provider-demo_1.0.0_linux_amd64.zip";
  ASSERT_EQ(Send(Method::kPut, fmt::format("{}/{}/files/{}", release, draft.id, name),
                 Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "x"}}), token)
                .status,
            200u);
  const std::string commit = fmt::format("{}/{}/commit", release, draft.id);
  ASSERT_EQ(Send(Method::kPost, commit, R"({"sign":true})", token).status, 201u);
  for (std::string_view path : {"/v1/providers/acme/demo/1.0.0", "/v1/providers/acme/demo"}) {
    const auto shown =
        wire::Decode<wire::ProviderDetails>(api_.Get(std::string(path)).body).value();
    EXPECT_EQ(shown.provenance.at("repository"), "acme/infra") << path;
    EXPECT_EQ(shown.provenance.at("ref"), "refs/heads/main");
    EXPECT_FALSE(shown.provenance.contains("exp")) << "what says nothing of the job is not kept";
    EXPECT_TRUE(shown.owner.starts_with("ci-")) << shown.owner;
  }
  EXPECT_FALSE(api_.Get("/v1/providers/acme/demo/versions").body.contains("provenance"))
      << "the protocol's own document";
}

// Who publishes in a namespace that takes versions from CI only, and what the response says.
TEST_F(IdentityApiTest, OnlyJobsPublishWhereANamespaceSaysSo) {
  ASSERT_EQ(Send(Method::kPut, "/api/v1/namespaces/acme", R"({"publish":"ci-only"})").status, 201u);
  ASSERT_EQ(Send(Method::kPost, "/api/v1/namespaces/acme/trust",
                 R"({"issuer":"https://id.example.com","github":"acme/infra"})")
                .status,
            201u);
  const std::string job = wire::Decode<wire::ExchangedToken>(Exchange("acme").body)->token;
  const std::string publisher = api_.Token(Scope::kPublish);
  const std::string owner = api_.Token(Scope::kAdmin, {"acme"});
  struct Row {
    const std::string& token;
    std::optional<std::string> reason;
    unsigned status;
    std::string_view says;
  };
  const Row rows[] = {
      {publisher, std::nullopt, 403, "koya trust list acme"},
      {owner, std::nullopt, 403, "takes versions from CI only"},
      {root_, std::nullopt, 403, "--break-glass"},
      {root_, "", 403, "--break-glass"},
      {publisher, "please", 403, "for administrators"},
      {owner, "please", 403, "no namespace patterns"},
      {root_, "a%0Ab%07", 400, "plain text"},
      {root_, std::string(257, 'a'), 400, "256 bytes"},
      {job, std::nullopt, 201, "1.0.0"},
      {root_, "CI%20is%20down%3A%20%C3%BC", 201, "1.0.1"},
  };
  for (const Row& row : rows) {
    for (const std::string_view path :
         {"/api/v1/modules/acme/vpc/aws/{}", "/api/v1/providers/acme/demo/{}/drafts"}) {
      const bool module = path.contains("modules");
      Question question{.method = module ? Method::kPut : Method::kPost,
                        .path = std::string(path),
                        .fields = {{"Authorization", "Bearer " + row.token}},
                        .body = module ? ModuleArchive() : ""};
      question.path.replace(question.path.find("{}"), 2, row.token == job ? "1.0.0" : "1.0.1");
      if (row.reason) question.fields.emplace_back("Koya-Break-Glass", *row.reason);
      const Reply reply = api_.Ask(question);
      EXPECT_EQ(reply.status, row.status) << path << " " << reply.body;
      EXPECT_TRUE(reply.body.contains(row.says)) << path << " " << reply.body;
    }
  }
  // Versions that are there are managed as before.
  api_.token = owner;
  EXPECT_EQ(api_.Withdraw("acme/vpc/aws", "1.0.1", "no").status, 204u);
  AuditFilter of_rule;
  of_rule.action = "namespace.break_glass";
  const auto entries = RunTask(api_.catalog().audit().ListAudit(of_rule, 10)).value();
  ASSERT_EQ(entries.size(), 1u) << "a draft alone overrides nothing";
  EXPECT_EQ(entries[0].entry.target, "module:acme/vpc/aws@1.0.1");
  EXPECT_EQ(entries[0].entry.ns, "acme");
  EXPECT_EQ(entries[0].entry.after, "{\"reason\":\"CI is down: ü\"}");
}

TEST_F(IdentityApiTest, EveryStepOfADraftNeedsTheReason) {
  ASSERT_EQ(Send(Method::kPut, "/api/v1/namespaces/acme", R"({"visibility":"public"})").status,
            201u);
  const std::string drafts = "/api/v1/providers/acme/demo/1.0.0/drafts";
  auto step = [&](Method method, const std::string& path, std::string body, std::string reason) {
    Question question{.method = method,
                      .path = drafts + path,
                      .fields = {{"Authorization", "Bearer " + root_}},
                      .body = std::move(body)};
    if (!reason.empty()) question.fields.emplace_back("Koya-Break-Glass", std::move(reason));
    return api_.Ask(question);
  };
  const std::string id =
      "/" + wire::Decode<wire::Draft>(step(Method::kPost, "", "", "").body).value().id;
  // The rule is set while the draft is open.
  ASSERT_EQ(Send(Method::kPut, "/api/v1/namespaces/acme", R"({"publish":"ci-only"})").status, 200u);
  const std::string file = id + "/files/terraform-provider-demo_1.0.0_linux_amd64.zip";
  const std::string zip = Zip({{.name = "terraform-provider-demo_v1.0.0", .content = "x"}});
  const std::string sign = R"({"sign":true})";
  EXPECT_EQ(step(Method::kPut, file, zip, "").status, 403u);
  EXPECT_EQ(step(Method::kPut, file, zip, "CI is down").status, 200u);
  EXPECT_EQ(step(Method::kPost, id + "/commit", sign, "").status, 403u);
  AuditFilter of_rule;
  of_rule.action = "namespace.break_glass";
  EXPECT_TRUE(RunTask(api_.catalog().audit().ListAudit(of_rule, 10)).value().empty());
  EXPECT_EQ(step(Method::kPost, id + "/commit", sign, "CI is down").status, 201u);
  const auto entries = RunTask(api_.catalog().audit().ListAudit(of_rule, 10)).value();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].entry.target, "provider:acme/demo@1.0.0");
}

TEST_F(IdentityApiTest, BadExchangesAreRefused) {
  for (std::string_view body : {"", "[]", "{}", R"({"token":"a"})", R"({"namespace":"acme"})"}) {
    EXPECT_EQ(Send(Method::kPost, "/api/v1/oidc/exchange", std::string(body), "").status, 400u)
        << body;
  }
  EXPECT_EQ(Send(Method::kPost, "/api/v1/oidc/exchange", R"({"token":"a","namespace":"acme"})", "")
                .status,
            401u);
  EXPECT_EQ(Exchange("nowhere").status, 403u);
  EXPECT_TRUE(api_.issuers.asked.empty());
}

}  // namespace
}  // namespace koya::api
