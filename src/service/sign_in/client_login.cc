#include "service/sign_in/client_login.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "auth/token.h"
#include "base/decimal.h"
#include "base/encoding.h"
#include "base/secrets.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/token_catalog.h"
#include "domain/credential_record.h"
#include "service/access/accounts.h"
#include "service/access/tokens.h"

namespace koya::service {
namespace {

constexpr std::size_t kLongestState = 1024;
constexpr std::size_t kShortestVerifier = 43;
constexpr std::size_t kLongestVerifier = 128;
constexpr std::size_t kChallengeLength = 43;

Failure WrongParameter(std::string_view name, std::string_view sent, std::string_view wanted) {
  const std::string what =
      sent.empty() ? "is missing" : fmt::format("is \"{}\"", Printable(sent, 80));
  return FailInvalid(
      "the parameter \"{}\" {}; it must be {}: start again with tofu login, "
      "terraform login or koya login",
      name, what, wanted);
}

// One spelling for each port: five digits and nothing else.
bool IsRedirect(std::string_view uri) {
  constexpr std::string_view kBefore = "http://localhost:";
  constexpr std::string_view kAfter = "/login";
  if (!uri.starts_with(kBefore) || !uri.ends_with(kAfter)) return false;
  if (uri.size() != kBefore.size() + 5 + kAfter.size()) return false;
  const auto port = ParseDecimal<std::uint16_t>(uri.substr(kBefore.size(), 5));
  return port && *port >= kFirstPort && *port <= kLastPort;
}

bool IsChallenge(std::string_view text) {
  return text.size() == kChallengeLength && Base64UrlDecode(text).has_value();
}

bool IsState(std::string_view text) {
  return !text.empty() && text.size() <= kLongestState &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// RFC 7636 §4.1 and §4.6.
bool Proves(std::string_view verifier, std::string_view challenge) {
  return verifier.size() >= kShortestVerifier && verifier.size() <= kLongestVerifier &&
         std::ranges::all_of(verifier, IsUnreserved) &&
         EqualSecrets(Base64UrlEncode(Sha256(verifier)), challenge);
}

Failure NoGrant(std::string_view why) {
  return FailUnauthenticated("{}: start again with tofu login, terraform login or koya login", why);
}

Failure NoUser() { return NoGrant("the account that allowed this was deleted"); }

// What can be said of the request without its code.
Status CheckExchange(const CodeExchange& request) {
  constexpr std::string_view kGrant = "authorization_code";
  // Who asks for another grant sends other parameters.
  if (!request.grant_type.empty() && request.grant_type != kGrant) {
    return FailRefused("the grant type \"{}\" is not supported: it must be {}",
                       Printable(request.grant_type, 80), kGrant);
  }
  const std::pair<std::string_view, std::string_view> required[] = {
      {"grant_type", request.grant_type},
      {"client_id", request.client_id},
      {"code", request.code},
      {"code_verifier", request.code_verifier},
      {"redirect_uri", request.redirect_uri},
  };
  for (const auto& [name, value] : required) {
    if (value.empty()) return WrongParameter(name, "", "there");
  }
  if (request.client_id != kLoginClient) {
    return FailForbidden("the client \"{}\" is unknown: it must be {}",
                         Printable(request.client_id, 80), kLoginClient);
  }
  return {};
}

// Whether the code was made for this very request.
Status CheckCode(const LoginCodeRecord& code, const CodeExchange& request, UnixSeconds now) {
  if (code.expires_at <= now) return NoGrant("the code has expired");
  if (code.client_id != request.client_id || code.redirect_uri != request.redirect_uri) {
    return NoGrant("the code was made for another client or redirect");
  }
  if (!Proves(request.code_verifier, code.challenge)) {
    return NoGrant("the code_verifier does not match the code");
  }
  return {};
}

}  // namespace

std::string_view OAuthErrorName(ErrorKind kind) {
  if (kind == ErrorKind::kInvalid) return "invalid_request";
  if (kind == ErrorKind::kRefused) return "unsupported_grant_type";
  if (kind == ErrorKind::kForbidden) return "invalid_client";
  if (kind == ErrorKind::kUnauthenticated) return "invalid_grant";
  return "";
}

Result<LoginRequest> LoginRequest::Parse(const LoginParameters& parameters) {
  const LoginParameters& sent = parameters;
  if (sent.client_id != kLoginClient) {
    return WrongParameter("client_id", sent.client_id, fmt::format("\"{}\"", kLoginClient));
  }
  if (!IsRedirect(sent.redirect_uri)) {
    return WrongParameter(
        "redirect_uri", sent.redirect_uri,
        fmt::format("http://localhost:PORT/login with a port of {} to {}", kFirstPort, kLastPort));
  }
  if (sent.response_type != "code") {
    return WrongParameter("response_type", sent.response_type, "\"code\"");
  }
  if (sent.code_challenge_method != "S256") {
    return WrongParameter("code_challenge_method", sent.code_challenge_method, "\"S256\"");
  }
  if (!IsChallenge(sent.code_challenge)) {
    return WrongParameter("code_challenge", sent.code_challenge,
                          "a SHA-256 in base64url, of 43 characters");
  }
  if (!IsState(sent.state)) {
    return WrongParameter("state", sent.state,
                          fmt::format("1 to {} characters of ASCII", kLongestState));
  }
  const std::optional<Scope> scope =
      sent.scope.empty() ? std::optional(Scope::kRead) : ParseScope(sent.scope);
  if (!scope) return WrongParameter("scope", sent.scope, "\"read\", \"publish\" or \"admin\"");
  LoginRequest request;
  request.redirect_uri_ = sent.redirect_uri;
  request.state_ = sent.state;
  request.challenge_ = sent.code_challenge;
  request.scope_ = *scope;
  return request;
}

Task<std::string> ClientLogin::Allow(auth::Principal by, LoginRequest request) {
  if (!by.account || by.account->account.kind != AccountKind::kUser) {
    co_return FailForbidden(
        "only a user can allow a login: for programs, create a token with koya token create");
  }
  CO_RETURN_IF_ERROR(by.RequireToHold(request.scope(), {}));
  const std::string code = auth::RandomSecret();
  LoginCodeRecord record{.secret = auth::TokenSecret(code),
                         .account_id = by.account->account.id,
                         .client_id = std::string(kLoginClient),
                         .redirect_uri = request.redirect_uri(),
                         .challenge = request.challenge(),
                         .scope = request.scope(),
                         .expires_at = clock_.Now() + kCodeLife.count()};
  CO_RETURN_IF_ERROR(co_await codes_.AddLoginCode(std::move(record)));
  co_return fmt::format("{}?code={}&state={}", request.redirect_uri(), code,
                        PercentEncode(request.state()));
}

Task<LoginCodeRecord> ClientLogin::TakeCode(std::string code) {
  constexpr std::string_view kUnknown = "the code is unknown, or was used before";
  if (!auth::LooksLikeASecret(code)) co_return NoGrant(kUnknown);
  Result<LoginCodeRecord> taken = co_await codes_.TakeLoginCode(auth::TokenSecret(code));
  if (!taken && taken.error().kind == ErrorKind::kNotFound) co_return NoGrant(kUnknown);
  co_return taken;
}

Task<AccountRecord> ClientLogin::FindUser(std::string account_id) {
  Result<std::shared_ptr<const AccountRights>> rights =
      co_await FindAccountRights(accounts_, std::move(account_id));
  if (!rights && rights.error().kind == ErrorKind::kNotFound) co_return NoUser();
  if (!rights) co_return Failure(std::move(rights).error());
  CO_RETURN_IF_ERROR(CheckEnabled((*rights)->account));
  co_return (*rights)->account;
}

Task<CreatedToken> ClientLogin::Exchange(Actor from, CodeExchange request) {
  // The code is taken first: a failed exchange allows no second try with it.
  Result<LoginCodeRecord> code = co_await TakeCode(request.code);
  CO_RETURN_IF_ERROR(CheckExchange(request));
  if (!code) co_return Failure(std::move(code).error());
  const UnixSeconds now = clock_.Now();
  CO_RETURN_IF_ERROR(CheckCode(*code, request, now));
  ASSIGN_OR_CO_RETURN(AccountRecord user, co_await FindUser(code->account_id));
  from.name = "user:" + user.name;
  auth::MintedToken minted = auth::MintToken();
  TokenRecord record{.name = "login-" + auth::RandomNameEnd(),
                     .secret = minted.secret,
                     .scope = code->scope,
                     .namespaces = {},
                     .account_id = std::move(user.id),
                     .created_at = now,
                     .created_by = std::move(user.name),
                     .expires_at = now + life_.count(),
                     .last_used_at = std::nullopt};
  Status added = co_await tokens_.AddToken(std::move(from), record);
  if (!added && added.error().kind == ErrorKind::kNotFound) co_return NoUser();
  if (!added) co_return Failure(std::move(added).error());
  co_return CreatedToken{std::move(record), std::move(minted.text)};
}

}  // namespace koya::service
