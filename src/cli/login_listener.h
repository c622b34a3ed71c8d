// Where a browser comes back to after somebody has signed in: an HTTP server for one code, on
// 127.0.0.1 (RFC 8252 §7.3). One thread.
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
  // On the first port from `first` to `last` that is free. Fails: kConflict: none is.
  static Result<LoginListener> Open(std::uint16_t first, std::uint16_t last);

  std::uint16_t port() const { return port_; }

  // The code that comes with this state. Any path is taken; requests with another state, without a
  // code, or of another method than GET are refused and forgotten: anybody on this machine may
  // send some. Whoever waits in the browser gets a line of text. Several connections at once, since
  // browsers open some that they send nothing on.
  // Fails: kTimeout: none came within `patience`; kForbidden: the server sent an error with this
  // state; kInternal.
  Result<std::string> WaitForCode(std::string_view state, std::chrono::seconds patience);

 private:
  LoginListener(UniqueFd socket, std::uint16_t port) : socket_(std::move(socket)), port_(port) {}

  UniqueFd socket_;
  std::uint16_t port_ = 0;
};

// What the head of a request says.
struct LoginCallback {
  enum class Kind { kCode, kDenied, kStranger, kNotGet };
  Kind kind = Kind::kStranger;
  std::string text;  // the code, or the error
};
LoginCallback ReadCallback(std::string_view request_line, std::string_view state);

}  // namespace koya::cli
