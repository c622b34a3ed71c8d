// Cookies (RFC 6265bis), read and set. Their names are here, and nowhere else.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server/message.h"

namespace koya::api {

// "__Host-": browsers take it only from this very host, over TLS and for all paths, so that nobody
// who has a neighbouring name can set it.
inline constexpr std::string_view kSessionCookie = "__Host-koya";
// What the forms of somebody who is not signed in are bound to.
inline constexpr std::string_view kVisitCookie = "__Host-koya-visit";
// That somebody has signed in with this browser before.
inline constexpr std::string_view kDeviceCookie = "__Host-koya-device";
// A sign-in elsewhere that is under way, sealed.
inline constexpr std::string_view kOidcCookie = "__Host-koya-oidc";
// What the next page tells once of what was done.
inline constexpr std::string_view kNoticeCookie = "__Host-koya-note";
inline constexpr std::string_view kLanguageCookie = "lang";
inline constexpr std::string_view kThemeCookie = "theme";
inline constexpr std::string_view kKeysCookie = "keys";  // "off": keys are no shortcuts

inline constexpr std::chrono::days kCookieYear{365};

// What a browser sent. Views into the request.
class Cookies {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 10;  // of all Cookie fields
  static constexpr std::size_t kMostCookies = 100;

  // Beyond the bounds nothing is read. Pairs of which a server could not have set either half are
  // passed over: other programs on this host may have set them.
  explicit Cookies(const http::Request& request);

  // "" where there is none, or where there are several: whose they are cannot be told.
  std::string_view Get(std::string_view name) const;

 private:
  void Add(std::string_view field);
  std::vector<std::pair<std::string_view, std::string_view>> pairs_;
};

// The value of a Set-Cookie field: Path=/, Secure, HttpOnly, SameSite=Lax. Without `life` it lasts
// until the browser is closed; of none at all it is gone at once.
// REQUIRES: the value is of characters that a cookie may hold; else std::logic_error, since what
// comes from outside never gets here unread.
std::string SetCookie(std::string_view name, std::string_view value,
                      std::optional<std::chrono::seconds> life = std::nullopt);

}  // namespace koya::api
