// Streaming SHA-256 (OpenSSL). One hasher belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
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

}  // namespace koya
