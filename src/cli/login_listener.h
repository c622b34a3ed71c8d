// LoginListener is an HTTP server on 127.0.0.1 that receives one code from the browser after
// sign-in (RFC 8252 §7.3). One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace koya::cli {

class LoginListener {
 public:
  // Listens on the first free port from `first` to `last`. Fails: kConflict: none is free.
  static Result<LoginListener> Open(std::uint16_t first, std::uint16_t last);

  std::uint16_t port() const { return port_; }

  // Waits for the code that comes with this state. Accepts any path. Rejects and ignores requests
  // with another state, without a code, or with a method other than GET: any program on this
  // machine may send them. The browser gets a line of text. Accepts several connections at once,
  // since browsers open some that they send nothing on.
  // Fails: kTimeout: no code within `patience`; kForbidden: the server sent an error with this
  // state; kInternal.
  Result<std::string> WaitForCode(std::string_view state, std::chrono::seconds patience);

 private:
  LoginListener(UniqueFd socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  UniqueFd socket_;
  std::uint16_t port_ = 0;
};

// A parsed request line.
struct LoginCallback {
  enum class Kind { kCode, kDenied, kStranger, kNotGet };
  Kind kind = Kind::kStranger;
  std::string text;  // the code, or the error
};
LoginCallback ReadCallback(std::string_view request_line, std::string_view state);

}  // namespace koya::cli
