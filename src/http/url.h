// An absolute URL in parts, and the resolution of references against one, as browsers and the
// registry clients do it (RFC 3986 §5, through libcurl's parser). Pure functions: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "base/result.h"

namespace koya::http {

struct Url {
  std::string scheme;    // lower case
  std::string host;      // lower case; IPv6 in brackets; A-labels (UTS #46) where they exist
  std::string port;      // empty if it is not written or is the scheme's default
  std::string path;      // at least "/"
  std::string query;     // without '?'
  std::string fragment;  // without '#'
  bool has_user_info = false;

  // "host" or "host:port": the key of stored credentials, and the beginning of a module address.
  std::string Authority() const;
  // The port as a number: the scheme's default if none is written; 0 for schemes other than
  // http(s).
  std::uint16_t PortNumber() const;
  // "https://host:port", without a slash at the end.
  std::string Origin() const;
  // Omits user information, so that the text may be shown.
  std::string ToString() const;

  friend bool operator==(const Url&, const Url&) = default;
};

// Fails: kInvalid when `text` is not an absolute URL with a host.
Result<Url> ParseUrl(std::string_view text);

// Resolves `reference` (absolute, "//host/x", "/x", "x/y", "../x") against `base`. Fails: kInvalid.
Result<Url> ResolveUrl(const Url& base, std::string_view reference);

// For segments of paths and values of queries.
using koya::PercentEncode;

// Origin and path, for messages: queries may hold signatures.
std::string PlaceOf(const Url& url);

// True for 127.0.0.0/8, ::1 and localhost: traffic that never leaves the machine.
bool IsLoopbackHost(std::string_view host);

}  // namespace koya::http
