// A mark that a browser keeps from having signed in to an account, so that its attempts are told
// from those of strangers who guess (OWASP's "device cookies"):
//
//   base64url of 16 random bytes, 8 of its end in Unix seconds, and 32 of an HMAC-SHA-256 over both
//   and the user's name in lower case, with a key made of server.secret
//
// Nobody is signed in by it: it opens nothing, and neither a new password nor the end of a session
// ends it. With another server.secret a browser is a stranger until the next time, unless the one
// before is server.secret_previous.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/sha256.h"

namespace koya::auth {

// Any thread. Keys are wiped when this goes.
class DeviceMarks {
 public:
  static constexpr std::chrono::days kLife{365};

  // `server_secret` is server.secret; marks made with `previous`, server.secret_previous, are still
  // read. "": there is none.
  explicit DeviceMarks(std::string_view server_secret, std::string_view previous = "");
  ~DeviceMarks();
  DeviceMarks(const DeviceMarks&) = delete;
  DeviceMarks& operator=(const DeviceMarks&) = delete;

  // For a browser with which `user` has just signed in; another one each time.
  std::string Make(std::string_view user, UnixSeconds now) const;
  // What tells the browser from others: 22 characters. nullopt: it is no mark of this user's (in
  // any letter case), was altered, or has ended.
  std::optional<std::string> Read(std::string_view mark, std::string_view user,
                                  UnixSeconds now) const;

 private:
  Sha256Bytes key_;
  std::optional<Sha256Bytes> previous_;
};

}  // namespace koya::auth
