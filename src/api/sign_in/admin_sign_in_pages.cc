// Sign-in providers, for administrators: adds, tests, enables and disables them.
#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/cookies.h"
#include "api/common/query.h"
#include "api/sign_in/oidc_sign_in.h"
#include "domain/identity_record.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/provider_sign_in.h"
#include "web/access/sign_in_pages.h"
#include "web/common/admin_parts.h"

namespace koya::api {
namespace {

Task<web::AdminProviderPage> ProviderPageOf(Call& call) {
  ASSIGN_OR_CO_RETURN(
      IdentityProviderRecord record,
      co_await call.services.identity.providers.FindProvider(std::string(call.path("name"))));
  std::string callback = OidcCallbackOf(call.services, record.name);
  co_return web::AdminProviderPage{
      .provider = std::move(record), .callback = std::move(callback), .findings = {}};
}

void KeepSome(std::vector<std::string>& groups) {
  if (groups.size() > web::AdminTrialPage::kMostGroups) {
    groups.resize(web::AdminTrialPage::kMostGroups);
  }
}

Task<std::string> ShowSignInProviders(AdminPage& page) {
  web::AdminProvidersPage shown{.name = page.form.Get("name"),
                                .issuer = page.form.Get("issuer"),
                                .client_id = page.form.Get("client_id"),
                                .groups_claim = page.form.Get("groups_claim"),
                                .groups = web::WithPlainLines(page.form.Get("groups")),
                                .errors = page.errors};
  ASSIGN_OR_CO_RETURN(shown.providers, co_await page.services.identity.providers.List(page.by));
  co_return web::RenderAdminProviders(page.visit.Frame(), shown);
}

std::string SignInProviderPath(std::string_view name) {
  return web::AdminPath(web::AdminTab::kSignIn, name);
}

// Adds the errors of the form.
service::NewIdentityProvider ReadNewProvider(AdminPage& page) {
  service::NewIdentityProvider provider{.name = page.form.Get("name"),
                                        .issuer = page.form.Get("issuer"),
                                        .client_id = page.form.Get("client_id"),
                                        .client_secret = page.form.Get("client_secret"),
                                        .groups_claim = page.form.Get("groups_claim")};
  for (const char* name : {"name", "issuer", "client_id"}) {
    if (page.form.Get(name).empty()) page.errors.Add(name, "required");
  }
  for (const std::string& line : SplitField(page.form.Get("groups"), "\r\n")) {
    const std::size_t equals = line.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == line.size()) {
      page.errors.Add("groups", "group_maps");
      break;
    }
    provider.groups.push_back({line.substr(0, equals), line.substr(equals + 1)});
  }
  return provider;
}

Task<Outcome> AddSignInProvider(AdminPage& page) {
  service::NewIdentityProvider wanted = ReadNewProvider(page);
  if (!page.errors.empty()) co_return kFormAgain;
  Result<IdentityProviderRecord> added =
      co_await page.services.identity.providers.Add(page.by, std::move(wanted));
  if (!added) co_return page.Reject("", added.error());
  page.Log("sign-in provider added", "provider", added->name);
  co_return page.Done(SignInProviderPath(added->name), "idp_added", added->name);
}

Task<std::string> ShowSignInProvider(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(const web::AdminProviderPage shown, co_await ProviderPageOf(page.call));
  co_return web::RenderAdminProvider(page.visit.Frame(), shown);
}

Task<Outcome> DisableSignInProvider(AdminPage& page) {
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record,
                      co_await page.services.identity.providers.Disable(
                          page.by, std::string(page.call.path("name"))));
  page.Log("sign-in provider disabled", "provider", record.name);
  co_return page.Done(SignInProviderPath(record.name), "idp_disabled", record.name);
}

