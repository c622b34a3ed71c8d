#include <algorithm>

#include "api/common/page_context.h"
#include "api/route_tables.h"
#include "api/sign_in/oidc_sign_in.h"
#include "obs/log.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "web/access/access_pages.h"
#include "web/common/addresses.h"
#include "web/common/local_path.h"

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
  co_return visit.Page(200, web::RenderSignedOut(visit.Frame(), {}));
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

}  // namespace koya::api
