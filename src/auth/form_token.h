// Protects the forms of pages against cross-site request forgery: each carries a token derived from
// the browser's own cookie, which other sites can neither read nor guess.
//
//   HMAC-SHA-256 over the cookie, with a key derived from server.secret, in base64url: 43
//   characters
//
// The cookie is that of the session; before the first sign-in, a random one that the page of the
// first form sets, or another site could sign a browser in as a different user. A token is valid as
// long as its cookie, on every server with the same secret, and for no other cookie: it ends at
// sign-in and sign-out. It reveals nothing about the cookie.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace koya::auth {

// Any thread. Keys are wiped on destruction.
class FormTokens {
 public:
  // `server_secret` is server.secret; forms made with `previous`, server.secret_previous, are still
  // accepted. "": there is none.
  explicit FormTokens(std::string_view server_secret, std::string_view previous = "");
  ~FormTokens();
  FormTokens(const FormTokens&) = delete;
  FormTokens& operator=(const FormTokens&) = delete;

  // REQUIRES: the cookie is not empty.
  std::string For(std::string_view cookie) const;
  // Whether `token`, as the form sent it, belongs to `cookie`; false for an empty cookie. Takes the
  // same time wherever they differ.
  bool Check(std::string_view cookie, std::string_view token) const;

 private:
  Sha256Bytes key_;
  std::optional<Sha256Bytes> previous_;
};

}  // namespace koya::auth
