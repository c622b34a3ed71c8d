// Evaluates the fields that save or choose representations: If-None-Match, If-Range,
// Accept-Encoding (RFC 9110 §13, §12.5.3).
#pragma once

#include <string_view>

namespace koya::http {

// True if the client has the representation `etag`: `field` is "*" or a list, compared weakly.
bool MatchesEtag(std::string_view field, std::string_view etag);

// True if a Range may be honoured: no If-Range, or exactly this strong validator. Dates never
// match, since no Last-Modified is sent.
bool RangeApplies(std::string_view if_range, std::string_view etag);

// True if the client accepts gzip: named, or covered by "*", with a weight above zero.
bool AcceptsGzip(std::string_view accept_encoding);

}  // namespace koya::http
