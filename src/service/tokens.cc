#include "service/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "auth/token.h"
#include "base/text.h"

namespace koya::service {
namespace {

// The catalog keeps uses to the minute.
constexpr UnixSeconds kNoteEvery = 60;

Status CheckLife(std::optional<std::chrono::seconds> life) {
  constexpr auto kMost = std::chrono::days(36'500);
  if (!life || (life->count() > 0 && *life <= kMost)) return {};
  if (life->count() > 0) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("a token lasts {} days at most, or for ever when no duration is given",
                            kMost.count()));
  }
  return Fail(ErrorKind::kInvalid,
              "the token would have expired already: give a duration such as 90d");
}

// Whether it is one of theirs to see and to take away.
Status CheckHeld(const auth::Principal& by, const TokenRecord& token) {
  RETURN_IF_ERROR(by.RequireToHold(token.scope, token.namespaces));
  return token.account_id == by.account_id() ? Status() : by.RequireAllNamespaces();
}

Failure DisabledAccount(const AccountRecord& account) {
  return Fail(
      ErrorKind::kUnauthenticated,
      fmt::format("the {0} \"{1}\" is disabled: ask an administrator for koya {0} enable {1}",
                  AccountKindName(account.kind), account.name));
}

auth::CapabilityBearer BearerOf(const Digest& secret) {
  return auth::CapabilityBearer::Of(auth::CapabilityBearer::Kind::kToken, secret);
}

// Whoever has a URL did not send a token: there is nothing to sign in with.
Error AsRefusedUrl(Error error) {
  if (error.kind != ErrorKind::kUnauthenticated) return error;
  error.kind = ErrorKind::kForbidden;
  error.message = "this URL was made for a token that is not good any more: " + error.message;
  return error;
}

Failure UnknownToken() {
  return Fail(ErrorKind::kUnauthenticated,
              "this registry does not know that token: it was revoked, or belongs to another "
              "server; make one with koya token create");
}

}  // namespace

Task<std::string> Tokens::AccountOfNew(auth::Principal by, std::string service) {
  if (service.empty()) co_return std::string(by.account_id());
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  ASSIGN_OR_CO_RETURN(AccountRecord account,
                      co_await accounts_.FindAccount(AccountKind::kService, std::move(service)));
  co_return std::move(account.id);
}

Task<CreatedToken> Tokens::Create(auth::Principal by, NewToken token) {
  CO_RETURN_IF_ERROR(auth::CheckTokenName(token.name));
  constexpr std::size_t kMostPatterns = 100;
  if (token.namespaces.size() > kMostPatterns) {
    co_return Fail(ErrorKind::kInvalid,
                   fmt::format("a token takes at most {} namespace patterns", kMostPatterns));
  }
  for (const std::string& pattern : token.namespaces) {
    CO_RETURN_IF_ERROR(auth::CheckNamespacePattern(pattern));
  }
  CO_RETURN_IF_ERROR(CheckLife(token.expires));
  CO_RETURN_IF_ERROR(by.RequireToHold(token.scope, token.namespaces));
  UnixSeconds now = clock_.Now();
  std::optional<UnixSeconds> wanted;
  if (token.expires) wanted = now + token.expires->count();
  ASSIGN_OR_CO_RETURN(std::optional<UnixSeconds> expires_at, by.ExpiryOfGiven(wanted));
  ASSIGN_OR_CO_RETURN(std::string account_id, co_await AccountOfNew(by, std::move(token.service)));
  auth::MintedToken minted = auth::MintToken();
  TokenRecord record{.name = token.name,
                     .secret = minted.secret,
                     .scope = token.scope,
                     .namespaces = token.namespaces,
                     .account_id = std::move(account_id),
                     .created_at = now,
                     .created_by = by.name,
                     .expires_at = expires_at,
                     .last_used_at = std::nullopt};
  CO_RETURN_IF_ERROR(co_await catalog_.AddToken(record));
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

Task<std::vector<TokenRecord>> Tokens::List(auth::Principal by) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await catalog_.ListTokens());
  std::erase_if(tokens, [&by](const TokenRecord& token) { return !CheckHeld(by, token); });
  co_return tokens;
}

Task<TokenRecord> Tokens::FindHeld(auth::Principal by, std::string name) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await catalog_.ListTokens());
  auto token = std::ranges::find(tokens, name, &TokenRecord::name);
  if (token == tokens.end()) {
    co_return Fail(ErrorKind::kNotFound,
                   fmt::format("there is no token named \"{}\": list the tokens to see their names",
                               Printable(name, 80)));
  }
  CO_RETURN_IF_ERROR(CheckHeld(by, *token));
  co_return std::move(*token);
}

