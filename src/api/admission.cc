#include "api/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "api/common/call.h"
#include "api/common/cookies.h"
#include "api/common/credentials.h"
#include "api/common/denials.h"
#include "api/common/fetches.h"
#include "api/common/page_form.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "auth/capability.h"
#include "auth/principal.h"
#include "auth/token.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/host_name.h"
#include "http/server/router.h"
#include "service/access/namespaces.h"
#include "service/access/request_limits.h"
#include "service/access/tokens.h"
#include "service/common/freeze.h"
#include "service/sign_in/sessions.h"

namespace koya::api {
namespace {

using service::NamespaceState;
using Presenter = service::Tokens::Presenter;

Status CheckRights(Access access, const auth::Principal& caller) {
  if (IsOpen(access) || access == Access::kSelf) return {};
  const bool publishes = access == Access::kPublish || access == Access::kOwner;
  RETURN_IF_ERROR(caller.Require(publishes ? Scope::kPublish : Scope::kAdmin));
  return access == Access::kAdmin ? caller.RequireAllNamespaces() : Status();
}

// True if the browser sent a session cookie, on routes where that counts.
bool HasSession(const Route& route, const http::Request& request) {
  return route.access == Access::kBrowse && !Cookies(request).Get(kSessionCookie).empty();
}

// What the caller has to say for itself; a browser's session says it alone. nullopt: nothing, or
// nothing that this route looks at. A view into the request or `buffer`.
std::optional<std::string_view> Credentials(const Route& route, const http::Request& request,
                                            auth::BasicBuffer& buffer) {
  if (IsAnonymous(route.access) || HasSession(route, request)) return std::nullopt;
  return FindCredentials(route.access, request, buffer);
}

// A copy for a coroutine, whose frame needs no buffer then.
std::optional<std::string> CopyCredentials(const Route& route, const http::Request& request) {
  auth::BasicBuffer buffer;
  const std::optional<std::string_view> found = Credentials(route, request, buffer);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

// ---- what a request is about

// Whether a host's name has no other spelling but in letter case: no port, no punycode.
bool HasOneSpelling(std::string_view host) {
  auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-';
  };
  return std::ranges::all_of(host, is_plain) && !host.contains("--");
}

// Whether the mirror is asked for what belongs to this server.
bool IsOwnHost(std::string_view text, const Services& services) {
  bool same = std::ranges::any_of(services.own_names, [text](const HostName& own) {
    return EqualsIgnoreCase(text, own.ascii());
  });
  if (same || HasOneSpelling(text)) return same;
  Result<HostName> host = HostName::ParseWire(text);
  return host && services.IsOwn(*host);
}

// The namespace that decides who may know of it; "": none does.
std::string_view NamespaceAskedFor(const Route& route, const http::Exchange& exchange,
                                   const Services& services) {
  bool named = route.about == ResourceScope::kNamespace ||
               (route.about == ResourceScope::kHost &&
                IsOwnHost(exchange.parameters[route.hostname_at], services));
  return named ? exchange.parameters[route.namespace_at] : std::string_view();
}

// What no namespace decides.
NamespaceState StateOfRest(const Route& route, const Services& services) {
  bool mirrored = route.about == ResourceScope::kHost || route.about == ResourceScope::kMirror;
  return {.recorded = true, .visibility = mirrored ? services.access.mirror : Visibility::kPublic};
}

// ---- the verdict

// How clients are given a token.
std::string TokenAdvice(const Services& services) {
  return fmt::format("TF_TOKEN_… or a credentials block for {}", services.host());
}

Failure SignInFirst(const Services& services) {
  return FailUnauthenticated(
      "sign in to use this registry: send a token with {}, or as "
      "\"Authorization: Bearer koya_…\"",
      TokenAdvice(services));
}

// The same message for things that do not exist and for hidden ones.
Failure NotThere(const auth::Principal& caller, const Services& services) {
  std::string hint;
  if (caller.is_anonymous()) {
    hint = fmt::format("; if it is private, sign in with a token: {}", TokenAdvice(services));
  }
  return FailNotFound("not found here: check the spelling, or publish it first{}", hint);
}

// Shared caches must not serve private things to other callers.
void MarkFor(Visibility visibility, http::Response& reply) {
  if (visibility == Visibility::kPublic) return;
  for (auto& [name, value] : reply.fields) {
    if (name == "Cache-Control" && value.starts_with("public")) {
      value.replace(0, std::string_view("public").size(), "private");
    }
  }
}

// ---- without asking the catalog

// The caller, before the subject of the request is known.
struct Caller {
  Presenter who;         // null: anonymous
  bool by_link = false;  // with a capability URL
  // The catalog cannot say whether whom the URL was made for may still read it: the URL does.
  bool link_decides = false;
  // Why a token that was sent could not be checked: it counts as none, for public things.
  std::shared_ptr<const Error> unchecked;

