#include "api/common/denials.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "api/common/call.h"
#include "api/common/cookies.h"
#include "api/common/credentials.h"
#include "api/common/route.h"
#include "auth/capability.h"
#include "auth/principal.h"
#include "auth/token.h"
#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/actor.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "http/server/head_parser.h"
#include "service/access/tokens.h"
#include "service/audit/denied_attempts.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

// Of paths that no route has.
constexpr std::string_view kNoRoute = "elsewhere";

std::string ActorName(const auth::Principal& caller) {
  if (caller.is_anonymous()) return "";
  if (!caller.actor.name.empty()) return caller.actor.name;  // the server itself
  if (!caller.account) return "token:" + caller.name;
  const AccountRecord& account = caller.account->account;
  return fmt::format("{}:{}", AccountKindName(account.kind), account.name);
}

std::string NameOf(http::Method method, std::string_view pattern) {
  return fmt::format("{} {}", http::MethodName(method), pattern);
}

using Presenter = service::Tokens::Presenter;

// Who is signed in with this browser, when that is known.
Presenter KnownVisitor(const http::Request& request, Services& services) {
  constexpr auto kKind = auth::CapabilityBearer::Kind::kSession;
  const std::string_view cookie = Cookies(request).Get(kSessionCookie);
  if (!auth::LooksLikeASecret(cookie)) return nullptr;
  auto known = services.sign_in.sessions.RecogniseBearer(
      auth::CapabilityBearer::Of(kKind, auth::TokenSecret(cookie)));
  if (!known || !*known) return nullptr;
  return (*known)->principal;
}

// Whom the URL was made for, if it was made here. A URL says who asks, whatever else is sent.
Awaitable<Presenter> HolderOfUrl(const Route& route, const http::Request& request,
                                 Services& services) {
  std::optional<auth::CapabilityBearer> bearer;
  if (route.access == Access::kSignedUrl) {
    bearer = services.signer.SignedFor(request.path, request.query);
  }
  if (!bearer) co_return nullptr;
  Result<Presenter> holder = Presenter();
  if (bearer->kind == auth::CapabilityBearer::Kind::kSession) {
    holder = co_await services.sign_in.sessions.FindHolder(*bearer);
  } else {
    holder = co_await services.rights.tokens.FindHolder(*bearer);
  }
  co_return holder ? *std::move(holder) : nullptr;
}

// The owner of the token that was sent. nullopt: none was.
std::optional<Presenter> HolderOfToken(const Route& route, const http::Request& request,
                                       Services& services) {
  auth::BasicBuffer buffer;
  const auto credentials = FindCredentials(route.access, request, buffer);
  if (!credentials) return std::nullopt;
  return services.rights.tokens.Holder(*credentials);
}

// The caller: recent look-ups are cached.
Awaitable<Presenter> HolderOf(const Route& route, const http::Request& request, Services& services,
                              unsigned status) {
  Presenter holder;
  if (status == 403) holder = co_await HolderOfUrl(route, request, services);
  if (holder) co_return holder;
  if (auto sent = HolderOfToken(route, request, services)) co_return *std::move(sent);
  // A caller that gets a 401 is not signed in, or claims to be another.
  co_return status == 401 ? nullptr : KnownVisitor(request, services);
}

// The namespace here that a route is about; "": none.
std::string NamespaceOf(const Route& route, const http::Exchange& exchange) {
  constexpr std::string_view kNamed = "{namespace}";
  if (!route.pattern.contains(kNamed) || route.about == ResourceScope::kHost) return "";
  Result<std::string> name = ParseNamespaceName(exchange.parameters[route.namespace_at]);
  return name ? NamespaceKey(*name) : "";
}

// The path with the names in it, but for a secret that is in the place of one; "": the pattern has
// no names.
std::string PathOf(const Route& route, const http::Exchange& exchange) {
  std::string_view rest = route.pattern;
  if (!rest.contains('{')) return "";
  std::string path;
  for (std::size_t i = 0; i < exchange.parameters.count; ++i) {
    const std::size_t open = rest.find('{');
    if (open == rest.npos) break;
    const std::size_t end = rest.find('}', open) + 1;
    const std::string_view value = exchange.parameters[i];
    path += rest.substr(0, open);
    const bool is_secret = auth::LooksLikeASecret(value) || auth::LooksLikeAToken(value);
    path += is_secret ? rest.substr(open, end - open) : value;
    rest.remove_prefix(end);
  }
  return path.append(rest);
}

// Routes for signing in and for getting tokens: a caller who must wait there has tried before.
bool IsWayIn(const Route& route) {
  if (route.access == Access::kPage) return true;
  const bool tries = route.access == Access::kOpen || route.access == Access::kSelf;
  return tries && route.method != http::Method::kGet;
}

}  // namespace

Actor ActorOf(const auth::Principal& caller, const http::Request& request) {
  return {.name = ActorName(caller),
          .token = caller.name,
          .address = std::string(request.remote),
          .user_agent = std::string(request.Get("User-Agent").substr(0, Actor::kMostText)),
          .request_id = std::string(request.request_id)};
}

bool IsDenied(const Route& route, unsigned status) {
  return status == 401 || status == 403 || (status == 429 && IsWayIn(route));
}

Awaitable<void> NoteDenied(const Route& route, const http::Exchange& exchange, Services& services,
                           unsigned status) {
  const http::Request& request = exchange.request;
  const Presenter holder = co_await HolderOf(route, request, services, status);
  const std::string name =
      route.pattern.empty() ? std::string(kNoRoute) : NameOf(route.method, route.pattern);
  const std::string ns = NamespaceOf(route, exchange);
  services.audit.denied.RecordAttempt(ActorOf(holder ? *holder : auth::Principal(), request), name,
                                      status, services.clock.Now(), ns, PathOf(route, exchange));
}

void NoteDenied(const Call& call, unsigned status) {
  Services& services = call.services;
  services.audit.denied.RecordAttempt(ActorOf(call.principal, call.request()),
                                      NameOf(call.request().method, call.pattern), status,
                                      services.clock.Now());
}

}  // namespace koya::api
