// What is kept of people's coming in: sessions of browsers, and codes that clients exchange.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "domain/account_record.h"
#include "domain/digest.h"
#include "domain/scope.h"

namespace koya {

// A user, with the password that they sign in with here.
struct PasswordRecord {
  AccountRecord account;
  // As auth::HashPassword makes it; nullopt: none, as of those who sign in elsewhere.
  std::optional<std::string> hash;
  friend bool operator==(const PasswordRecord&, const PasswordRecord&) = default;
};

// Somebody's browser, signed in.
struct SessionRecord {
  std::string id;  // auth::RandomId(): names it to people, and opens nothing
  Digest secret;   // of what the browser's cookie holds, which is stored nowhere
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

// Somebody's word that a client may have a token (RFC 6749 §4.1.2, RFC 7636).
struct LoginCodeRecord {
  Digest secret;  // of the code's text
  std::string account_id;
  std::string client_id;
  std::string redirect_uri;  // letter by letter
  std::string challenge;     // code_challenge, of the method S256
  Scope scope = Scope::kRead;
  UnixSeconds expires_at = 0;
  friend bool operator==(const LoginCodeRecord&, const LoginCodeRecord&) = default;
};

}  // namespace koya
