// A mark that a browser stores after signing in to an account, so that its attempts are
// distinguished from those of attackers who guess (OWASP's "device cookies"):
//
//   base64url of 16 random bytes, 8 of its expiry in Unix seconds, and 32 of an HMAC-SHA-256 over
//   both and the user's name in lower case, with a key derived from server.secret
//
// A mark does not sign in and grants nothing, and neither a new password nor the end of a session
// ends it. After a change of server.secret a browser is unknown until the next sign-in, unless the
// previous secret is server.secret_previous.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/sha256.h"

namespace koya::auth {

// Any thread. Keys are wiped on destruction.
class DeviceMarks {
 public:
  static constexpr std::chrono::days kLife{365};

  // `server_secret` is server.secret; marks made with `previous`, server.secret_previous, are still
  // accepted. "": there is none.
  explicit DeviceMarks(std::string_view server_secret, std::string_view previous = "");
  ~DeviceMarks();
  DeviceMarks(const DeviceMarks&) = delete;
  DeviceMarks& operator=(const DeviceMarks&) = delete;

  // For a browser with which `user` has just signed in; different each time.
  std::string Make(std::string_view user, UnixSeconds now) const;
  // The browser's unique id: 22 characters. nullopt: not a mark of this user (in any letter case),
  // altered, or expired.
  std::optional<std::string> Read(std::string_view mark, std::string_view user,
                                  UnixSeconds now) const;

 private:
  Sha256Bytes key_;
  std::optional<Sha256Bytes> previous_;
};

}  // namespace koya::auth
