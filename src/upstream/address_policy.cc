#include "upstream/address_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text.h"

namespace koya::upstream {
namespace {

struct Kind {
  std::string_view range;
  std::string_view name;
};

// IANA's special-purpose registries, as far as they are not reachable from everywhere.
constexpr Kind kSpecial[] = {
    {"0.0.0.0/8", "an unspecified"},
    {"10.0.0.0/8", "a private"},
    {"100.64.0.0/10", "a shared (carrier)"},
    {"127.0.0.0/8", "a loopback"},
    {"169.254.0.0/16", "a link-local"},
    {"172.16.0.0/12", "a private"},
    {"192.0.0.0/24", "a reserved"},
    {"192.0.2.0/24", "a documentation"},
    {"192.88.99.0/24", "a reserved"},
    {"192.168.0.0/16", "a private"},
    {"198.18.0.0/15", "a benchmarking"},
    {"198.51.100.0/24", "a documentation"},
    {"203.0.113.0/24", "a documentation"},
    {"224.0.0.0/4", "a multicast"},
    {"240.0.0.0/4", "a reserved"},
    {"::/128", "an unspecified"},
    {"::1/128", "a loopback"},
    {"64:ff9b:1::/48", "a private"},
    {"2001::/23", "a reserved"},  // Teredo among them
    {"2001:db8::/32", "a documentation"},
    {"3fff::/20", "a documentation"},
    {"fc00::/7", "a private"},
    {"fe80::/10", "a link-local"},
    {"fec0::/10", "a site-local"},
    {"ff00::/8", "a multicast"},
};

// Where an IPv4 address stands inside an IPv6 one.
struct Carrier {
  std::string_view range;
  std::size_t offset;
};
constexpr Carrier kCarriers[] = {{"64:ff9b::/96", 12}, {"2002::/16", 2}};

bool Contains(std::string_view range, const http::Address& address) {
  auto parsed = http::AddressRange::Parse(range);
  return parsed && parsed->Contains(address);
}

std::optional<http::Address> Carried(const http::Address& address) {
  const auto* carrier = std::ranges::find_if(
      kCarriers, [&](const Carrier& each) { return Contains(each.range, address); });
  if (carrier == std::end(kCarriers)) return std::nullopt;
  auto bytes = std::span(address.bytes()).subspan(carrier->offset, 4);
  return http::Address::Parse(fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]));
}

// What kind of address that is not to be connected to; "" for a public one.
std::string_view KindOf(const http::Address& address) {
  const auto* kind = std::ranges::find_if(
      kSpecial, [&](const Kind& each) { return Contains(each.range, address); });
  if (kind != std::end(kSpecial)) return kind->name;
  // IANA has allocated only 2000::/3 for global unicast in IPv6; the rest is reserved.
  bool public_ip = Contains("::ffff:0:0/96", address) || Contains("2000::/3", address) ||
                   Contains("64:ff9b::/96", address);
  return public_ip ? "" : "a reserved";
}

}  // namespace

Result<AddressPolicy> AddressPolicy::Parse(const std::vector<std::string>& allowed) {
  std::vector<http::AddressRange> ranges;
  for (const std::string& text : allowed) {
    ASSIGN_OR_RETURN(http::AddressRange range, http::AddressRange::Parse(text));
    ranges.push_back(range);
  }
  return AddressPolicy(std::move(ranges));
}

Status AddressPolicy::Check(std::string_view address) const {
  auto parsed = http::Address::Parse(address);
  if (!parsed) {
    return FailBadUpstream("\"{}\" is not an IP address", Printable(address, 80));
  }
  auto carried = Carried(*parsed);
  std::string_view kind = KindOf(*parsed);
  if (kind.empty() && carried) kind = KindOf(*carried);
  bool listed = std::ranges::any_of(allowed_, [&](const http::AddressRange& range) {
    return range.Contains(*parsed) || (carried && range.Contains(*carried));
  });
  if (kind.empty() || listed) return {};
  return FailBadUpstream(
      "{} is {} address, and Koya connects to public ones only: if the "
      "upstream is there, list it in upstream.allow_private_addresses",
      address, kind);
}

}  // namespace koya::upstream
