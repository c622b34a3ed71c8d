// The target of a request, split and decoded once (RFC 9112 §3.2).
//
// The resulting path is unambiguous: no "..", no "//", no encoded slash, no control characters.
// Targets with these are rejected rather than corrected, since a proxy in front may have read them
// in another way.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "http/server/head_parser.h"

namespace koya::http {

struct Target {
  std::string_view path;       // decoded; begins with '/'; "*" for the asterisk form
  std::string_view query;      // as sent, without '?'
  std::string_view authority;  // in the absolute form, else ""
};

// Parses an origin-form or absolute-form target, or "*" for OPTIONS. A path with escapes is decoded
// into `decoded`; otherwise the views point into `text`.
std::expected<Target, Fault> ParseTarget(Method method, std::string_view text,
                                         std::string& decoded);

}  // namespace koya::http
