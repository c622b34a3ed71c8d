// Whom an internet address belongs to, as far as anybody can tell: what is counted by address is
// counted by this.
#pragma once

#include <string>
#include <string_view>

namespace koya {

// An IPv4 address is one client's, also as IPv6 writes it (::ffff:192.0.2.7). IPv6 gives each of
// them at least a /64, "2001:db8:0:1::/64". Text that is no address is a group of its own.
std::string AddressGroup(std::string_view address);

}  // namespace koya
