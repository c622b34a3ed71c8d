#include "base/encoding.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

TEST(PercentEncodeTest, LeavesWhatMeansItselfAndNothingElse) {
  EXPECT_EQ(PercentEncode(""), "");
  EXPECT_EQ(PercentEncode("1.0.0-rc.1~x_Y"), "1.0.0-rc.1~x_Y");
  EXPECT_EQ(PercentEncode("1.0.0+b/ ?é"), "1.0.0%2Bb%2F%20%3F%C3%A9");
  EXPECT_EQ(PercentEncode("a&b=c#d%\r\n\"<'"), "a%26b%3Dc%23d%25%0D%0A%22%3C%27");
  EXPECT_EQ(PercentEncode(std::string_view("\0\x7f\xff", 3)), "%00%7F%FF");
}

TEST(PercentDecodeTest, ReadsCodesAndLeavesTheRest) {
  for (const auto& [given, expected] :
       {std::pair{"a%20b", "a b"}, std::pair{"%C3%bc", "\xC3\xBC"}, std::pair{"100%25", "100%"},
        std::pair{"100%", "100%"}, std::pair{"%2", "%2"}, std::pair{"%zz", "%zz"},
        std::pair{"%-1", "%-1"}, std::pair{"a+b", "a+b"}, std::pair{"", ""}}) {
    EXPECT_EQ(PercentDecode(given), expected) << given;
  }
}

}  // namespace
}  // namespace koya