Task<CreatedToken> Tokens::Rotate(auth::Principal by, std::string name,
                                  std::optional<std::chrono::seconds> expires) {
  CO_RETURN_IF_ERROR(CheckLife(expires));
  ASSIGN_OR_CO_RETURN(TokenRecord record, co_await FindHeld(by, std::move(name)));
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
  CO_RETURN_IF_ERROR(co_await catalog_.ReplaceToken(record, replaced));
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

Task<void> Tokens::Revoke(auth::Principal by, std::string name) {
  ASSIGN_OR_CO_RETURN(TokenRecord token, co_await FindHeld(std::move(by), std::move(name)));
  co_return co_await catalog_.RevokeToken(std::move(token.name), token.secret);
}

std::string Tokens::MakeOwn() {
  auth::MintedToken minted = auth::MintToken();
  own_ = minted.secret;
  auth::Principal who = auth::Principal::Operator();
  who.bearer = BearerOf(minted.secret);
  operator_ = std::make_shared<const auth::Principal>(std::move(who));
  return std::move(minted.text);
}

Status Tokens::Admit(const KnownToken& known) {
  const auth::Principal& who = known.principal;
  UnixSeconds now = clock_.Now();
  if (who.expires_at && *who.expires_at <= now) {
    return Fail(ErrorKind::kUnauthenticated,
                fmt::format("the token \"{}\" expired at {}: make a new one with koya token "
                            "rotate or koya token create",
                            who.name, FormatRfc3339(*who.expires_at)));
  }
  if (who.account && who.account->account.disabled_at) return DisabledAccount(who.account->account);
  // Of many uses at once the catalog hears of one; a clock that was set back is no reason to be
  // silent.
  UnixSeconds noted_at = known.noted_at;
  if ((now < noted_at || now - noted_at >= kNoteEvery) &&
      known.noted_at.compare_exchange_strong(noted_at, now)) {
    uses_.NoteToken(known.secret, now);
  }
  return {};
}

std::optional<Result<Tokens::Presenter>> Tokens::Recognise(std::string_view authorization) {
  // What was found before is a token: its form is not looked at again.
  if (std::string_view text = auth::BearerText(authorization); !text.empty()) {
    Digest secret = auth::TokenSecret(text);
    if (own_ && secret == *own_) return operator_;
    if (std::shared_ptr<const KnownToken> known = cache_.Find(secret)) {
      if (Status good = Admit(*known); !good) return std::unexpected(std::move(good).error());
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
                      .bearer = BearerOf(record.secret)};
  if (record.account_id.empty()) co_return who;
  Result<AccountRights> account = co_await accounts_.FindRights(std::move(record.account_id));
  if (!account && account.error().kind == ErrorKind::kNotFound) co_return UnknownToken();
  if (!account) co_return std::unexpected(std::move(account).error());
  who.account = std::make_shared<const AccountRights>(*std::move(account));
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

Task<auth::Principal> Tokens::Authenticate(std::string authorization) {
  ASSIGN_OR_CO_RETURN(std::string_view text, auth::ParseBearer(authorization));
  Digest secret = auth::TokenSecret(text);
  if (own_ && secret == *own_) co_return *operator_;
  std::shared_ptr<const KnownToken> known = cache_.Find(secret);
  if (!known) {
    TokenCache::Ticket ticket = cache_.TakeTicket();
    Result<TokenRecord> record = co_await catalog_.FindToken(secret);
    ASSIGN_OR_CO_RETURN(known, co_await Know(ticket, std::move(record)));
  }
  CO_RETURN_IF_ERROR(Admit(*known));
  co_return known->principal;
}

std::optional<Result<Tokens::Presenter>> Tokens::RecogniseBearer(
    const auth::CapabilityBearer& bearer) {
  if (operator_ && operator_->bearer == bearer) return operator_;
  std::shared_ptr<const KnownToken> known = cache_.Find(bearer.id);
  if (!known) return std::nullopt;
  if (Status good = Admit(*known); !good) return Failure(AsRefusedUrl(std::move(good).error()));
  return Presenter(known, &known->principal);
}

Task<auth::Principal> Tokens::AuthenticateBearer(auth::CapabilityBearer bearer) {
  if (std::optional<Result<Presenter>> known = RecogniseBearer(bearer)) {
    if (!*known) co_return std::unexpected(std::move(*known).error());
    co_return ***known;
  }
  TokenCache::Ticket ticket = cache_.TakeTicket();
  Result<TokenRecord> record = co_await catalog_.FindTokenByStart(bearer.id);
  Result<std::shared_ptr<const KnownToken>> known = co_await Know(ticket, std::move(record));
  if (!known) co_return Failure(AsRefusedUrl(std::move(known).error()));
  if (Status good = Admit(**known); !good) {
    co_return Failure(AsRefusedUrl(std::move(good).error()));
  }
  co_return (*known)->principal;
}

}  // namespace koya::service
