// Groups internet addresses by the client that probably owns them. Everything counted by address is
// counted by this group.
#pragma once

#include <string>
#include <string_view>

namespace koya {

// An IPv4 address is one client's, also in IPv6 notation (::ffff:192.0.2.7). IPv6 clients get at
// least a /64 each, so an IPv6 address maps to its /64: "2001:db8:0:1::/64". Text that is not an
// address is a group of its own.
std::string AddressGroup(std::string_view address);

}  // namespace koya
