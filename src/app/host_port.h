// HOST:PORT, as --listen takes it. A value that exists is well-formed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koya {

struct HostPort {
  std::string host;        // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;  // 0: any free port

  // "127.0.0.1:8443", "localhost:0", "[::1]:8443". Nothing is left out: ":8443" is refused.
  static std::optional<HostPort> Parse(std::string_view text);
  std::string ToString() const;  // with brackets around IPv6
  // 0.0.0.0 or ::, which one listens at and nobody connects to.
  bool IsWildcard() const { return host == "0.0.0.0" || host == "::"; }

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

}  // namespace koya
