#include "upstream/address_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::upstream {
namespace {

TEST(AddressPolicyTest, TakesPublicAddresses) {
  auto policy = AddressPolicy::Parse({});
  ASSERT_TRUE(policy);
  for (std::string_view address : {"1.1.1.1",
                                   "9.255.255.255",
                                   "11.0.0.0",
                                   "100.63.255.255",
                                   "100.128.0.0",
                                   "126.255.255.255",
                                   "128.0.0.0",
                                   "169.253.255.255",
                                   "172.15.255.255",
                                   "172.32.0.0",
                                   "192.0.1.0",
                                   "192.167.255.255",
                                   "192.169.0.0",
                                   "198.17.255.255",
                                   "198.20.0.0",
                                   "223.255.255.255",
                                   "::ffff:1.1.1.1",
                                   "2606:4700::6810:84e5",
                                   "2a00:1450:4001:830::200e",
                                   "2002:0101:0101::1",
                                   "64:ff9b::1.1.1.1",
                                   "2001:4860:4860::8888",
                                   "2001:200::1"}) {
    auto checked = policy->Check(address);
    EXPECT_TRUE(checked) << address << ": " << checked.error().message;
  }
}

struct Refused {
  std::string_view address;
  std::string_view kind;
};

constexpr Refused kRefused[] = {
    {"0.0.0.0", "unspecified"},
    {"0.1.2.3", "unspecified"},
    {"10.0.0.0", "private"},
    {"10.255.255.255", "private"},
    {"100.64.0.1", "shared"},
    {"100.127.255.255", "shared"},
    {"127.0.0.1", "loopback"},
    {"127.255.255.255", "loopback"},
    {"169.254.169.254", "link-local"},
    {"172.16.0.1", "private"},
    {"172.31.255.255", "private"},
    {"192.0.0.1", "reserved"},
    {"192.0.2.1", "documentation"},
    {"192.88.99.1", "reserved"},
    {"192.168.1.1", "private"},
    {"198.18.0.1", "benchmarking"},
    {"198.51.100.1", "documentation"},
    {"203.0.113.1", "documentation"},
    {"224.0.0.1", "multicast"},
    {"239.255.255.255", "multicast"},
    {"240.0.0.1", "reserved"},
    {"255.255.255.255", "reserved"},
    {"::", "unspecified"},
    {"::1", "loopback"},
    {"::2", "reserved"},
    {"::10.0.0.1", "reserved"},
    {"::ffff:10.0.0.1", "private"},
    {"::ffff:127.0.0.1", "loopback"},
    {"::ffff:a9fe:a9fe", "link-local"},
    {"64:ff9b::10.0.0.1", "private"},
    {"64:ff9b::7f00:1", "loopback"},
    {"64:ff9b:1::1.1.1.1", "private"},
    {"2002:7f00:0001::1", "loopback"},
    {"2002:0a00:0001::", "private"},
    {"2002:a9fe:a9fe::1", "link-local"},
    {"2001::1", "reserved"},
    {"2001:db8::1", "documentation"},
    {"3fff::1", "documentation"},
    {"100::1", "reserved"},
    {"4000::1", "reserved"},
    {"fc00::1", "private"},
    {"fd12:3456::1", "private"},
    {"fe80::1", "link-local"},
    {"fec0::1", "site-local"},
    {"ff02::1", "multicast"},
};

TEST(AddressPolicyTest, RefusesTheRestAndNamesTheSetting) {
  auto policy = AddressPolicy::Parse({});
  ASSERT_TRUE(policy);
  for (const Refused& row : kRefused) {
    auto checked = policy->Check(row.address);
    ASSERT_FALSE(checked) << row.address;
    EXPECT_EQ(checked.error().kind, ErrorKind::kBadUpstream);
    EXPECT_NE(checked.error().message.find(row.kind), std::string::npos) << checked.error().message;
    EXPECT_NE(checked.error().message.find("upstream.allow_private_addresses"), std::string::npos);
    // An address that the setting lists is allowed.
    EXPECT_TRUE(AddressPolicy::Parse({std::string(row.address)})->Check(row.address))
        << row.address;
  }
}

TEST(AddressPolicyTest, TakesWhatTheSettingListsAndNoMore) {
  auto policy = AddressPolicy::Parse({"10.1.0.0/16", "fd00::/8"});
  ASSERT_TRUE(policy);
  for (std::string_view address : {"10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3",
                                   "2002:0a01:0203::1", "fd12::1", "1.1.1.1"}) {
    EXPECT_TRUE(policy->Check(address)) << address;
  }
  for (std::string_view address : {"10.2.0.0", "127.0.0.1", "fc00::1", "64:ff9b::10.2.0.1"}) {
    EXPECT_FALSE(policy->Check(address)) << address;
  }
}

TEST(AddressPolicyTest, RefusesWhatIsNoAddressOrRange) {
  auto policy = AddressPolicy::Parse({"0.0.0.0/0", "::/0"});
  ASSERT_TRUE(policy);
  for (std::string_view address : {"", "localhost", "1.2.3", "fe80::1%eth0", "[::1]"}) {
    EXPECT_FALSE(policy->Check(address)) << address;
  }
  for (std::string text : {"10.0.0.0/33", "private", ""}) {
    auto refused = AddressPolicy::Parse({text});
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::kInvalid);
  }
}

}  // namespace
}  // namespace koya::upstream
