// HMAC-SHA-256 (RFC 2104; OpenSSL).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/sha256.h"

namespace koya {

// The HMAC of the concatenated parts: callers that need to separate them give all but the last a
// fixed length. Any thread. Each thread caches its last key and OpenSSL's state for it, so the same
// key again costs nothing; both are wiped when the key changes or the thread ends.
Sha256Bytes HmacSha256(std::span<const std::byte> key,
                       std::initializer_list<std::string_view> parts);

}  // namespace koya
