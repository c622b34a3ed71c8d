#include "service/access/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "auth/token.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/token_catalog.h"
#include "service/access/accounts.h"
#include "service/common/last_used_tracker.h"

namespace koya::service {
namespace {

// Versions published with a token store its provenance, which is true of that job alone.
Error NotRotated(std::string_view name) {
  return {ErrorKind::kConflict,
          fmt::format("the token \"{}\" belongs to a CI job and expires by itself: the next job "
                      "gets its own (for a long-lived token: koya token create)",
                      name),
          {}};
}

Status CheckLife(std::optional<std::chrono::seconds> life) {
  constexpr auto kMost = std::chrono::days(36'500);
  if (!life || (life->count() > 0 && *life <= kMost)) return {};
  if (life->count() > 0) {
    return FailInvalid(
        "a token is valid for {} days at most, or without limit if no duration is given",
        kMost.count());
  }
  return FailInvalid("the token would already have expired: give a duration such as 90d");
}

// Whether it is one of theirs to see and to take away.
Status CheckHeld(const auth::Principal& by, const TokenRecord& token) {
  RETURN_IF_ERROR(by.RequireToHold(token.scope, token.namespaces));
  return token.account_id == by.account_id() ? Status() : by.RequireAllNamespaces();
}

constexpr auto kTokenKind = auth::CapabilityBearer::Kind::kToken;

auth::CapabilityBearer BearerOf(const Digest& secret) {
  return auth::CapabilityBearer::Of(kTokenKind, secret);
}

// The bearer of a URL sent no token: there is nothing to authenticate again.
Error AsRefusedUrl(Error error) {
  if (error.kind != ErrorKind::kUnauthenticated) return error;
  error.kind = ErrorKind::kForbidden;
  error.message = "this URL was made for a token that is no longer valid: " + error.message;
  return error;
}

Failure UnknownToken() {
  return FailUnauthenticated(
      "this registry does not know that token: it was revoked, or belongs to another "
      "server; create one with koya token create");
}

}  // namespace

Task<AccountRecord> Tokens::AccountOfNew(auth::Principal by, std::string service) {
  if (service.empty()) co_return by.account ? by.account->account : AccountRecord();
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  co_return co_await accounts_.FindAccount(AccountKind::kService, std::move(service));
}

Task<CreatedToken> Tokens::Create(auth::Principal by, NewToken token) {
  CO_RETURN_IF_ERROR(auth::CheckTokenName(token.name));
  constexpr std::size_t kMostPatterns = 100;
  if (token.namespaces.size() > kMostPatterns) {
    co_return FailInvalid("a token can have at most {} namespace patterns", kMostPatterns);
  }
  for (const std::string& pattern : token.namespaces) {
    CO_RETURN_IF_ERROR(auth::CheckNamespacePattern(pattern));
  }
  CO_RETURN_IF_ERROR(CheckLife(token.expires));
  CO_RETURN_IF_ERROR(by.RequireToHold(token.scope, token.namespaces));
  UnixSeconds now = clock_.Now();
  std::optional<UnixSeconds> wanted;
  if (token.expires) {
    wanted = now + token.expires->count();
  } else if (!token.never_ends) {
    wanted = now + std::chrono::seconds(kUsualTokenLife).count();
    if (by.expires_at) wanted = std::min(*wanted, *by.expires_at);
  }
  ASSIGN_OR_CO_RETURN(std::optional<UnixSeconds> expires_at, by.ExpiryOfGiven(wanted));
  ASSIGN_OR_CO_RETURN(AccountRecord account, co_await AccountOfNew(by, std::move(token.service)));
  auth::MintedToken minted = auth::MintToken();
  TokenRecord record{.name = token.name,
                     .secret = minted.secret,
                     .scope = token.scope,
                     .namespaces = token.namespaces,
                     .account_id = std::move(account.id),
                     .account_name = std::move(account.name),
                     .created_at = now,
                     .created_by = by.name,
                     .expires_at = expires_at,
                     .last_used_at = std::nullopt};
  if (!record.account_id.empty()) record.account_kind = account.kind;
  CO_RETURN_IF_ERROR(co_await catalog_.AddToken(std::move(by.actor), record));
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

Task<std::vector<TokenRecord>> Tokens::List(auth::Principal by) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await catalog_.ListTokens());
  std::erase_if(tokens, [&by](const TokenRecord& token) { return !CheckHeld(by, token); });
  co_return tokens;
}

Task<Page<TokenRecord>> Tokens::Browse(auth::Principal by, TokenFilter filter, PageRequest page) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  const UnixSeconds now = clock_.Now();
  const UnixSeconds until = filter == TokenFilter::kUnused
                                ? now - std::chrono::seconds(kTokenUnusedAfter).count()
                                : now + std::chrono::seconds(kTokenEndsSoon).count();
  co_return co_await catalog_.BrowseTokens(filter, now + 1, until, page);
}

