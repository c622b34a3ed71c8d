#include "api/sign_in/oidc_sign_in.h"
#include "api/common/route.h"

#include <fmt/format.h>

#include "api/common/cookies.h"
#include "api/common/page_context.h"
#include "api/common/reply.h"
#include "http/url.h"
#include "obs/log.h"
#include "service/sign_in/browser.h"
#include "service/sign_in/identity_providers.h"
#include "service/sign_in/provider_sign_in.h"
#include "service/sign_in/sessions.h"
#include "service/sign_in/sign_in.h"
#include "web/access/sign_in_pages.h"
#include "web/common/text_safety.h"

namespace koya::api {
namespace {

service::ProviderAnswer AnswerOf(const Form& query, std::string_view sealed_state) {
  return {.sealed_state = std::string(sealed_state),
          .state = query.Get("state"),
          .code = query.Get("code"),
          .iss = query.Get("iss"),
          .error = query.Get("error"),
          .error_description = query.Get("error_description")};
}

void LogFailure(const PageContext& visit, std::string_view what, std::string_view provider,
                const Error& error) {
  visit.services().log.Failure(what, error,
                               {{"request_id", visit.request().request_id},
                                {"provider", provider},
                                {"remote", visit.request().remote}});
}

Awaitable<http::Response> PageOfFailed(PageContext& visit, web::SignInPage page,
                                       const std::string& to, const Error& error) {
  page.to = web::LocalPath(to);
  page.providers = co_await SignInProvidersFor(visit.services(), page.to);
  visit.SetPath(web::SignInPath(page.to));
  const http::Response plain = ErrorReply(error);
  http::Response reply = visit.Page(plain.status, web::RenderSignIn(visit.Frame(), page));
  reply.log_detail = error.message;
  co_return reply;
}

// The sign-in page, saying that the provider did not help; passwords and others may.
Task<http::Response> FailedThere(PageContext& visit, std::string provider, std::string to,
                                 Error error) {
  if (error.kind == ErrorKind::kNotFound) co_return Failure(std::move(error));
  LogFailure(visit, "sign-in with a provider failed", provider, error);
  web::SignInPage page;
  page.problem = error.kind == ErrorKind::kForbidden ? web::SignInProblem::kProviderDisabled
                                                     : web::SignInProblem::kProviderFailed;
  page.failed_provider = std::move(provider);
  page.request_id = visit.request().request_id;
  co_return co_await PageOfFailed(visit, std::move(page), to, error);
}

// The provider succeeded, but the account may not sign in here: the page is the one for a wrong
// password, which reveals nothing about the account.
Task<http::Response> RefusedHere(PageContext& visit, std::string provider, std::string to,
                                 Error error) {
  LogFailure(visit, "sign-in refused", provider, error);
  web::SignInPage page;
  page.problem = web::SignInProblem::kRefused;
  co_return co_await PageOfFailed(visit, std::move(page), to, error);
}

Task<service::StartedSession> StartSession(PageContext& visit, service::SignInResult finished) {
  service::Sessions& sessions = visit.services().sign_in.sessions;
  service::Browser browser = visit.Browser();
  std::string mark = visit.services().sign_in.sign_in.DeviceMarkFor(finished.account.name);
  auto started = co_await sessions.Start(std::move(finished.account), std::move(finished.method),
                                         std::move(browser));
  if (!started) co_return Failure(std::move(started).error());
  started->device = std::move(mark);
  // One session per browser. A failure to end the previous one does not prevent the sign-in.
  if (!visit.session().empty()) {
    Status ended = co_await sessions.End(visit.Browser(), visit.session());
    if (!ended) visit.services().log.Failure("ending a session failed", ended.error());
  }
  co_return started;
}

Task<http::Response> BeginOidcSignIn(Call& call) {
  PageContext visit(call.request(), call.services);
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  std::string provider(call.path("name"));
  std::string to(web::LocalPath(query.Get("to")));
  auto begun = co_await call.services.identity.sign_in.Begin(
      provider, OidcCallbackOf(call.services, provider), to);
  if (!begun) {
    co_return co_await FailedThere(visit, std::move(provider), std::move(to),
                                   std::move(begun).error());
  }
  visit.SetCookie(kOidcCookie, begun->sealed_state, service::ProviderSignIn::kTime);
  co_return visit.GoTo(std::move(begun->location));
}

Task<http::Response> FinishOidcSignIn(Call& call) {
  PageContext visit(call.request(), call.services);
  visit.SetPath("/login");  // not the callback, which works once
  ASSIGN_OR_CO_RETURN(Form query, Form::Parse(call.request().query));
  std::string provider(call.path("name"));
  const std::string sealed(Cookies(call.request()).Get(kOidcCookie));
  std::string to = call.services.identity.sign_in.Destination(provider, sealed);
  visit.SetCookie(kOidcCookie, "", std::chrono::seconds(0));
  if (call.services.identity.sign_in.IsTrial(provider, sealed)) {
    co_return co_await FinishSignInTrial(call, visit, std::move(provider), AnswerOf(query, sealed));
  }
  auto finished = co_await call.services.identity.sign_in.Finish(
      visit.Browser(), provider, OidcCallbackOf(call.services, provider), AnswerOf(query, sealed));
  if (!finished) {
    co_return co_await FailedThere(visit, std::move(provider), std::move(to),
                                   std::move(finished).error());
  }
  const std::string user = finished->account.name;
  const std::string method = finished->method;
  auto session = co_await StartSession(visit, *std::move(finished));
  if (!session) {
    Error error = std::move(session).error();
    if (error.kind != ErrorKind::kUnauthenticated) co_return Failure(std::move(error));
    co_return co_await RefusedHere(visit, std::move(provider), std::move(to), std::move(error));
  }
  call.services.log.Info("signed in", {{"request_id", call.request().request_id},
                                       {"user", user},
                                       {"method", method},
                                       {"remote", call.request().remote}});
  visit.SignedIn(*session);
  co_return visit.GoTo(std::string(web::LocalPath(to)));
}

}  // namespace

std::span<const Route> OidcSignInRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/oidc/{name}/start", Access::kPage, ResourceScope::kNone, BeginOidcSignIn,
                 "Start a sign-in with an identity provider")
          .Changing(),
      Route::Get("/-/oidc/{name}/callback", Access::kPage, ResourceScope::kNone, FinishOidcSignIn,
                 "Complete a sign-in with an identity provider")
          .Changing(),
  };
  return kRoutes;
}

std::string OidcCallbackOf(const Services& services, std::string_view provider) {
  return fmt::format("{}/-/oidc/{}/callback", services.url, provider);
}

Awaitable<std::vector<web::SignInProvider>> SignInProvidersFor(Services& services, std::string to) {
  std::vector<web::SignInProvider> providers;
  Result<std::vector<std::string>> names = co_await services.identity.providers.Names();
  if (!names) {
    services.log.Failure("sign-in providers could not be listed", names.error());
    co_return providers;
  }
  for (const std::string& name : *names) {
    providers.push_back(
        {.label = name,
         .path = fmt::format("/-/oidc/{}/start?to={}", name, http::PercentEncode(to))});
  }
  co_return providers;
}

}  // namespace koya::api
