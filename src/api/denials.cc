#include "api/denials.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "api/cookies.h"
#include "auth/token.h"
#include "http/server/head_parser.h"
#include "service/denied_attempts.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

// Of paths that no route has.
constexpr std::string_view kNoRoute = "elsewhere";

std::string ActorName(const auth::Principal& caller) {
  if (caller.is_stranger()) return "";
  if (!caller.actor.name.empty()) return caller.actor.name;  // the server itself
  if (!caller.account) return "token:" + caller.name;
  const AccountRecord& account = caller.account->account;
  return fmt::format("{}:{}", AccountKindName(account.kind), account.name);
}

// Who is signed in with this browser, when that is known.
auth::Principal KnownVisitor(const http::Request& request, Services& services) {
  constexpr auto kKind = auth::CapabilityBearer::Kind::kSession;
  const std::string_view cookie = Cookies(request).Get(kSessionCookie);
  if (!auth::LooksLikeASecret(cookie)) return {};
  auto known = services.sign_in.sessions.RecogniseBearer(
      auth::CapabilityBearer::Of(kKind, auth::TokenSecret(cookie)));
  if (!known || !*known) return {};
  return *(*known)->principal;
}

// Whose token it is, when it is known and good: what was just looked up is kept.
auth::Principal KnownPresenter(const http::Request& request, Services& services) {
  std::optional<std::string_view> credentials = request.Find("Authorization");
  if (!credentials) return KnownVisitor(request, services);
  std::optional<Result<service::Tokens::Presenter>> known = services.tokens.Recognise(*credentials);
  if (!known || !*known || !**known) return {};
  return ***known;
}

}  // namespace

Actor ActorOf(const auth::Principal& caller, const http::Request& request) {
  return {.name = ActorName(caller),
          .token = caller.name,
          .address = std::string(request.remote),
          .user_agent = std::string(request.Get("User-Agent").substr(0, Actor::kMostText)),
          .request_id = std::string(request.request_id)};
}

void NoteIfDenied(const Route& route, const http::Request& request, Services& services,
                  unsigned status) {
  const bool unknown = status == 401;
  const bool throttled = status == 429 && route.access == Access::kPage;
  if (!unknown && status != 403 && !throttled) return;
  const auth::Principal caller = unknown ? auth::Principal() : KnownPresenter(request, services);
  const std::string name =
      route.pattern.empty() ? std::string(kNoRoute)
                            : fmt::format("{} {}", http::MethodName(route.method), route.pattern);
  services.denied.Note(ActorOf(caller, request), name, status, services.clock.Now());
}

}  // namespace koya::api
