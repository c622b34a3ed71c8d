#include "domain/version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace koya {
namespace {

TEST(VersionTest, AcceptsCanonicalSemver) {
  for (std::string_view text :
       {"1.0.0", "0.0.1", "0.1.0", "10.20.30", "1.0.0-rc.1", "1.0.0-alpha", "1.0.0-0.3.7",
        "1.0.0-x-y-z.--", "1.0.0+build.5", "1.0.0+001", "1.0.0-rc.1+exp.sha-5114f85",
        "9223372036854775807.0.0", "0.0.0-rc.1"}) {
    auto version = Version::Parse(text);
    if (text == "0.0.0-rc.1") {
      EXPECT_FALSE(version) << text;
      continue;
    }
    ASSERT_TRUE(version) << text << ": " << version.error().message;
    EXPECT_EQ(version->ToString(), text);
  }
}

struct VersionRefusal {
  std::string text;
  std::string_view message_part;
};

TEST(VersionTest, RefusesTheRestAndSaysHowToMendIt) {
  const std::vector<VersionRefusal> kRefusals = {
      {"", "is empty"},
      {"1", "MAJOR.MINOR.PATCH"},
      {"1.0", "MAJOR.MINOR.PATCH"},
      {"1.0.0.0", "MAJOR.MINOR.PATCH"},
      {"v1.0.0", "write 1.0.0"},
      {"V1.0.0", "write 1.0.0"},
      {"v1", "MAJOR.MINOR.PATCH"},
      {"vv1.0.0", "MAJOR.MINOR.PATCH"},
      {"01.0.0", "leading zero"},
      {"1.00.0", "leading zero"},
      {"1.0.0-01", "leading zero"},
      {"1.0.0-", "empty part"},
      {"1.0.0+", "empty part"},
      {"1.0.0-a..b", "empty part"},
      {"1.0.0-a_b", "letters, digits"},
      {"1.0.0+a+b", "letters, digits"},
      {"1.0.0rc1", "MAJOR.MINOR.PATCH"},
      {"1.x.0", "MAJOR.MINOR.PATCH"},
      {" 1.0.0", "MAJOR.MINOR.PATCH"},
      {"1.0.0 ", "MAJOR.MINOR.PATCH"},
      {"-1.0.0", "MAJOR.MINOR.PATCH"},
      {"1.0.é", "MAJOR.MINOR.PATCH"},
      {"0.0.0", "0.0.1"},
      {"9223372036854775808.0.0", "below 2^63"},
      {"18446744073709551616.0.0", "below 2^63"},
      {"1.0.99999999999999999999999999", "below 2^63"},
      {"1.0.0-" + std::string(123, 'a'), "at most 128"},
      {std::string("1.0.0\0", 6), "MAJOR.MINOR.PATCH"},
  };
  for (const VersionRefusal& refusal : kRefusals) {
    auto version = Version::Parse(refusal.text);
    ASSERT_FALSE(version) << refusal.text;
    EXPECT_EQ(version.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(version.error().message.find(refusal.message_part), std::string::npos)
        << refusal.text << ": " << version.error().message;
  }
}

TEST(VersionTest, TheLongestVersionHas128Characters) {
  EXPECT_TRUE(Version::Parse("1.0.0-" + std::string(122, 'a')));
}

TEST(VersionTest, LookupsTolerateAPrefix) {
  EXPECT_EQ(Version::ParseLookup("v1.2.3")->ToString(), "1.2.3");
  EXPECT_EQ(Version::ParseLookup("1.2.3")->ToString(), "1.2.3");
  EXPECT_FALSE(Version::ParseLookup("vv1.2.3"));
}

TEST(VersionTest, OrdersAsSemverSays) {
  const std::vector<std::string> kAscending = {
      "0.0.1",      "0.1.0",        "1.0.0-1",       "1.0.0-2",
      "1.0.0-10",   "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
      "1.0.0",      "1.0.0+a",      "1.0.0+b",       "1.0.1",
      "1.2.0",      "1.10.0",       "2.0.0-rc.1",    "2.0.0"};
  for (std::size_t i = 0; i < kAscending.size(); ++i) {
    for (std::size_t j = 0; j < kAscending.size(); ++j) {
      auto a = *Version::Parse(kAscending[i]);
      auto b = *Version::Parse(kAscending[j]);
      EXPECT_EQ(a <=> b, i <=> j) << kAscending[i] << " and " << kAscending[j];
    }
  }
}

TEST(VersionTest, PrecedenceKeyLeavesOutBuildMetadata) {
  EXPECT_EQ(Version::Parse("1.0.0-rc.1+x")->PrecedenceKey(), "1.0.0-rc.1");
}

}  // namespace
}  // namespace koya
