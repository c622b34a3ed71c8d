// What every form of a page carries against cross-site request forgery: a text that is made of the
// browser's own cookie, which other sites can neither read nor guess.
//
//   HMAC-SHA-256 over the cookie, with a key made of server.secret, in base64url: 43 characters
//
// The cookie is that of a session; before anybody has signed in, a random one that the page of the
// first form sets, or another site could sign a browser in as somebody else. A token is good as
// long as its cookie, on every server with the same secret, and for no other cookie: it ends when
// somebody signs in or out. It tells nothing of the cookie.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace koya::auth {

// Any thread. Keys are wiped when this goes.
class FormTokens {
 public:
  // `server_secret` is server.secret; forms made with `previous`, server.secret_previous, are still
  // taken. "": there is none.
  explicit FormTokens(std::string_view server_secret, std::string_view previous = "");
  ~FormTokens();
  FormTokens(const FormTokens&) = delete;
  FormTokens& operator=(const FormTokens&) = delete;

  // REQUIRES: the cookie is not empty.
  std::string For(std::string_view cookie) const;
  // Whether `token`, as the form sent it, is that of `cookie`; of an empty cookie none is. Takes
  // the same time wherever they differ.
  bool Check(std::string_view cookie, std::string_view token) const;

 private:
  Sha256Bytes key_;
  std::optional<Sha256Bytes> previous_;
};

}  // namespace koya::auth
