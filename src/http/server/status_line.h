// The first line of a response.
#pragma once

#include <string_view>

namespace koya::http {

// "HTTP/1.1 404 Not Found\r\n", or "" for a status without a known reason phrase.
std::string_view StatusLine(unsigned status);

// True if a response with this status has no body and no Content-Length (RFC 9110 §8.6).
constexpr bool HasNoBody(unsigned status) { return status == 204 || status == 304; }

}  // namespace koya::http
