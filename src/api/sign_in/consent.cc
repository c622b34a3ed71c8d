#include <array>

#include "api/common/denials.h"
#include "api/common/page_context.h"
#include "api/route_tables.h"
#include "http/url.h"
#include "obs/log.h"
#include "service/sign_in/client_login.h"
#include "service/sign_in/sessions.h"
#include "web/access/access_pages.h"
#include "web/common/addresses.h"
#include "web/common/local_path.h"

namespace koya::api {
namespace {

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
    co_return Fail(ErrorKind::kInvalid, "the field \"decision\" must be \"allow\" or \"deny\"");
  }
  LogDecision(visit, "client denied", request);
  co_return visit.Page(
      200, web::RenderDenied(visit.Frame(), {.host = std::string(call.services.host())}));
}

}  // namespace

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
