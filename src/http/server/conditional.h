// Evaluates the fields that save or choose representations, or parts of them: If-None-Match,
// If-Range, Range, Accept-Encoding (RFC 9110 §13, §14, §12.5.3).
#pragma once

#include <cstdint>
#include <string_view>

namespace koya::http {

// True if the client has the representation `etag`: `field` is "*" or a list, compared weakly.
bool MatchesEtag(std::string_view field, std::string_view etag);

// True if a Range may be honoured: no If-Range, or exactly this strong validator. Dates never
// match, since no Last-Modified is sent.
bool RangeApplies(std::string_view if_range, std::string_view etag);

// True if the client accepts gzip: named, or covered by "*", with a weight above zero.
bool AcceptsGzip(std::string_view accept_encoding);

// One range of bytes. A list of ranges is served whole, as the RFC allows; no client of a registry
// requests one.
struct ByteRange {
  enum class Kind { kWhole, kPart, kUnsatisfiable };
  Kind kind = Kind::kWhole;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// The range that `field` ("" when it was not sent) requests of a body of `size` bytes. A field that
// is malformed or names another unit is ignored: kWhole.
ByteRange ParseRange(std::string_view field, std::uint64_t size);

}  // namespace koya::http
