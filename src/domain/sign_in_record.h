// Stored records of sign-ins: sessions of browsers, and codes that clients exchange.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/digest.h"
#include "domain/scope.h"

namespace koya {

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
