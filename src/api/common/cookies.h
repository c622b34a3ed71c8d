// Reads and sets cookies (RFC 6265bis). Their names are defined only here.
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

// "__Host-": browsers accept it only from this very host, over TLS and for all paths, so that a
// host with a neighbouring name cannot set it.
inline constexpr std::string_view kSessionCookie = "__Host-koya";
// Forms of an anonymous visitor are bound to this cookie.
inline constexpr std::string_view kVisitCookie = "__Host-koya-visit";
// Marks a browser with which a user has signed in before.
inline constexpr std::string_view kDeviceCookie = "__Host-koya-device";
// Sealed state of a sign-in with another provider that is in progress.
inline constexpr std::string_view kOidcCookie = "__Host-koya-oidc";
// Notice of a finished action, which the next page shows once.
inline constexpr std::string_view kNoticeCookie = "__Host-koya-note";
inline constexpr std::string_view kLanguageCookie = "lang";
inline constexpr std::string_view kThemeCookie = "theme";
inline constexpr std::string_view kKeysCookie = "keys";  // "off": keys are no shortcuts

inline constexpr std::chrono::days kCookieYear{365};

// The cookies that a browser sent. Views into the request.
class Cookies {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 10;  // of all Cookie fields
  static constexpr std::size_t kMostCookies = 100;

  // Nothing is read beyond the limits. Pairs with a half that no server could have set are skipped:
  // other programs on this host may have set them.
  explicit Cookies(const http::Request& request);

  // "" if there is no such cookie, or several, whose origin is then unknown.
  std::string_view Get(std::string_view name) const;

 private:
  void Add(std::string_view field);
  std::vector<std::pair<std::string_view, std::string_view>> pairs_;
};

// The value of a Set-Cookie field: Path=/, Secure, HttpOnly, SameSite=Lax. Without `life` the
// cookie lasts until the browser is closed; a `life` of zero removes it at once.
// REQUIRES: `value` has only characters that a cookie may hold; else std::logic_error, since
// external input never gets here unchecked.
std::string SetCookie(std::string_view name, std::string_view value,
                      std::optional<std::chrono::seconds> life = std::nullopt);

}  // namespace koya::api
