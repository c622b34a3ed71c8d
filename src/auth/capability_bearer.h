// The bearer of a capability URL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace koya {
class Digest;
}

namespace koya::auth {

// Identifies the caller of a URL: the token or session for which it was created.
struct CapabilityBearer {
  enum class Kind : std::uint8_t { kToken = 1, kSession = 2 };  // part of URLs: never renumber
  using Id = std::array<std::byte, 16>;

  Kind kind = Kind::kToken;
  Id id{};

  // Made from the stored `digest` (TokenRecord::secret): its first half, which is unique and
  // reveals nothing about the secret's text.
  static CapabilityBearer Of(Kind kind, const Digest& digest);

  friend bool operator==(const CapabilityBearer&, const CapabilityBearer&) = default;
};

}  // namespace koya::auth
