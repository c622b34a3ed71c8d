// Pages for signing in and out, and for the consent to the login of a client.
#include <algorithm>
#include <array>

#include "api/common/denials.h"
#include "api/common/page_context.h"
#include "api/common/route.h"
#include "api/sign_in/oidc_sign_in.h"
#include "http/url.h"
#include "obs/log.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/client_login.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "web/access/sign_in_pages.h"
#include "web/common/page_paths.h"
#include "web/common/text_safety.h"

namespace koya::api {
namespace {

bool IsConsent(std::string_view to) {
  return to == web::kConsentAddress || to.starts_with(std::string(web::kConsentAddress) + "?");
}

web::SignInPage SignInPageFor(std::string_view to) {
  web::SignInPage page;
  page.to = web::LocalPath(to);
  if (IsConsent(page.to)) {
    page.reason = web::SignInReason::kClientLogin;
  } else if (page.to != web::kHomeAddress) {
    page.reason = web::SignInReason::kPage;
    page.wanted = page.to.substr(0, page.to.find('?'));
  }
  return page;
}

// Where a sign-in page that was answered to a POST is shown by a GET.
std::string SignInPathTo(std::string_view to) {
  return to.empty() ? std::string(web::kSignInAddress) : web::SignInPath(to);
}

void LogSignIn(const PageContext& visit, std::string_view what, std::string_view user) {
  visit.services().log.Info(what, {{"request_id", visit.request().request_id},
                                   {"user", user},
                                   {"method", "password"},
                                   {"remote", visit.request().remote}});
}

// The form again, saying why.
Result<http::Response> RefusedSignIn(const PageContext& visit, const Form& form,
                                     web::SignInPage page, Error error) {
  page.username = form.Get("username");
  const bool throttled = error.kind == ErrorKind::kThrottled;
  if (!throttled && error.kind != ErrorKind::kUnauthenticated) return Failure(std::move(error));
  LogSignIn(visit, "sign-in refused", page.username);
  page.problem = throttled ? web::SignInProblem::kThrottled : web::SignInProblem::kRefused;
  page.retry_after = std::chrono::seconds(std::max(error.retry_after, 1U));
  http::Response reply = visit.Page(throttled ? 429 : 401, web::RenderSignIn(visit.Frame(), page));
  if (throttled) reply.fields.emplace_back("Retry-After", std::to_string(page.retry_after.count()));
  reply.log_detail = error.message;
  return reply;
}

http::Response StaleSignIn(const PageContext& visit, const Form& form, web::SignInPage page) {
  page.username = form.Get("username");
  page.problem = web::SignInProblem::kStaleForm;
  return visit.Page(403, web::RenderSignIn(visit.Frame(), page));
}

Awaitable<web::SignInPage> WithProviders(Services& services, web::SignInPage page) {
  page.providers = co_await SignInProvidersFor(services, page.to);
  co_return page;
}

// One session per browser: ends the previous one. A failure to end it while the catalog is
// unavailable does not prevent the sign-in.
Awaitable<void> EndSessionBefore(const PageContext& visit) {
  if (visit.session().empty()) co_return;
  Services& services = visit.services();
  Status ended = co_await services.sign_in.sessions.End(visit.Browser(), visit.session());
  if (!ended) services.log.Failure("ending a session failed", ended.error());
}

Task<http::Response> ShowSignIn(Call& call) {
  PageContext visit(call.request(), call.services);
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  std::string to(web::LocalPath(query.Get("to")));
  if (visit.visitor() != nullptr) co_return visit.GoTo(std::move(to));
  web::SignInPage page = co_await WithProviders(call.services, SignInPageFor(to));
  co_return visit.Page(200, web::RenderSignIn(visit.Frame(), page));
}

Task<http::Response> SignIn(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  visit.SetPath(SignInPathTo(form.Get("to")));
  web::SignInPage page = co_await WithProviders(call.services, SignInPageFor(form.Get("to")));
  if (!visit.Made(form)) co_return StaleSignIn(visit, form, std::move(page));
  std::string user = form.Get("username");
  service::Browser browser = visit.Browser();
  Result<service::StartedSession> session = co_await call.services.sign_in.sign_in.WithPassword(
      std::move(browser), std::move(user), form.Get("password"));
  if (!session) co_return RefusedSignIn(visit, form, std::move(page), std::move(session).error());
  LogSignIn(
      visit, "signed in",
      session->record.user.empty() ? std::string_view(form.Get("username")) : session->record.user);
  co_await EndSessionBefore(visit);
  visit.SignedIn(*session);
  co_return visit.GoTo(std::string(web::LocalPath(form.Get("to"))));
}

Task<http::Response> SignOut(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  if (!visit.Made(form)) co_return visit.StaleForm();
  if (visit.visitor() != nullptr) {
    CO_RETURN_IF_ERROR(
        co_await call.services.sign_in.sessions.End(visit.Browser(), visit.session()));
    call.services.log.Info("signed out", {{"request_id", call.request().request_id},
                                          {"user", visit.visitor()->user},
                                          {"remote", call.request().remote}});
  }
  visit.SignedOut();
  co_return visit.Page(200, web::RenderSignedOut(visit.Frame()));
}

// The parameters of an authorization request that count; others are passed over (RFC 6749 §3.1).
constexpr std::array<std::string_view, 7> kLoginParameters{
    "response_type",         "client_id", "redirect_uri", "state", "code_challenge",
    "code_challenge_method", "scope"};

Result<service::LoginRequest> ReadLoginRequest(const Form& form) {
  return service::LoginRequest::Parse({.response_type = form.Get("response_type"),
                                       .client_id = form.Get("client_id"),
                                       .redirect_uri = form.Get("redirect_uri"),
                                       .state = form.Get("state"),
                                       .code_challenge = form.Get("code_challenge"),
                                       .code_challenge_method = form.Get("code_challenge_method"),
                                       .scope = form.Get("scope")});
}

// The page's own address, in one spelling, whatever the client's was.
std::string ConsentPath(const Form& form) {
  std::string path(web::kConsentAddress);
  char separator = '?';
  for (std::string_view name : kLoginParameters) {
    if (form.Get(name).empty()) continue;
    path += separator;
    path += name;
    path += '=';
    path += http::PercentEncode(form.Get(name));
    separator = '&';
  }
  return path;
}

web::ConsentPage ConsentFor(const service::LoginRequest& request, const Form& form,
                            const Services& services) {
  web::ConsentPage page;
  page.host = services.host();
  page.client_id = service::kLoginClient;
  page.redirect_uri = request.redirect_uri();
  page.scope = request.scope();
  page.life = services.sign_in.client_login.life();
  page.ends = services.clock.Now() + page.life.count();
  for (std::string_view name : kLoginParameters) {
    if (!form.Get(name).empty()) page.hidden.push_back({std::string(name), form.Get(name)});
  }
  return page;
}

void LogDecision(const PageContext& visit, std::string_view what,
                 const service::LoginRequest& request) {
  visit.services().log.Info(what, {{"request_id", visit.request().request_id},
                                   {"user", visit.visitor()->user},
                                   {"client", service::kLoginClient},
                                   {"scope", ScopeName(request.scope())},
                                   {"remote", visit.request().remote}});
}

Task<http::Response> Allow(PageContext& visit, service::LoginRequest request) {
  auth::Principal by = *visit.visitor()->principal;
  by.actor = ActorOf(by, visit.request());
  ASSIGN_OR_CO_RETURN(std::string location,
                      co_await visit.services().sign_in.client_login.Allow(std::move(by), request));
  LogDecision(visit, "client allowed", request);
  co_return visit.GoTo(std::move(location));
}

Task<http::Response> ShowConsent(Call& call) {
  PageContext visit(call.request(), call.services);
  // Problems with the request are shown before the sign-in page asks for a password, and only to
  // the reader: the redirect URL may be anyone's.
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  ASSIGN_OR_CO_RETURN(service::LoginRequest request, ReadLoginRequest(query));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  visit.SetPath(ConsentPath(query));
  if (visit.visitor() == nullptr) co_return visit.GoTo(web::SignInPath(visit.Frame().path));
  web::ConsentPage page = ConsentFor(request, query, call.services);
  co_return visit.Page(200, web::RenderConsent(visit.Frame(), page), web::PageKind::kConsent);
}

Task<http::Response> DecideConsent(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form form, co_await ReadPageForm(call));
  ASSIGN_OR_CO_RETURN(service::LoginRequest request, ReadLoginRequest(form));
  CO_RETURN_IF_ERROR(co_await visit.Recognise());
  visit.SetPath(ConsentPath(form));
  if (visit.visitor() == nullptr) co_return visit.GoTo(web::SignInPath(visit.Frame().path));
  if (!visit.Made(form)) co_return visit.StaleForm();
  const std::string& decision = form.Get("decision");
  if (decision == "allow") co_return co_await Allow(visit, std::move(request));
  if (decision != "deny") {
    co_return FailInvalid("the field \"decision\" must be \"allow\" or \"deny\"");
  }
  LogDecision(visit, "client denied", request);
  co_return visit.Page(200, web::RenderDenied(visit.Frame(), call.services.host()));
}

}  // namespace

// Pages for signing in and out. Problems with the typed values are shown in the form, with a status
// to match.
std::span<const Route> SignInPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/login", Access::kPage, ResourceScope::kNone, ShowSignIn,
                 "Show the sign-in page"),
      Route::Post("/login", Access::kPage, BodyLimit::kForm, SignIn, "Sign in"),
      Route::Post("/-/sign-out", Access::kPage, BodyLimit::kForm, SignOut, "Sign out"),
  };
  return kRoutes;
}

// `tofu login`, RFC 6749 §4.1.
std::span<const Route> ConsentRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/oauth/authorize", Access::kPage, ResourceScope::kNone, ShowConsent,
                 "Show the form to authorize a client"),
      Route::Post("/oauth/authorize", Access::kPage, BodyLimit::kForm, DecideConsent,
                  "Authorize a client, or deny it"),
  };
  return kRoutes;
}

}  // namespace koya::api
