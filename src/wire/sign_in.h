// Documents of signing in: the first set-up, passwords, browser sessions, and login.v1 with its
// token endpoint (RFC 6749 §5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// POST /api/v1/setup. The response is an Account.
struct SetupRequest {
  std::string token;
  std::string user;
  std::string password;
  std::string visibility = {};  // of new namespaces: "public", "internal", "private"; "": not given
  std::string name = {};        // of the registry, on pages; "": not given
  friend bool operator==(const SetupRequest&, const SetupRequest&) = default;
};

// PUT /api/v1/users/{name}/password. `password` must be present: omitting it does not remove a
// password.
struct PasswordRequest {
  std::optional<std::string> password;  // nullopt: removes the password, null on the wire
  std::string old_password;             // "": absent
  friend bool operator==(const PasswordRequest&, const PasswordRequest&) = default;
};
template <>
std::string Encode(const PasswordRequest& request);
template <>
Result<PasswordRequest> Decode(std::string_view body);

// A browser session of a signed-in user.
struct Session {
  std::string id;
  std::string user;
  std::string method;        // "password", or "oidc:" and the provider's name
  std::string address;       // "" = not known, null on the wire
  std::string user_agent;    // as of address
  std::string created_at;    // RFC 3339
  std::string expires_at;    // RFC 3339
  std::string last_used_at;  // RFC 3339; "" = not yet, null on the wire
  friend bool operator==(const Session&, const Session&) = default;
};
using SessionList = ListOf<Session, "sessions", "the list of sessions">;
struct EndedSessions {
  std::uint64_t ended = 0;
  friend bool operator==(const EndedSessions&, const EndedSessions&) = default;
};
template <>
inline constexpr DocumentShape kShape<EndedSessions>{"{ended: integer}", {}};

// Who the caller is, by its token.
struct Caller {
  std::string server;   // its URL
  std::string account;  // "" = the token itself, null on the wire
  std::string kind;     // "user", "service" or "token"
  std::string token;    // its name
  std::string scope;
  std::vector<std::string> namespaces;  // patterns; empty = all
  std::string expires;                  // RFC 3339; "" = never, null on the wire
  friend bool operator==(const Caller&, const Caller&) = default;
};

// login.v1 in the discovery document.
struct LoginService {
  std::string client;
  std::vector<std::string> grant_types;
  std::string authz;  // URLs, relative to the discovery document or not
  std::string token;
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;  // included
  friend bool operator==(const LoginService&, const LoginService&) = default;
};
// The value of "login.v1".
std::string EncodeLoginService(const LoginService& service);
// Reads it from a whole discovery document; nullopt: the host offers no login. The default of
// grant_types is the authorization code, and of ports all from 1024. Fails: kInvalid.
Result<std::optional<LoginService>> DecodeLoginService(std::string_view discovery);

// The token endpoint's response to a code (RFC 6749 §5.1).
struct AccessToken {
  std::string access_token;
  std::string token_type;        // "bearer"
  std::uint64_t expires_in = 0;  // seconds; 0 = not given
  std::string scope;             // "" = as requested, absent on the wire
  friend bool operator==(const AccessToken&, const AccessToken&) = default;
};

// The token endpoint's error (RFC 6749 §5.2).
struct OAuthError {
  std::string error;              // "invalid_grant"
  std::string error_description;  // "" = absent
  friend bool operator==(const OAuthError&, const OAuthError&) = default;
};

// ---- endpoints

struct Account;  // wire/accounts.h

inline constexpr Endpoint<SetupRequest, Account> kSetUp{"POST", "/api/v1/setup"};
inline constexpr Endpoint<PasswordRequest, void, 1> kSetPassword{"PUT",
                                                                 "/api/v1/users/{name}/password"};
inline constexpr Endpoint<void, Caller> kWhoAmI{"GET", "/api/v1/whoami"};
inline constexpr Endpoint<void, SessionList> kListSessions{"GET", "/api/v1/sessions"};
inline constexpr Endpoint<void, void, 1> kEndSession{"DELETE", "/api/v1/sessions/{id}"};
inline constexpr Endpoint<void, EndedSessions, 1> kEndSessionsOfUser{
    "DELETE", "/api/v1/users/{name}/sessions"};

}  // namespace koya::wire
