#include "http/address_range.h"

#include <arpa/inet.h>
#include <algorithm>
#include <string>

#include "base/decimal.h"
#include "base/text.h"

namespace koya::http {
namespace {

Failure NotARange(std::string_view text) {
  return FailInvalid("\"{}\" is not an address range: write it like 10.0.0.0/8 or ::1/128",
                     Printable(text));
}

std::optional<unsigned> ParseBits(std::string_view text, unsigned most) {
  auto bits = ParseDecimal<unsigned>(text);
  return bits && *bits <= most ? bits : std::nullopt;
}

}  // namespace

std::optional<Address> Address::Parse(std::string_view text) {
  if (text.size() > INET6_ADDRSTRLEN || text.contains('\0')) return std::nullopt;
  std::string terminated(text);
  Address address;
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data() + 12) == 1) {
    address.bytes_[10] = address.bytes_[11] = 0xff;
    address.is_v4_ = true;
    return address;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
  return std::nullopt;
}

Result<AddressRange> AddressRange::Parse(std::string_view text) {
  std::size_t slash = text.find('/');
  auto base = Address::Parse(text.substr(0, slash));
  if (!base) return NotARange(text);
  AddressRange range;
  range.base_ = *base;
  if (slash == std::string_view::npos) return range;
  auto bits = ParseBits(text.substr(slash + 1), base->is_v4_ ? 32 : 128);
  if (!bits) return NotARange(text);
  range.bits_ = *bits + (base->is_v4_ ? 96 : 0);
  return range;
}

bool AddressRange::Contains(const Address& address) const {
  unsigned whole = bits_ / 8;
  const auto& mine = base_.bytes();
  if (!std::equal(mine.begin(), mine.begin() + whole, address.bytes().begin())) return false;
  unsigned rest = bits_ % 8;
  if (rest == 0) return true;
  auto mask = static_cast<std::uint8_t>(0xff << (8 - rest));
  return (mine[whole] & mask) == (address.bytes()[whole] & mask);
}

bool AnyContains(const std::vector<AddressRange>& ranges, std::string_view address) {
  auto parsed = Address::Parse(address);
  if (!parsed) return false;
  return std::ranges::any_of(ranges, [&](const auto& range) { return range.Contains(*parsed); });
}

}  // namespace koya::http
