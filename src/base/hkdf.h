// HKDF with SHA-256 (RFC 5869): derives several keys from one secret; none reveals another.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace koya {

// Fills `key` with the key for `secret` and `purpose` (and `salt`, if there is one). Any thread.
// REQUIRES: at most 255 * 32 bytes.
void DeriveKey(std::string_view secret, std::string_view purpose, std::span<std::byte> key,
               std::string_view salt = {});

}  // namespace koya
