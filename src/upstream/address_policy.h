// Decides which internet addresses this server connects to on behalf of its clients: public ones,
// and those that the setting upstream.allow_private_addresses lists. Without this policy, anyone
// who can name an upstream, or respond for one, could reach into the network of the server.
//
// Immutable: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/address_range.h"

namespace koya::upstream {

class AddressPolicy {
 public:
  // `allowed` as in the setting: CIDRs. Fails: kInvalid.
  static Result<AddressPolicy> Parse(const std::vector<std::string>& allowed);

  // Fails: kBadUpstream, naming the address, its kind and the setting: for addresses that are
  // private, loopback, link-local, shared, multicast, documentation, reserved or unspecified, also
  // inside an IPv6 address (mapped, 6to4, NAT64), and for texts that are not addresses.
  Status Check(std::string_view address) const;

 private:
  explicit AddressPolicy(std::vector<http::AddressRange> allowed) : allowed_(std::move(allowed)) {}
  std::vector<http::AddressRange> allowed_;
};

}  // namespace koya::upstream
