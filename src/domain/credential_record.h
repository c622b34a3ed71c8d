// Stored records of what callers prove who they are with: API tokens, passwords, sessions of
// browsers, and codes that clients exchange.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/digest.h"

namespace koya {

// Lifetime of a token that a CI job gets for its own. No token with provenance lasts longer.
inline constexpr std::chrono::minutes kJobTokenLife{15};

// A stored API token: everything except the token itself.
struct TokenRecord {
  std::string name;  // unique
  Digest secret;     // SHA-256 of the token's text; the token itself is never stored
  Scope scope = Scope::kRead;
  std::vector<std::string> namespaces;  // patterns; empty = all
  // The account that the token acts for, whose permissions limit its own. "": none: the token's
  // scope alone decides.
  std::string account_id = {};
  // The account's name and kind. Read only: ignored when a token is added or replaced.
  std::string account_name = {};
  std::optional<AccountKind> account_kind = {};
  std::string account_created_by = {};  // the creator of that account; read only as well
  UnixSeconds created_at = 0;
  std::string created_by;  // the principal's name
  std::optional<UnixSeconds> expires_at;
  std::optional<UnixSeconds> last_used_at;
  std::string last_used_from = {};  // the address of that use; "": not known
  std::string provenance = {};      // the claims of the CI identity that got it, as JSON; "": none
  std::string trust_id = {};        // TrustRecord::id of the trust for that identity
};

// Selects tokens for administrators.
enum class TokenFilter {
  kAll,
  kNeverExpires,
  kUnused,    // neither created nor used lately
  kEndsSoon,  // not expired yet
};

// The name in requests; "": all.
constexpr std::string_view TokenFilterName(TokenFilter filter) {
  switch (filter) {
    case TokenFilter::kAll:
      return "";
    case TokenFilter::kNeverExpires:
      return "never_expires";
    case TokenFilter::kUnused:
      return "unused";
    case TokenFilter::kEndsSoon:
      return "ends_soon";
  }
  return "";
}

constexpr std::optional<TokenFilter> ParseTokenFilter(std::string_view name) {
  using enum TokenFilter;
  for (TokenFilter each : {kAll, kNeverExpires, kUnused, kEndsSoon}) {
    if (name == TokenFilterName(each)) return each;
  }
  return std::nullopt;
}

// The proof that a CI's job exchanged for a token: it is valid once in a namespace.
struct JobProof {
  Digest digest;
  UnixSeconds expires_at = 0;  // remembered until then
};

// A user with the password for sign-in here.
struct PasswordRecord {
  AccountRecord account;
  // From auth::HashPassword; nullopt: none, as for users who sign in elsewhere.
  std::optional<std::string> hash;
  friend bool operator==(const PasswordRecord&, const PasswordRecord&) = default;
};

// A signed-in browser session.
struct SessionRecord {
  std::string id;  // auth::RandomId(): for display; authorizes nothing
  Digest secret;   // of the value of the browser's cookie, which is stored nowhere
  std::string account_id;
  std::string user;        // the account's name; "" when one is added
  std::string method;      // how they signed in: "password", or "oidc:" and the provider's name
  std::string address;     // where they signed in from
  std::string user_agent;  // 256 bytes at most
  UnixSeconds created_at = 0;
  UnixSeconds expires_at = 0;
  std::optional<UnixSeconds> last_used_at;
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

// A user's approval that a client may have a token (RFC 6749 §4.1.2, RFC 7636).
struct LoginCodeRecord {
  Digest secret;  // of the code's text
  std::string account_id;
  std::string client_id;
  std::string redirect_uri;  // compared exactly
  std::string challenge;     // code_challenge, of the method S256
  Scope scope = Scope::kRead;
  UnixSeconds expires_at = 0;
  friend bool operator==(const LoginCodeRecord&, const LoginCodeRecord&) = default;
};

}  // namespace koya
