// Streaming SHA-256 (OpenSSL). One hasher belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

namespace koya {

using Sha256Bytes = std::array<std::byte, 32>;

class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();
  Sha256Hasher(Sha256Hasher&&) noexcept;
  Sha256Hasher& operator=(Sha256Hasher&&) noexcept;

  void Update(std::span<const std::byte> bytes);
  void Update(std::string_view text);
  // The digest of all input. The hasher is unusable afterwards until Restart().
  Sha256Bytes Finish();
  // Starts over with empty input.
  void Restart();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The digest of a whole text, with a hasher that is reused per thread; OpenSSL wipes the text from
// it.
Sha256Bytes Sha256(std::string_view text);

// HMAC-SHA-256 (RFC 2104; OpenSSL): the HMAC of the concatenated parts: callers that need to
// separate them give all but the last a fixed length. Any thread. Each thread caches its last key
// and OpenSSL's state for it, so the same key again costs nothing; both are wiped when the key
// changes or the thread ends.
Sha256Bytes HmacSha256(std::span<const std::byte> key,
                       std::initializer_list<std::string_view> parts);

// HKDF with SHA-256 (RFC 5869): derives several keys from one secret; none reveals another. Fills
// `key` with the key for `secret` and `purpose` (and `salt`, if there is one). Any thread.
// REQUIRES: at most 255 * 32 bytes.
void DeriveKey(std::string_view secret, std::string_view purpose, std::span<std::byte> key,
               std::string_view salt = {});

}  // namespace koya
