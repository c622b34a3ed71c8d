// HMAC-SHA-256 (RFC 2104; OpenSSL).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/sha256.h"

namespace koya {

// Of the parts one after another, as if they were one text: who needs them told apart gives all but
// the last a fixed length. Any thread. The thread keeps the key, and what OpenSSL made of it, until
// it is given another or ends, and wipes it then: the same key again costs nothing.
Sha256Bytes HmacSha256(std::span<const std::byte> key,
                       std::initializer_list<std::string_view> parts);

}  // namespace koya
