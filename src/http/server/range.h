// Parses the Range field (RFC 9110 §14): one range of bytes. A list of ranges is served whole, as
// the RFC allows; no client of a registry requests one.
#pragma once

#include <cstdint>
#include <string_view>

namespace koya::http {

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