Task<Outcome> ChangeSignInProvider(AdminPage& page) {
  if (page.form.Get("do") == "disable") co_return co_await DisableSignInProvider(page);
  ASSIGN_OR_CO_RETURN(
      std::vector<service::ProviderFinding> findings,
      co_await page.services.identity.providers.Test(page.by, std::string(page.call.path("name"))));
  // After the test, which enables it.
  ASSIGN_OR_CO_RETURN(web::AdminProviderPage shown, co_await ProviderPageOf(page.call));
  shown.is_tested = true;
  for (service::ProviderFinding& each : findings) {
    shown.findings.push_back({.good = each.good, .text = std::move(each.text)});
  }
  co_return page.visit.Page(200, web::RenderAdminProvider(page.visit.Frame(), shown));
}

// On the way to the provider; what comes back is shown where sign-ins come back to.
Task<http::Response> BeginSignInTrial(Call& call, PageAnswer& page) {
  const std::string name(call.path("name"));
  Result<service::AuthorizationRedirect> begun = co_await call.services.identity.sign_in.BeginTrial(
      call.principal, name, OidcCallbackOf(call.services, name));
  if (!begun && begun.error().kind == ErrorKind::kNotFound) {
    co_return Failure(std::move(begun).error());
  }
  if (!begun) {
    web::AdminTrialPage shown{.provider = name, .claims = {}, .theirs = {}, .groups = {}};
    shown.problem = web::Refusal::Of(begun.error());
    co_return co_await page.SendUnkept(web::RenderAdminTrial(page.frame, shown));
  }
  PageContext visit(call);
  visit.SetCookie(kOidcCookie, begun->sealed_state, service::ProviderSignIn::kTime);
  co_return visit.GoTo(std::move(begun->location));
}

}  // namespace

// Sign-in providers.
std::span<const Route> AdminSignInPageRoutes() {
  static constexpr Route kRoutes[] = {
      AdminRow<ShowSignInProviders>("/-/admin/sign-in", "Show the sign-in providers"),
      FormRow<ShowSignInProviders, AddSignInProvider>("/-/admin/sign-in", "Add a sign-in provider"),
      AdminRow<ShowSignInProvider>("/-/admin/sign-in/{name}", "Show a sign-in provider"),
      FormRow<ShowSignInProvider, ChangeSignInProvider>(
          "/-/admin/sign-in/{name}", "Test and enable a sign-in provider, or disable it"),
      AdminRow<BeginSignInTrial>("/-/admin/sign-in/{name}/trial",
                                 "Try a sign-in without signing in"),
  };
  return kRoutes;
}

Task<http::Response> FinishSignInTrial(Call& call, PageContext& visit, std::string provider,
                                       service::ProviderAnswer answer) {
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  visit.SetPath("/-/admin/sign-in");
  if (visit.visitor() == nullptr) co_return SignInFirst(visit);
  call.principal = SignedInPrincipal(visit);
  CO_RETURN_IF_ERROR(RequireAdministrator(call));
  Result<service::SignInPreview> tried = co_await call.services.identity.sign_in.FinishTrial(
      call.principal, provider, OidcCallbackOf(call.services, provider), std::move(answer));
  web::AdminTrialPage shown{.provider = provider, .claims = {}, .theirs = {}, .groups = {}};
  if (!tried) {
    const ErrorKind kind = tried.error().kind;
    if (kind == ErrorKind::kNotFound || kind == ErrorKind::kUnavailable) {
      co_return Failure(std::move(tried).error());
    }
    shown.problem = web::Refusal::Of(tried.error());
    co_return visit.Page(200, web::RenderAdminTrial(visit.Frame(), shown));
  }
  ASSIGN_OR_CO_RETURN(IdentityProviderRecord record,
                      co_await call.services.identity.providers.FindProvider(provider));
  shown.has_groups_claim = !record.groups_claim.empty();
  shown.provider = std::move(tried->provider);
  shown.wanted_name = std::move(tried->wanted_name);
  shown.claims = std::move(tried->claims);
  shown.theirs = std::move(tried->theirs);
  shown.groups = std::move(tried->groups);
  KeepSome(shown.theirs);
  KeepSome(shown.groups);
  co_return visit.Page(200, web::RenderAdminTrial(visit.Frame(), shown));
}

}  // namespace koya::api