Task<std::vector<TokenRecord>> Tokens::ListEnding(auth::Principal by, UnixSeconds from,
                                                  UnixSeconds until) {
  std::string account(by.account_id());
  if (account.empty()) co_return std::vector<TokenRecord>();
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens,
                      co_await catalog_.ListEndingTokens(std::move(account), from, until));
  std::erase_if(tokens, [&by](const TokenRecord& token) { return !CheckHeld(by, token); });
  co_return tokens;
}

Task<TokenRecord> Tokens::FindHeld(auth::Principal by, std::string name) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await catalog_.ListTokens());
  auto token = std::ranges::find(tokens, name, &TokenRecord::name);
  if (token == tokens.end()) {
    co_return FailNotFound("there is no token named \"{}\": list the tokens to see their names",
                           Printable(name, 80));
  }
  CO_RETURN_IF_ERROR(CheckHeld(by, *token));
  co_return std::move(*token);
}

Task<CreatedToken> Tokens::Rotate(auth::Principal by, std::string name,
                                  std::optional<std::chrono::seconds> expires) {
  CO_RETURN_IF_ERROR(CheckLife(expires));
  ASSIGN_OR_CO_RETURN(TokenRecord record, co_await FindHeld(by, std::move(name)));
  if (!record.provenance.empty()) co_return Failure(NotRotated(record.name));
  UnixSeconds now = clock_.Now();
  std::optional<UnixSeconds> wanted;
  if (expires) wanted = now + expires->count();
  if (!expires && record.expires_at) {
    wanted = now + (*record.expires_at - record.created_at);
    if (by.expires_at) wanted = std::min(*wanted, *by.expires_at);
  }
  ASSIGN_OR_CO_RETURN(record.expires_at, by.ExpiryOfGiven(wanted));
  auth::MintedToken minted = auth::MintToken();
  Digest replaced = std::exchange(record.secret, minted.secret);
  record.created_at = now;
  record.created_by = by.name;
  record.last_used_at = std::nullopt;
  record.last_used_from.clear();
  CO_RETURN_IF_ERROR(co_await catalog_.ReplaceToken(std::move(by.actor), record, replaced));
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

Task<void> Tokens::Revoke(auth::Principal by, std::string name) {
  ASSIGN_OR_CO_RETURN(TokenRecord token, co_await FindHeld(by, std::move(name)));
  co_return co_await catalog_.RevokeToken(std::move(by.actor), std::move(token.name), token.secret);
}

Task<std::optional<std::string>> Tokens::RevokePresented(Actor from, std::string text) {
  Result<TokenRecord> token = co_await catalog_.FindToken(auth::TokenSecret(text));
  if (!token && token.error().kind == ErrorKind::kNotFound) co_return std::nullopt;
  if (!token) co_return Failure(std::move(token).error());
  std::string name = token->name;
  from.name = !token->account_kind ? "token:" + name
                                   : fmt::format("{}:{}", AccountKindName(*token->account_kind),
                                                 token->account_name);
  from.token = name;
  Result<void> ended = co_await catalog_.RevokeToken(std::move(from), name, token->secret);
  // Another request was faster.
  bool gone = !ended && ended.error().kind == ErrorKind::kNotFound;
  if (!ended && !gone) co_return Failure(std::move(ended).error());
  co_return name;
}

std::string Tokens::MakeOwn() {
  auth::MintedToken minted = auth::MintToken();
  own_ = minted.secret;
  auth::Principal who = auth::Principal::Operator();
  who.bearer = BearerOf(minted.secret);
  operator_ = std::make_shared<const auth::Principal>(std::move(who));
  return std::move(minted.text);
}

bool Tokens::IsOwn(std::string_view text) const { return own_ && auth::TokenSecret(text) == *own_; }

Tokens::Presenter Tokens::Holder(std::string_view authorization) {
  const std::string_view text = auth::BearerText(authorization);
  if (text.empty()) return nullptr;
  if (IsOwn(text)) return operator_;
  std::shared_ptr<const KnownToken> known = cache_.FindToken(kTokenKind, text);
  return known ? Presenter(known, &known->principal) : nullptr;
}

Task<Tokens::Presenter> Tokens::FindHolder(auth::CapabilityBearer bearer) {
  if (operator_ && operator_->bearer == bearer) co_return operator_;
  if (bearer.kind != kTokenKind) co_return UnknownToken();
  std::shared_ptr<const KnownToken> known = cache_.FindToken(bearer);
  if (!known) {
    TokenCache::Ticket ticket = cache_.TakeTicket();
    Result<TokenRecord> record = co_await catalog_.FindTokenByStart(bearer.id);
    ASSIGN_OR_CO_RETURN(known, co_await Know(ticket, std::move(record)));
  }
  co_return Presenter(known, &known->principal);
}

Status Tokens::Admit(const KnownToken& known, std::string_view from) {
  const auth::Principal& who = known.principal;
  UnixSeconds now = clock_.Now();
  if (who.expires_at && *who.expires_at <= now) {
    return FailUnauthenticated(
        "the token \"{}\" expired at {}: create a new one with koya token "
        "rotate or koya token create",
        who.name, FormatRfc3339(*who.expires_at));
  }
  if (who.account) RETURN_IF_ERROR(CheckEnabled(who.account->account));
  if (known.TakeNote(now)) uses_.NoteToken(known.secret, now, from);
  return {};
}

std::optional<Result<Tokens::Presenter>> Tokens::Recognise(std::string_view authorization,
                                                           std::string_view from) {
  // Text that was found before is a token: its form is not checked again.
  if (std::string_view text = auth::BearerText(authorization); !text.empty()) {
    if (IsOwn(text)) return operator_;
    if (std::shared_ptr<const KnownToken> known = cache_.FindToken(kTokenKind, text)) {
      if (Status good = Admit(*known, from); !good) return std::unexpected(std::move(good).error());
      return Presenter(known, &known->principal);
    }
  }
  Result<std::string_view> parsed = auth::ParseBearer(authorization);
  if (!parsed) return std::unexpected(std::move(parsed).error());
  return std::nullopt;
}

Task<auth::Principal> Tokens::WithRights(TokenRecord record) {
  auth::Principal who{.name = std::move(record.name),
                      .scope = record.scope,
                      .namespaces = std::move(record.namespaces),
                      .expires_at = record.expires_at,
                      .bearer = BearerOf(record.secret),
                      .provenance = std::move(record.provenance)};
  if (record.account_id.empty()) co_return who;
  Result<std::shared_ptr<const AccountRights>> rights =
      co_await FindAccountRights(accounts_, std::move(record.account_id));
  if (!rights && rights.error().kind == ErrorKind::kNotFound) co_return UnknownToken();
  if (!rights) co_return std::unexpected(std::move(rights).error());
  who.account = *std::move(rights);
  co_return who;
}

Task<std::shared_ptr<const KnownToken>> Tokens::Know(TokenCache::Ticket ticket,
                                                     Result<TokenRecord> record) {
  if (!record && record.error().kind == ErrorKind::kNotFound) co_return UnknownToken();
  if (!record) co_return std::unexpected(std::move(record).error());
  const Digest secret = record->secret;
  ASSIGN_OR_CO_RETURN(auth::Principal who, co_await WithRights(*std::move(record)));
  co_return cache_.Put(ticket, secret, std::move(who));
}

std::shared_ptr<const KnownToken> Tokens::KnownOffline(const Result<TokenRecord>& asked,
                                                       std::string_view text) {
  const bool away = !asked && asked.error().kind == ErrorKind::kUnavailable;
  return away ? cache_.FindOffline(kTokenKind, text) : nullptr;
}

Task<auth::Principal> Tokens::Authenticate(std::string authorization, std::string from) {
  ASSIGN_OR_CO_RETURN(std::string_view text, auth::ParseBearer(authorization));
  if (IsOwn(text)) co_return *operator_;
  std::shared_ptr<const KnownToken> known = cache_.FindToken(kTokenKind, text);
  if (!known) {
    TokenCache::Ticket ticket = cache_.TakeTicket();
    Result<TokenRecord> record = co_await catalog_.FindToken(auth::TokenSecret(text));
    known = KnownOffline(record, text);
    if (!known) {
      ASSIGN_OR_CO_RETURN(known, co_await Know(ticket, std::move(record)));
    }
  }
  CO_RETURN_IF_ERROR(Admit(*known, from));
  co_return known->principal;
}

std::optional<Result<Tokens::Presenter>> Tokens::RecogniseBearer(
    const auth::CapabilityBearer& bearer, std::string_view from) {
  if (operator_ && operator_->bearer == bearer) return operator_;
  if (bearer.kind != kTokenKind) return std::nullopt;
  std::shared_ptr<const KnownToken> known = cache_.FindToken(bearer);
  if (!known) return std::nullopt;
  if (Status good = Admit(*known, from); !good)
    return Failure(AsRefusedUrl(std::move(good).error()));
  return Presenter(known, &known->principal);
}

Task<auth::Principal> Tokens::AuthenticateBearer(auth::CapabilityBearer bearer, std::string from) {
  if (std::optional<Result<Presenter>> known = RecogniseBearer(bearer, from)) {
    if (!*known) co_return std::unexpected(std::move(*known).error());
    co_return ***known;
  }
  TokenCache::Ticket ticket = cache_.TakeTicket();
  Result<TokenRecord> record = co_await catalog_.FindTokenByStart(bearer.id);
  Result<std::shared_ptr<const KnownToken>> known = co_await Know(ticket, std::move(record));
  if (!known) co_return Failure(AsRefusedUrl(std::move(known).error()));
  if (Status good = Admit(**known, from); !good) {
    co_return Failure(AsRefusedUrl(std::move(good).error()));
  }
  co_return (*known)->principal;
}

}  // namespace koya::service
