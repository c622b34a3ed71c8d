// The target of a request, taken apart and decoded once (RFC 9112 §3.2).
//
// What remains is a path that means one thing to everybody: no "..", no "//", no encoded slash, no
// control characters. Such targets are refused rather than mended, since a proxy in front may have
// judged them by another reading.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "http/server/head_parser.h"

namespace koya::http {

struct Target {
  std::string_view path;       // decoded; begins with '/'; "*" for the asterisk form
  std::string_view query;      // as sent, without '?'
  std::string_view authority;  // of the absolute form, else ""
};

// Parses an origin-form or absolute-form target, or "*" for OPTIONS. A path that holds escapes is
// decoded into `decoded`; otherwise the views lead into `text`.
std::expected<Target, Fault> ParseTarget(Method method, std::string_view text,
                                         std::string& decoded);

}  // namespace koya::http
