// Internet addresses and ranges of them in CIDR notation, IPv4 and IPv6.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::http {

// An address of either family. IPv4 is held in its mapped form (::ffff:a.b.c.d), so that a client
// on a dual-stack listener and the same client on an IPv4 listener are equal.
class Address {
 public:
  // Without port, brackets or zone.
  static std::optional<Address> Parse(std::string_view text);
  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  friend bool operator==(const Address&, const Address&) = default;

 private:
  friend class AddressRange;
  std::array<std::uint8_t, 16> bytes_{};
  bool is_v4_ = false;
};

class AddressRange {
 public:
  // "10.0.0.0/8", "::1/128", or one address. Fails: kInvalid.
  static Result<AddressRange> Parse(std::string_view text);
  bool Contains(const Address& address) const;

 private:
  Address base_;
  unsigned bits_ = 128;
};

bool AnyContains(const std::vector<AddressRange>& ranges, std::string_view address);

}  // namespace koya::http
