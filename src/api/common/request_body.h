// Reads small request bodies into memory.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_source.h"

namespace koya::api {

// Default limit of ReadSmallBody: JSON requests are small.
inline constexpr std::uint64_t kSmallBody = 64 * 1024;
// Limit of a release's documents: SHA256SUMS (1 MiB), as hexadecimal digits, and keys.
inline constexpr std::uint64_t kReleaseBody = 8ULL << 20;
// Limit of keys: armored keys with many certifications are larger.
inline constexpr std::uint64_t kKeyBody = 256 * 1024;

// The whole body. Fails: kTooLarge over `most` bytes, and as the source.
Task<std::string> ReadSmallBody(ByteSource& body, std::uint64_t most = kSmallBody);

}  // namespace koya::api
