#include "base/address_group.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace koya {
namespace {

constexpr std::size_t kNetworkBytes = 8;  // of a /64
constexpr std::array<std::uint8_t, 12> kMappedStart{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

template <std::size_t N>
std::string TextOf(int family, const std::array<std::uint8_t, N>& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(family, bytes.data(), text.data(), text.size());
}

}  // namespace

std::string AddressGroup(std::string_view address) {
  if (!address.contains(':') || address.size() >= INET6_ADDRSTRLEN) return std::string(address);
  std::string terminated(address);
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) != 1) return terminated;
  if (std::ranges::equal(kMappedStart, std::span(bytes).first(kMappedStart.size()))) {
    std::array<std::uint8_t, 4> v4{};
    std::ranges::copy(std::span(bytes).last(v4.size()), v4.begin());
    return TextOf(AF_INET, v4);
  }
  std::ranges::fill(std::span(bytes).subspan(kNetworkBytes), 0);
  return TextOf(AF_INET6, bytes) + "/64";
}

}  // namespace koya
