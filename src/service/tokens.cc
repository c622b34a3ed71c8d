#include "service/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "auth/token.h"

namespace koya::service {
namespace {

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

Task<void> Tokens::Revoke(auth::Principal by, std::string name) {
  if (!auth::CheckTokenName(name)) {
    co_return Fail(ErrorKind::kNotFound, "no token has such a name");
  }
  ASSIGN_OR_CO_RETURN(std::vector<TokenRecord> tokens, co_await catalog_.ListTokens());
  auto token = std::ranges::find(tokens, name, &TokenRecord::name);
  // What is not listed is not there any more: the catalog says so in its words.
  if (token != tokens.end()) {
    CO_RETURN_IF_ERROR(by.RequireToHold(token->scope, token->namespaces));
  }
  co_return co_await catalog_.RevokeToken(std::move(name));
}

std::string Tokens::MakeOwn() {
  auth::MintedToken minted = auth::MintToken();
  own_ = minted.secret;
  return std::move(minted.text);
}

Task<auth::Principal> Tokens::Authenticate(std::string authorization) {
  ASSIGN_OR_CO_RETURN(std::string_view text, auth::ParseBearer(authorization));
  Digest secret = auth::TokenSecret(text);
  if (own_ && secret == *own_) co_return auth::Principal::Operator();
  auto record = co_await catalog_.FindToken(secret);
  if (!record && record.error().kind == ErrorKind::kNotFound) {
    co_return Fail(ErrorKind::kUnauthenticated,
                   "this registry does not know that token: it was revoked, or belongs to another "
                   "server; make one with koya token create");
  }
  if (!record) co_return std::unexpected(std::move(record).error());
  UnixSeconds now = clock_.Now();
  if (record->expires_at && *record->expires_at <= now) {
    co_return Fail(ErrorKind::kUnauthenticated,
                   fmt::format("the token \"{}\" expired at {}: make a new one with koya token "
                               "create",
                               record->name, FormatRfc3339(*record->expires_at)));
  }
  uses_.NoteToken(secret, now);
  co_return auth::Principal{record->name, record->scope, record->namespaces, record->expires_at};
}

}  // namespace koya::service
