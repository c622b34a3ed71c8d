// A HOST:PORT, as --listen takes it. Every value is well-formed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koya {

struct HostPort {
  std::string host;        // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;  // 0: any free port

  // "127.0.0.1:8443", "localhost:0", "[::1]:8443". Both parts are required: ":8443" is rejected.
  static std::optional<HostPort> Parse(std::string_view text);
  std::string ToString() const;  // with brackets around IPv6
  // True for 0.0.0.0 and ::, which can be listened on but not connected to.
  bool IsWildcard() const { return host == "0.0.0.0" || host == "::"; }

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

}  // namespace koya
