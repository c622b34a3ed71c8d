#include "service/sign_in/sessions.h"

#include <utility>

#include "auth/token.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "domain/name_rules.h"
#include "service/access/accounts.h"
#include "service/common/last_used_tracker.h"
#include "service/sign_in/browser.h"

namespace koya::service {
namespace {

using auth::CapabilityBearer;
constexpr auto kSessionKind = CapabilityBearer::Kind::kSession;

Failure NoSession() { return FailUnauthenticated("this browser is not signed in: sign in"); }

// A client of a capability URL sent no cookie, so there is no sign-in to ask for: kUnauthenticated
// becomes kForbidden.
Error AsUrlOfSession(Error error) {
  if (error.kind != ErrorKind::kUnauthenticated) return error;
  error.kind = ErrorKind::kForbidden;
  error.message = "this URL was made for a user who is no longer signed in: request a new one";
  return error;
}

// The stored part of a User-Agent field: 256 bytes at most.
std::string KeptUserAgent(std::string_view sent) {
  constexpr std::size_t kCut = 249;  // and the last character or "\xNN", and "…"
  return Printable(sent, kCut);
}

SignedInUser VisitorOf(const std::shared_ptr<const KnownToken>& known) {
  return {.session = known->session->id,
          .user = known->principal.name,
          .principal = std::shared_ptr<const auth::Principal>(known, &known->principal)};
}

Status RequireEverything(const auth::Principal& by) {
  RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  return by.RequireAllNamespaces();
}

// Whose sessions are asked for, where they are the asker's own.
Result<std::string> OwnAccount(const auth::Principal& by) {
  if (by.account) return by.account->account.id;
  return FailUnauthenticated(
      "the token \"{}\" does not belong to a user, so it has no sessions: sign "
      "in, or use a user's token",
      by.name);
}

}  // namespace

Task<StartedSession> Sessions::Start(AccountRecord account, std::string method, Browser browser) {
  CO_RETURN_IF_ERROR(CheckEnabled(account));
  std::string cookie = auth::RandomSecret();
  const UnixSeconds now = clock_.Now();
  Actor by = browser.ActorNamed("");
  SessionRecord record{.id = auth::RandomId(),
                       .secret = auth::TokenSecret(cookie),
                       .account_id = std::move(account.id),
                       .user = {},
                       .method = std::move(method),
                       .address = std::move(browser.address),
                       .user_agent = KeptUserAgent(browser.user_agent),
                       .created_at = now,
                       .expires_at = now + std::chrono::seconds(kLife).count(),
                       .last_used_at = std::nullopt};
  Result<void> added = co_await catalog_.AddSession(std::move(by), record);
  if (!added && added.error().kind == ErrorKind::kNotFound) {
    co_return FailUnauthenticated(
        "the account or the sign-in provider was just removed: ask an administrator");
  }
  if (!added) co_return Failure(std::move(added).error());
  record.user = std::move(account.name);
  co_return StartedSession{.cookie = std::move(cookie), .device = {}, .record = std::move(record)};
}

Status Sessions::Admit(const KnownToken& known) {
  const UnixSeconds now = clock_.Now();
  if (known.session->expires_at <= now) {
    return FailUnauthenticated("your session expired at {}: sign in again",
                               FormatRfc3339(known.session->expires_at));
  }
  RETURN_IF_ERROR(CheckEnabled(known.principal.account->account));
  if (known.TakeNote(now)) uses_.NoteSession(known.secret, now);
  return {};
}

Task<std::shared_ptr<const KnownToken>> Sessions::Know(TokenCache::Ticket ticket,
                                                       Result<SessionRecord> record) {
  if (!record && record.error().kind == ErrorKind::kNotFound) co_return NoSession();
  if (!record) co_return Failure(std::move(record).error());
  Result<std::shared_ptr<const AccountRights>> rights =
      co_await FindAccountRights(accounts_, record->account_id);
  if (!rights && rights.error().kind == ErrorKind::kNotFound) co_return NoSession();
  if (!rights) co_return Failure(std::move(rights).error());
  auth::Principal who{.name = (*rights)->account.name,
                      .scope = Scope::kAdmin,
                      .namespaces = {},
                      .account = *std::move(rights),
                      .bearer = CapabilityBearer::Of(kSessionKind, record->secret)};
  KnownSession session{.id = std::move(record->id), .expires_at = record->expires_at};
  co_return cache_.Put(ticket, record->secret, std::move(who), std::move(session));
}

Task<SignedInUser> Sessions::FindUser(std::string cookie) {
  if (!auth::LooksLikeASecret(cookie)) co_return NoSession();
  std::shared_ptr<const KnownToken> known = cache_.FindToken(kSessionKind, cookie);
  if (!known) {
    const TokenCache::Ticket ticket = cache_.TakeTicket();
    Result<SessionRecord> record = co_await catalog_.FindSession(auth::TokenSecret(cookie));
    Result<std::shared_ptr<const KnownToken>> found = co_await Know(ticket, std::move(record));
    const bool away = !found && found.error().kind == ErrorKind::kUnavailable;
    if (away) known = cache_.FindOffline(kSessionKind, cookie);
    if (!known && !found) co_return Failure(std::move(found).error());
    if (!known) known = *std::move(found);
  }
  CO_RETURN_IF_ERROR(Admit(*known));
  co_return VisitorOf(known);
}

std::optional<SignedInUser> Sessions::FindCached(std::string_view cookie) const {
  if (!auth::LooksLikeASecret(cookie)) return std::nullopt;
  const std::shared_ptr<const KnownToken> known = cache_.FindOffline(kSessionKind, cookie);
  if (!known || known->session->expires_at <= clock_.Now()) return std::nullopt;
  if (!CheckEnabled(known->principal.account->account)) return std::nullopt;
  return VisitorOf(known);
}

std::optional<Result<SignedInUser>> Sessions::RecogniseBearer(const CapabilityBearer& bearer) {
  if (bearer.kind != kSessionKind) return std::nullopt;
  const std::shared_ptr<const KnownToken> known = cache_.FindToken(bearer);
  if (!known) return std::nullopt;
  if (Status good = Admit(*known); !good) return Failure(AsUrlOfSession(std::move(good).error()));
  return VisitorOf(known);
}

Task<SignedInUser> Sessions::FindBearer(CapabilityBearer bearer) {
  if (bearer.kind != kSessionKind) co_return Failure(AsUrlOfSession(NoSession().error()));
  if (std::optional<Result<SignedInUser>> known = RecogniseBearer(bearer))
    co_return *std::move(known);
  const TokenCache::Ticket ticket = cache_.TakeTicket();
  Result<SessionRecord> record = co_await catalog_.FindSessionByStart(bearer.id);
  Result<std::shared_ptr<const KnownToken>> known = co_await Know(ticket, std::move(record));
  if (!known) co_return Failure(AsUrlOfSession(std::move(known).error()));
  if (Status good = Admit(**known); !good) {
    co_return Failure(AsUrlOfSession(std::move(good).error()));
  }
  co_return VisitorOf(*known);
}

Task<std::shared_ptr<const auth::Principal>> Sessions::FindHolder(CapabilityBearer bearer) {
  if (bearer.kind != kSessionKind) co_return NoSession();
  std::shared_ptr<const KnownToken> known = cache_.FindToken(bearer);
  if (!known) {
    const TokenCache::Ticket ticket = cache_.TakeTicket();
    Result<SessionRecord> record = co_await catalog_.FindSessionByStart(bearer.id);
    ASSIGN_OR_CO_RETURN(known, co_await Know(ticket, std::move(record)));
  }
  co_return std::shared_ptr<const auth::Principal>(known, &known->principal);
}

Task<void> Sessions::End(Browser browser, std::string cookie) {
  if (!auth::LooksLikeASecret(cookie)) co_return Status();
  Result<SessionRecord> record = co_await catalog_.FindSession(auth::TokenSecret(cookie));
  Status ended;
  if (record) {
    Actor by = browser.ActorNamed("user:" + record->user);
    ended = co_await catalog_.EndSession(std::move(by), std::move(record->id),
                                         std::move(record->account_id));
  } else {
    ended = Failure(std::move(record).error());
  }
  if (!ended && ended.error().kind == ErrorKind::kNotFound) co_return Status();
  co_return ended;
}

Task<std::string> Sessions::AccountOf(auth::Principal by, std::string user) {
  if (!user.empty()) CO_RETURN_IF_ERROR(CheckAccountName(AccountKind::kUser, user));
  if (RequireEverything(by)) {
    if (user.empty()) co_return std::string();
    ASSIGN_OR_CO_RETURN(AccountRecord account,
                        co_await accounts_.FindAccount(AccountKind::kUser, std::move(user)));
    co_return std::move(account.id);
  }
  ASSIGN_OR_CO_RETURN(std::string own, OwnAccount(by));
  const bool theirs = user.empty() || EqualsIgnoreCase(user, by.account->account.name);
  if (!theirs) CO_RETURN_IF_ERROR(RequireEverything(by));
  co_return own;
}

Task<std::vector<SessionRecord>> Sessions::List(auth::Principal by, std::string user) {
  ASSIGN_OR_CO_RETURN(std::string account_id, co_await AccountOf(std::move(by), std::move(user)));
  co_return co_await catalog_.ListSessions(std::move(account_id), clock_.Now());
}

Task<void> Sessions::EndById(auth::Principal by, std::string id) {
  Actor actor = by.actor;
  ASSIGN_OR_CO_RETURN(std::string account_id, co_await AccountOf(std::move(by), ""));
  if (!IsPlainText(id)) co_return FailNotFound("there is no such session");
  co_return co_await catalog_.EndSession(std::move(actor), std::move(id), std::move(account_id));
}

Task<std::uint64_t> Sessions::EndAllOf(auth::Principal by, std::string user) {
  CO_RETURN_IF_ERROR(RequireEverything(by));
  CO_RETURN_IF_ERROR(CheckAccountName(AccountKind::kUser, user));
  co_return co_await catalog_.EndSessionsOf(std::move(by.actor), std::move(user));
}

}  // namespace koya::service
