// Whom a capability URL was made for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace koya {
class Digest;
}

namespace koya::auth {

// Who asks with a URL: the token or session that it was made for.
struct CapabilityBearer {
  enum class Kind : std::uint8_t { kToken = 1, kSession = 2 };  // stands in URLs: never renumber
  using Id = std::array<std::byte, 16>;

  Kind kind = Kind::kToken;
  Id id{};

  // Of what is stored as `digest` (TokenRecord::secret): its first half, which tells it from all
  // others and nothing about its text.
  static CapabilityBearer Of(Kind kind, const Digest& digest);

  friend bool operator==(const CapabilityBearer&, const CapabilityBearer&) = default;
};

}  // namespace koya::auth
