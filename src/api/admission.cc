#include "api/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "api/call.h"
#include "api/cookies.h"
#include "api/denials.h"
#include "api/fetches.h"
#include "api/page_form.h"
#include "api/reply.h"
#include "api/route.h"
#include "api/services.h"
#include "auth/capability.h"
#include "auth/capability_bearer.h"
#include "auth/principal.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "domain/scope.h"
#include "http/server/router.h"
#include "service/namespaces.h"
#include "service/request_limits.h"
#include "service/sign_in/sessions.h"
#include "service/tokens.h"

namespace koya::api {
namespace {

using service::NamespaceState;
using Presenter = service::Tokens::Presenter;

Status CheckRights(Access access, const auth::Principal& caller) {
  if (IsOpen(access) || access == Access::kOneself) return {};
  const bool publishes = access == Access::kPublish || access == Access::kOwner;
  RETURN_IF_ERROR(caller.Require(publishes ? Scope::kPublish : Scope::kAdmin));
  return access == Access::kEverything ? caller.RequireAllNamespaces() : Status();
}

// Whether a browser says that somebody is signed in with it, where that counts.
bool HasSession(const Route& route, const http::Request& request) {
  return route.access == Access::kBrowse && !Cookies(request).Get(kSessionCookie).empty();
}

// What the caller has to say for itself; a browser's session says it alone. nullopt: nothing, or
// nothing that this route looks at.
std::optional<std::string_view> Credentials(const Route& route, const http::Request& request) {
  if (IsAnonymous(route.access) || HasSession(route, request)) return std::nullopt;
  return request.Find("Authorization");
}

// ---- what a request is about

// The part of the path that stands where the pattern has this name.
std::string_view PathPart(const Route& route, const http::Exchange& exchange, PathName name) {
  return exchange.parameters[PositionOf(route.pattern, name)];
}

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
  bool named =
      route.about == About::kNamespace ||
      (route.about == About::kHost && IsOwnHost(PathPart(route, exchange, "hostname"), services));
  return named ? PathPart(route, exchange, "namespace") : std::string_view();
}

// What no namespace decides.
NamespaceState StateOfRest(const Route& route, const Services& services) {
  bool mirrored = route.about == About::kHost || route.about == About::kMirror;
  return {.recorded = true, .visibility = mirrored ? services.access.mirror : Visibility::kPublic};
}

// ---- the verdict

// How clients are given a token.
std::string TokenAdvice(const Services& services) {
  return fmt::format("TF_TOKEN_… or a credentials block for {}", services.host());
}

Failure SignInFirst(const Services& services) {
  return Fail(ErrorKind::kUnauthenticated,
              fmt::format("this registry answers only those who sign in: send a token, with {}, or "
                          "as \"Authorization: Bearer koya_…\"",
                          TokenAdvice(services)));
}

// The same for what is nowhere and for what is hidden.
Failure NotThere(const auth::Principal& caller, const Services& services) {
  std::string hint;
  if (caller.is_stranger()) {
    hint = fmt::format(", or sign in with a token, if it is private: {}", TokenAdvice(services));
  }
  return Fail(ErrorKind::kNotFound,
              fmt::format("there is nothing of this name here: check the spelling, or publish it "
                          "first{}",
                          hint));
}

// Who may read what is there when strangers may not read at all: public things need a URL that
// opens them, too, since clients fetch archives without their token.
Visibility EffectiveVisibility(Visibility visibility, const Services& services) {
  if (services.access.strangers_read) return visibility;
  return std::max(visibility, Visibility::kInternal);
}

// Caches on the way must not give to others what is not public.
void MarkFor(Visibility visibility, http::Response& reply) {
  if (visibility == Visibility::kPublic) return;
  for (auto& [name, value] : reply.fields) {
    if (name == "Cache-Control" && value.starts_with("public")) {
      value.replace(0, std::string_view("public").size(), "private");
    }
  }
}

// ---- what is known without asking

// Whoever asks, before it is known for what.
struct Caller {
  Presenter who;         // null: a stranger
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

// Adds to who asks what is asked for.
void FillStanding(Standing& standing, std::string_view ns, NamespaceState state, const Route& route,
                  const Services& services) {
  bool of_nobody = route.about == About::kNobody;
  standing.ns = ns;
  standing.recorded = state.recorded;
  standing.visibility =
      of_nobody ? Visibility::kPublic : EffectiveVisibility(state.visibility, services);
}

// Whom the request's URL was made for; nullopt: for nobody, it is a plain one. Fails: kForbidden.
Result<std::optional<auth::CapabilityBearer>> BearerOf(const Route& route,
                                                       const http::Request& request,
                                                       const Services& services) {
  if (route.access != Access::kLinked) return std::nullopt;
  return services.signer.Verify(request.path, request.query, services.clock.Now());
}

// Whether it does to send nothing. Fails: kUnauthenticated; nullopt says what would do.
std::optional<Status> AdmitStranger(const Route& route, const Services& services) {
  if (!IsOpen(route.access)) return std::nullopt;
  // A page about nobody's things looks at who asks by itself.
  const bool reads = IsReading(route.access) && route.about != About::kNobody;
  if (reads && !services.access.strangers_read) return SignInFirst(services);
  return Status();
}

// Whom a URL was made for: a token's owner, or somebody who is signed in with a browser.
std::optional<Result<Presenter>> RecogniseBearer(const auth::CapabilityBearer& bearer,
                                                 std::string_view from, Services& services) {
  if (bearer.kind == auth::CapabilityBearer::Kind::kToken) {
    return services.rights.tokens.RecogniseBearer(bearer, from);
  }
  std::optional<Result<service::Visitor>> known = services.sign_in.sessions.RecogniseBearer(bearer);
  if (!known) return std::nullopt;
  if (!*known) return Failure(std::move(*known).error());
  return (*known)->principal;
}

// Says who asks. nullopt: the catalog must be asked. Fails: kUnauthenticated; kForbidden for a URL.
// What is known is filled in, here and below: it is not moved about for each request.
std::optional<Status> KnowCaller(const Route& route, const http::Request& request,
                                 Services& services, Caller& caller) {
  Result<std::optional<auth::CapabilityBearer>> bearer = BearerOf(route, request, services);
  if (!bearer) return Failure(std::move(bearer).error());
  std::optional<std::string_view> credentials = Credentials(route, request);
  // Who is signed in is asked of the catalog, or of what is known of it.
  if (!*bearer && !credentials && HasSession(route, request)) return std::nullopt;
  if (!*bearer && !credentials) return AdmitStranger(route, services);
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
      ns.empty() ? StateOfRest(route, services) : services.rights.namespaces.Known(ns);
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
    ASSIGN_OR_CO_RETURN(service::Visitor visitor,
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

// A stranger who sent what could not be checked.
Caller Unchecked(Error error) {
  return {.unchecked = std::make_shared<const Error>(std::move(error))};
}

// Who is signed in with the browser; a stranger, if nobody is any more.
Task<Caller> AdmitVisitor(const Route& route, const http::Request& request, Services& services) {
  std::string cookie(Cookies(request).Get(kSessionCookie));
  Result<service::Visitor> who = co_await services.sign_in.sessions.Find(std::move(cookie));
  if (who) co_return Caller{.who = std::move(who->principal)};
  const bool away = who.error().kind == ErrorKind::kUnavailable;
  if (!away && who.error().kind != ErrorKind::kUnauthenticated) {
    co_return Failure(std::move(who).error());
  }
  if (away && !services.access.strangers_read) co_return Failure(std::move(who).error());
  if (away) co_return Unchecked(std::move(who).error());
  CO_RETURN_IF_ERROR(*AdmitStranger(route, services));
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
  std::optional<std::string_view> credentials = Credentials(route, request);
  if (!credentials && HasSession(route, request)) {
    co_return co_await AdmitVisitor(route, request, services);
  }
  if (!credentials && IsOpen(route.access)) co_return Caller();
  std::string authorization(credentials.value_or(""));
  std::string from(request.remote);
  Result<auth::Principal> who =
      co_await services.rights.tokens.Authenticate(std::move(authorization), std::move(from));
  if (who) co_return Caller{.who = std::make_shared<const auth::Principal>(*std::move(who))};
  bool stranger = IsOpen(route.access) && services.access.strangers_read &&
                  who.error().kind == ErrorKind::kUnavailable;
  if (!stranger) co_return Failure(std::move(who).error());
  co_return Unchecked(std::move(who).error());
}

// Of what a namespace decides. While the catalog is away, a URL's word is enough.
Task<NamespaceState> FindState(const Caller& caller, std::string_view ns, Services& services) {
  Result<NamespaceState> state = co_await services.rights.namespaces.Find(std::string(ns));
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

// Whether a handler found nothing, or looked at something else first (a query, say), which would
// tell a namespace that does not exist apart from one that is hidden.
bool FoundNothing(const Result<http::Response>& reply) {
  if (reply) return reply->status >= 400 && reply->status < 500;
  return reply.error().kind == ErrorKind::kNotFound || reply.error().kind == ErrorKind::kInvalid;
}

// Of what the caller may not know of, and of what is nowhere.
Task<http::Response> AnswerNowhere(const Route& route, Call& call, const Standing& standing) {
  if (standing.caller.unchecked) co_return Failure(*standing.caller.unchecked);
  CO_RETURN_IF_ERROR(co_await call.services.rights.namespaces.Pretend(std::string(standing.ns)));
  if (standing.caller.by_link) {
    co_return Fail(ErrorKind::kForbidden,
                   "whoever this URL was made for may not read this any more: ask for the "
                   "download again");
  }
  if (route.absent != nullptr) co_return co_await route.absent(call);
  co_return NotThere(call.principal, call.services);
}

// What was claimed for an answer shrinks to the answer, and goes when that has been sent.
void HoldUntilSent(Call& call, const http::Response& reply) {
  std::uint64_t bytes = 0;
  if (const auto* document = std::get_if<std::shared_ptr<const http::Document>>(&reply.body)) {
    bytes = (*document)->cost();
  } else if (const auto* text = std::get_if<std::string>(&reply.body)) {
    bytes = text->size();
  }
  call.reading.Keep(bytes);
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

// Archives never change, and what concerns nobody's things does not come from the catalog.
bool ComesFromCatalog(const Route& route, const http::Response& reply) {
  return route.about != About::kNobody &&
         std::holds_alternative<std::shared_ptr<const http::Document>>(reply.body);
}

// What is kept, unless the catalog has been away for too long; marked while it is away.
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
  Call call{exchange, services, principal, route.pattern, standing.visibility};
  if (!IsReading(route.access)) call.principal.actor = ActorOf(principal, exchange.request);
  if (!standing.MaySee()) co_return co_await AnswerNowhere(route, call, standing);
  // While it was not known who asks, or for what, nobody has looked for what is at hand.
  if (route.ready != nullptr && !was_asked) {
    if (auto ready = AnswerAtHand(route, exchange, services)) {
      CountFetch(exchange, *ready, standing.caller.who, services);
      MarkFor(call.visibility, *ready);
      co_return *std::move(ready);
    }
  }
  co_return co_await AnswerSeen(route, call, standing);
}

}  // namespace koya::api
