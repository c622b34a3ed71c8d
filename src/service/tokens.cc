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

}  // namespace

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
  auth::MintedToken minted = auth::MintToken();
  TokenRecord record{.name = token.name,
                     .secret = minted.secret,
                     .scope = token.scope,
                     .namespaces = token.namespaces,
                     .created_at = now,
                     .created_by = by.name,
                     .expires_at = expires_at,
                     .last_used_at = std::nullopt};
  CO_RETURN_IF_ERROR(co_await catalog_.AddToken(record));
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

Task<std::vector<TokenRecord>> Tokens::List(auth::Principal by) {
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await catalog_.ListTokens());
  std::erase_if(tokens, [&by](const TokenRecord& token) {
    return !by.RequireToHold(token.scope, token.namespaces);
  });
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
  CO_RETURN_IF_ERROR(by.RequireToHold(token->scope, token->namespaces));
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
  return std::move(minted.text);
}

Status Tokens::Admit(const KnownToken& known) {
  const TokenRecord& record = known.record;
  UnixSeconds now = clock_.Now();
  if (record.expires_at && *record.expires_at <= now) {
    return Fail(ErrorKind::kUnauthenticated,
                fmt::format("the token \"{}\" expired at {}: make a new one with koya token "
                            "rotate or koya token create",
                            record.name, FormatRfc3339(*record.expires_at)));
  }
  // Of many uses at once the catalog hears of one; a clock that was set back is no reason to be
  // silent.
  UnixSeconds noted_at = known.noted_at;
  if ((now < noted_at || now - noted_at >= kNoteEvery) &&
      known.noted_at.compare_exchange_strong(noted_at, now)) {
    uses_.NoteToken(record.secret, now);
  }
  return {};
}

std::optional<Status> Tokens::Recognise(std::string_view authorization) {
  // What was found before is a token: its form is not looked at again.
  if (std::string_view text = auth::BearerText(authorization); !text.empty()) {
    Digest secret = auth::TokenSecret(text);
    if (own_ && secret == *own_) return Status();
    if (std::shared_ptr<const KnownToken> known = cache_.Find(secret)) return Admit(*known);
  }
  Result<std::string_view> parsed = auth::ParseBearer(authorization);
  if (!parsed) return std::unexpected(std::move(parsed).error());
  return std::nullopt;
}

Task<auth::Principal> Tokens::Authenticate(std::string authorization) {
  ASSIGN_OR_CO_RETURN(std::string_view text, auth::ParseBearer(authorization));
  Digest secret = auth::TokenSecret(text);
  if (own_ && secret == *own_) co_return auth::Principal::Operator();
  std::shared_ptr<const KnownToken> known = cache_.Find(secret);
  if (!known) {
    TokenCache::Ticket ticket = cache_.TakeTicket();
    Result<TokenRecord> record = co_await catalog_.FindToken(secret);
    if (!record && record.error().kind == ErrorKind::kNotFound) {
      co_return Fail(
          ErrorKind::kUnauthenticated,
          "this registry does not know that token: it was revoked, or belongs to another "
          "server; make one with koya token create");
    }
    if (!record) co_return std::unexpected(std::move(record).error());
    known = cache_.Put(ticket, *std::move(record));
  }
  CO_RETURN_IF_ERROR(Admit(*known));
  const TokenRecord& record = known->record;
  co_return auth::Principal{record.name, record.scope, record.namespaces, record.expires_at};
}

}  // namespace koya::service
