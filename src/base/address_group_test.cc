#include "base/address_group.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

TEST(AddressGroup, IsTheAddressOrItsNetwork) {
  struct Case {
    const char* address;
    const char* group;
  };
  const Case kCases[] = {
      {"192.0.2.7", "192.0.2.7"},
      {"192.0.2.8", "192.0.2.8"},
      {"::ffff:192.0.2.7", "192.0.2.7"},
      {"::FFFF:c000:0207", "192.0.2.7"},
      {"2001:db8:1:2::1", "2001:db8:1:2::/64"},
      {"2001:0DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"},
      {"2001:db8:1:3::1", "2001:db8:1:3::/64"},
      {"::1", "::/64"},
      {"fe80::1%eth0", "fe80::1%eth0"},
      {"", ""},
      {"unknown", "unknown"},
      {"1:2", "1:2"},
      {"2001:db8::1/64", "2001:db8::1/64"},
      {"::::::::::::::::::::::::::::::::::::::::::::::::::",
       "::::::::::::::::::::::::::::::::::::::::::::::::::"},
  };
  for (const Case& c : kCases) EXPECT_EQ(AddressGroup(c.address), c.group) << c.address;
}

}  // namespace
}  // namespace koya
