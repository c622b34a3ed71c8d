// Tokens of browsers: those of forms, and the marks of known browsers.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/sha256.h"

namespace koya::auth {

// The keys of one kind of token, derived from server.secret and, where there is one, from
// server.secret_previous. Wiped on destruction.
struct BrowserKeys {
  // `previous` may be "": there is none.
  BrowserKeys(std::string_view purpose, std::string_view server_secret, std::string_view previous);
  ~BrowserKeys();
  BrowserKeys(const BrowserKeys&) = delete;
  BrowserKeys& operator=(const BrowserKeys&) = delete;

  // Whether `made_with` holds for the key or for the previous one.
  template <class Test>
  bool AnyOf(const Test& made_with) const {
    return made_with(key) || (previous_key && made_with(*previous_key));
  }

  Sha256Bytes key;
  std::optional<Sha256Bytes> previous_key;
};

// Protects the forms of pages against cross-site request forgery: each carries a token derived from
// the browser's own cookie, which other sites can neither read nor guess.
//
//   HMAC-SHA-256 over the cookie, with a key derived from server.secret, in base64url: 43
//   characters
//
// The cookie is that of the session; before the first sign-in, a random one that the page of the
// first form sets, or another site could sign a browser in as a different user. A token is valid as
// long as its cookie, on every server with the same secret, and for no other cookie: it ends at
// sign-in and sign-out. It reveals nothing about the cookie. Any thread.
class FormTokens {
 public:
  // `server_secret` is server.secret; forms made with `previous`, server.secret_previous, are still
  // accepted. "": there is none.
  explicit FormTokens(std::string_view server_secret, std::string_view previous = "");

  // REQUIRES: the cookie is not empty.
  std::string For(std::string_view cookie) const;
  // Whether `token`, as the form sent it, belongs to `cookie`; false for an empty cookie. Takes the
  // same time wherever they differ.
  bool Check(std::string_view cookie, std::string_view token) const;

 private:
  BrowserKeys keys_;
};

// A mark that a browser stores after signing in to an account, so that its attempts are
// distinguished from those of attackers who guess (OWASP's "device cookies"):
//
//   base64url of 16 random bytes, 8 of its expiry in Unix seconds, and 32 of an HMAC-SHA-256 over
//   both and the user's name in lower case, with a key derived from server.secret
//
// A mark does not sign in and grants nothing, and neither a new password nor the end of a session
// ends it. After a change of server.secret a browser is unknown until the next sign-in, unless the
// previous secret is server.secret_previous. Any thread.
class DeviceMarks {
 public:
  static constexpr std::chrono::days kLife{365};

  // `server_secret` is server.secret; marks made with `previous`, server.secret_previous, are still
  // accepted. "": there is none.
  explicit DeviceMarks(std::string_view server_secret, std::string_view previous = "");

  // For a browser with which `user` has just signed in; different each time.
  std::string Make(std::string_view user, UnixSeconds now) const;
  // The browser's unique id: 22 characters. nullopt: not a mark of this user (in any letter case),
  // altered, or expired.
  std::optional<std::string> Read(std::string_view mark, std::string_view user,
                                  UnixSeconds now) const;

 private:
  BrowserKeys keys_;
};

}  // namespace koya::auth
