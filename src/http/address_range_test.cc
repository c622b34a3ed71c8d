#include "http/address_range.h"

#include <gtest/gtest.h>

namespace koya::http {
namespace {

TEST(AddressRange, Contains) {
  struct Case {
    std::string_view range, address;
    bool contained;
  };
  const Case kCases[] = {
      {"10.0.0.0/8", "10.1.2.3", true},
      {"10.0.0.0/8", "11.1.2.3", false},
      {"10.1.2.3", "10.1.2.3", true},
      {"10.1.2.3", "10.1.2.4", false},
      {"10.1.2.0/23", "10.1.3.255", true},
      {"10.1.2.0/23", "10.1.4.0", false},
      {"0.0.0.0/0", "8.8.8.8", true},
      {"0.0.0.0/0", "::1", false},
      {"::/0", "8.8.8.8", true},
      {"::1/128", "::1", true},
      {"2001:db8::/32", "2001:db8::7", true},
      {"2001:db8::/33", "2001:db8:8000::", false},
      {"10.0.0.0/8", "::ffff:10.0.0.1", true},
      {"10.0.0.0/8", "nonsense", false},
  };
  for (const Case& c : kCases) {
    auto range = AddressRange::Parse(c.range);
    ASSERT_TRUE(range) << c.range;
    EXPECT_EQ(AnyContains({*range}, c.address), c.contained) << c.range << " " << c.address;
  }
}

TEST(Address, IsTheWholeText) {
  for (std::string_view text : {"192.0.2.7", "::1", "2001:db8::a"}) {
    EXPECT_TRUE(Address::Parse(text)) << text;
  }
  for (std::string_view text : {std::string_view("192.0.2.7\0\"", 11), std::string_view("::1\0", 4),
                                std::string_view("::1 "), std::string_view("192.0.2"),
                                std::string_view("192.0.2.7:80"), std::string_view()}) {
    EXPECT_FALSE(Address::Parse(text)) << testing::PrintToString(text);
  }
}

TEST(AddressRange, RefusesWhatIsNone) {
  for (std::string_view text : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "a/8",
                                "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/8 ", "[::1]"}) {
    auto range = AddressRange::Parse(text);
    ASSERT_FALSE(range) << text;
    EXPECT_EQ(range.error().kind, ErrorKind::kInvalid);
  }
}

}  // namespace
}  // namespace koya::http