  const auth::Principal& principal() const {
    static const auth::Principal kStranger;
    return who ? *who : kStranger;
  }
};

struct Standing {
  Caller caller;
  std::string_view ns;
  bool recorded = true;
  Visibility visibility = Visibility::kPublic;

  bool MaySee() const { return caller.link_decides || caller.principal().MayRead(ns, visibility); }
};

// Adds the subject of the request to the caller.
void FillStanding(Standing& standing, std::string_view ns, NamespaceState state, const Route& route,
                  const Services& services) {
  bool of_nobody = route.about == ResourceScope::kNone;
  standing.ns = ns;
  standing.recorded = state.recorded;
  standing.visibility =
      of_nobody ? Visibility::kPublic : services.access.Effective(state.visibility);
}

// The caller for whom the request's URL was signed; nullopt: it is a plain URL. Fails: kForbidden.
Result<std::optional<auth::CapabilityBearer>> BearerOf(const Route& route,
                                                       const http::Request& request,
                                                       const Services& services) {
  if (route.access != Access::kSignedUrl) return std::nullopt;
  return services.signer.Verify(request.path, request.query, services.clock.Now());
}

// Whether it does to send nothing. Fails: kUnauthenticated; nullopt says what would do.
std::optional<Status> AdmitAnonymous(const Route& route, const Services& services) {
  if (!IsOpen(route.access)) return std::nullopt;
  // A page without an owner checks its caller by itself.
  const bool reads = IsReading(route.access) && route.about != ResourceScope::kNone;
  if (reads && !services.access.anonymous_read) return SignInFirst(services);
  return Status();
}

// The caller for whom a URL was signed: the owner of a token, or a user with a browser session.
std::optional<Result<Presenter>> RecogniseBearer(const auth::CapabilityBearer& bearer,
                                                 std::string_view from, Services& services) {
  if (bearer.kind == auth::CapabilityBearer::Kind::kToken) {
    return services.rights.tokens.RecogniseBearer(bearer, from);
  }
  std::optional<Result<service::SignedInUser>> known =
      services.sign_in.sessions.RecogniseBearer(bearer);
  if (!known) return std::nullopt;
  if (!*known) return Failure(std::move(*known).error());
  return (*known)->principal;
}

// Identifies the caller. nullopt: the catalog must be asked. Fails: kUnauthenticated; kForbidden
// for a URL. Here and below, results are filled in, which saves moving them for each request.
std::optional<Status> KnowCaller(const Route& route, const http::Request& request,
                                 Services& services, Caller& caller) {
  Result<std::optional<auth::CapabilityBearer>> bearer = BearerOf(route, request, services);
  if (!bearer) return Failure(std::move(bearer).error());
  auth::BasicBuffer buffer;
  std::optional<std::string_view> credentials = Credentials(route, request, buffer);
  // A session must be looked up in the catalog or its cache.
  if (!*bearer && !credentials && HasSession(route, request)) return std::nullopt;
  if (!*bearer && !credentials) return AdmitAnonymous(route, services);
  std::optional<Result<Presenter>> known =
      *bearer ? RecogniseBearer(**bearer, request.remote, services)
              : services.rights.tokens.Recognise(*credentials, request.remote);
  if (!known) return std::nullopt;
  if (!*known) return Failure(std::move(*known).error());
  caller.who = **std::move(known);
  caller.by_link = bearer->has_value();
  return Status();
}

std::optional<Status> KnowStanding(const Route& route, const http::Exchange& exchange,
                                   Services& services, Standing& standing) {
  std::optional<Status> known = KnowCaller(route, exchange.request, services, standing.caller);
  if (!known || !*known) return known;
  std::string_view ns = NamespaceAskedFor(route, exchange, services);
  std::optional<NamespaceState> state =
      ns.empty() ? StateOfRest(route, services) : services.rights.namespaces.FindCached(ns);
  if (!state) return std::nullopt;
  FillStanding(standing, ns, *state, route, services);
  return known;
}

// Whom the request counts for: a token that is good, else the address. `standing` is null when it
// is not known to be. Fails: kThrottled.
Status Count(http::Exchange& exchange, const Standing* standing, Services& services) {
  if (!services.limits.on()) return {};
  const auth::Principal* who = standing != nullptr ? &standing->caller.principal() : nullptr;
  ASSIGN_OR_RETURN(exchange.meter, services.limits.Count(who, exchange.request.remote));
  return {};
}

// ---- the same, asking

Task<Presenter> FindBearer(auth::CapabilityBearer bearer, std::string from, Services& services) {
  if (bearer.kind == auth::CapabilityBearer::Kind::kSession) {
    ASSIGN_OR_CO_RETURN(service::SignedInUser visitor,
                        co_await services.sign_in.sessions.FindBearer(bearer));
    co_return std::move(visitor.principal);
  }
  ASSIGN_OR_CO_RETURN(auth::Principal who,
                      co_await services.rights.tokens.AuthenticateBearer(bearer, std::move(from)));
  co_return std::make_shared<const auth::Principal>(std::move(who));
}

Task<Caller> AdmitBearer(auth::CapabilityBearer bearer, std::string from, Services& services) {
  Result<Presenter> who = co_await FindBearer(bearer, std::move(from), services);
  if (who) co_return Caller{.who = *std::move(who), .by_link = true};
  if (who.error().kind != ErrorKind::kUnavailable) co_return Failure(std::move(who).error());
  co_return Caller{.by_link = true, .link_decides = true};
}

// An anonymous caller whose credentials could not be checked.
Caller Unchecked(Error error) {
  return {.unchecked = std::make_shared<const Error>(std::move(error))};
}

// The user who is signed in with the browser; anonymous, if the session has ended.
Task<Caller> AdmitVisitor(const Route& route, const http::Request& request, Services& services) {
  std::string cookie(Cookies(request).Get(kSessionCookie));
  Result<service::SignedInUser> who =
      co_await services.sign_in.sessions.FindUser(std::move(cookie));
  if (who) co_return Caller{.who = std::move(who->principal)};
  const bool away = who.error().kind == ErrorKind::kUnavailable;
  if (!away && who.error().kind != ErrorKind::kUnauthenticated) {
    co_return Failure(std::move(who).error());
  }
  if (away && !services.access.anonymous_read) co_return Failure(std::move(who).error());
  if (away) co_return Unchecked(std::move(who).error());
  CO_RETURN_IF_ERROR(*AdmitAnonymous(route, services));
  co_return Caller();
}

// Who calls, where the route wants to know. Fails: kUnauthenticated, kForbidden.
Task<Caller> Admit(const Route& route, const http::Request& request, Services& services) {
  ASSIGN_OR_CO_RETURN(std::optional<auth::CapabilityBearer> bearer,
                      BearerOf(route, request, services));
  if (bearer) {
    std::string from(request.remote);
    co_return co_await AdmitBearer(*bearer, std::move(from), services);
  }
  std::optional<std::string> credentials = CopyCredentials(route, request);
  if (!credentials && HasSession(route, request)) {
    co_return co_await AdmitVisitor(route, request, services);
  }
  if (!credentials && IsOpen(route.access)) co_return Caller();
  std::string authorization = std::move(credentials).value_or("");
  std::string from(request.remote);
  Result<auth::Principal> who =
      co_await services.rights.tokens.Authenticate(std::move(authorization), std::move(from));
  if (who) co_return Caller{.who = std::make_shared<const auth::Principal>(*std::move(who))};
  bool stranger = IsOpen(route.access) && services.access.anonymous_read &&
                  who.error().kind == ErrorKind::kUnavailable;
  if (!stranger) co_return Failure(std::move(who).error());
  co_return Unchecked(std::move(who).error());
}

// Of what a namespace decides. While the catalog is away, a URL's word is enough.
Task<NamespaceState> FindState(const Caller& caller, std::string_view ns, Services& services) {
  Result<NamespaceState> state = co_await services.rights.namespaces.FindNamespace(std::string(ns));
  bool away = !state && state.error().kind == ErrorKind::kUnavailable;
  if (!away || !caller.link_decides) co_return state;
  co_return NamespaceState{.recorded = true, .visibility = Visibility::kPrivate};
}

Task<Standing> FindStanding(const Route& route, const http::Exchange& exchange,
                            Services& services) {
  Standing standing;
  ASSIGN_OR_CO_RETURN(standing.caller, co_await Admit(route, exchange.request, services));
  std::string_view ns = NamespaceAskedFor(route, exchange, services);
  NamespaceState state = StateOfRest(route, services);
  if (!ns.empty()) {
    ASSIGN_OR_CO_RETURN(state, co_await FindState(standing.caller, ns, services));
  }
  FillStanding(standing, ns, state, route, services);
  co_return standing;
}

// True if a handler found nothing, or checked something else first (a query, say), whose error
// would reveal whether a namespace is hidden or does not exist.
bool FoundNothing(const Result<http::Response>& reply) {
  if (reply) return reply->status >= 400 && reply->status < 500;
  return reply.error().kind == ErrorKind::kNotFound || reply.error().kind == ErrorKind::kInvalid;
}

// The response for things that the caller may not know of, and for those that do not exist.
Task<http::Response> AnswerNowhere(const Route& route, Call& call, const Standing& standing) {
  if (standing.caller.unchecked) co_return Failure(*standing.caller.unchecked);
  CO_RETURN_IF_ERROR(co_await call.services.rights.namespaces.Pretend(std::string(standing.ns)));
  if (standing.caller.by_link) {
    co_return FailForbidden(
        "the owner of this download link can no longer read this: request the download again");
  }
  if (route.absent != nullptr) co_return co_await route.absent(call);
  co_return NotThere(call.principal, call.services);
}

// Shrinks the claim for a response to the response's size, and releases it when the response has
// been sent.
void HoldUntilSent(Call& call, const http::Response& reply) {
  std::uint64_t bytes = 0;
  if (const auto* document = std::get_if<std::shared_ptr<const http::Document>>(&reply.body)) {
    bytes = (*document)->cost();
  } else if (const auto* text = std::get_if<std::string>(&reply.body)) {
    bytes = text->size();
  }
  call.reading.ShrinkClaim(bytes);
  call.exchange.held = call.reading.claim();
}

Task<http::Response> AnswerSeen(const Route& route, Call& call, const Standing& standing) {
  Result<http::Response> reply = co_await route.handler(call);
  // Only an earlier release that runs beside this one makes something without a record.
  if (IsReading(route.access) && !standing.recorded && FoundNothing(reply)) {
    co_return co_await AnswerNowhere(route, call, standing);
  }
  if (!reply) co_return reply;
  HoldUntilSent(call, *reply);
  CountFetch(call.exchange, *reply, standing.caller.who, call.services);
  MarkFor(call.visibility, *reply);
  co_return reply;
}

// Archives never change, and things without an owner do not come from the catalog.
bool ComesFromCatalog(const Route& route, const http::Response& reply) {
  return route.about != ResourceScope::kNone &&
         std::holds_alternative<std::shared_ptr<const http::Document>>(reply.body);
}

// The cached response, unless the catalog has been unavailable for too long; marked while it is.
std::optional<http::Response> AnswerAtHand(const Route& route, const http::Exchange& exchange,
                                           Services& services) {
  std::optional<http::Response> ready = route.ready(exchange, services);
  if (!ready || !ComesFromCatalog(route, *ready)) return ready;
  const OfflineRules::Held held = services.offline.held();
  if (held == OfflineRules::Held::kTooOld) {
    ready.reset();
  } else if (held == OfflineRules::Held::kMarked) {
    ready->fields.emplace_back("Warning", kCatalogUnreachable);
  }
  return ready;
}

}  // namespace

std::optional<http::Response> ReadyAnswer(const Route& route, http::Exchange& exchange,
                                          Services& services) {
  Standing standing;
  std::optional<Status> known = KnowStanding(route, exchange, services, standing);
  if (!known || !*known || !standing.MaySee()) return std::nullopt;
  std::optional<http::Response> ready = AnswerAtHand(route, exchange, services);
  if (!ready) return ready;
  if (Status counted = Count(exchange, &standing, services); !counted) {
    ready = ErrorReply(counted.error());
    return ready;
  }
  CountFetch(exchange, *ready, standing.caller.who, services);
  MarkFor(standing.visibility, *ready);
  return ready;
}

Task<http::Response> Answer(const Route& route, http::Exchange& exchange, Services& services) {
  Standing standing;
  std::optional<Status> known = KnowStanding(route, exchange, services, standing);
  const bool was_asked = known.has_value();
  if (!known) {
    Result<Standing> found = co_await FindStanding(route, exchange, services);
    if (found) {
      standing = *std::move(found);
      known = Status();
    } else {
      known = Failure(std::move(found).error());
    }
  }
  CO_RETURN_IF_ERROR(Count(exchange, *known ? &standing : nullptr, services));
  if (!*known) co_return Failure(std::move(*known).error());
  const auth::Principal& principal = standing.caller.principal();
  CO_RETURN_IF_ERROR(CheckRights(route.access, principal));
  if (route.changes) CO_RETURN_IF_ERROR(co_await services.upkeep.freeze.CheckMayChange());
  Call call{exchange, services, principal, route.pattern, standing.visibility};
  if (!IsReading(route.access)) call.principal.actor = ActorOf(principal, exchange.request);
  if (!standing.MaySee()) co_return co_await AnswerNowhere(route, call, standing);
  // While the caller or the subject was unknown, the cache was not searched.
  if (route.ready != nullptr && !was_asked) {
    if (auto ready = AnswerAtHand(route, exchange, services)) {
      CountFetch(exchange, *ready, standing.caller.who, services);
      MarkFor(call.visibility, *ready);
      co_return *std::move(ready);
    }
  }
  co_return co_await AnswerSeen(route, call, standing);
}

Task<void> AdmitToNamespace(Call& call, std::string ns) {
  const Services& services = call.services;
  ASSIGN_OR_CO_RETURN(NamespaceState state, co_await services.rights.namespaces.FindNamespace(ns));
  const Visibility visibility = services.access.Effective(state.visibility);
  if (state.recorded && call.principal.MayRead(ns, visibility)) co_return Status();
  CO_RETURN_IF_ERROR(co_await services.rights.namespaces.Pretend(std::move(ns)));
  co_return NotThere(call.principal, services);
}

Status AdmitToMirror(const Call& call) {
  const Visibility visibility = call.services.access.Effective(call.services.access.mirror);
  if (call.principal.MayRead("", visibility)) return {};
  return NotThere(call.principal, call.services);
}

}  // namespace koya::api
