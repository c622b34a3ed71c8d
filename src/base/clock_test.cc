#include "base/clock.h"

#include <gtest/gtest.h>

namespace koya {
namespace {

using std::chrono::seconds;

TEST(ClockTest, FormatsRfc3339) {
  EXPECT_EQ(FormatRfc3339(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatRfc3339(1795279270), "2026-11-21T16:41:10Z");
}

TEST(DurationTest, AcceptsWholeNumbersWithAUnit) {
  EXPECT_EQ(ParseDuration("5s"), seconds(5));
  EXPECT_EQ(ParseDuration("15m"), seconds(900));
  EXPECT_EQ(ParseDuration("2h"), seconds(7200));
  EXPECT_EQ(ParseDuration("90d"), seconds(90 * 86400));
  EXPECT_EQ(ParseDuration("0s"), seconds(0));
}

TEST(DurationTest, RefusesTheRest) {
  for (std::string_view bad : {"", "5", "s", "-5s", "+5s", "1.5h", "5 s", "5S", "5ms",
                               "99999999999999999999d", "9223372036854775807d"}) {
    EXPECT_FALSE(ParseDuration(bad)) << bad;
  }
}

TEST(SizeTest, AcceptsBinaryUnits) {
  EXPECT_EQ(ParseSize("500MiB"), 500ULL << 20);
  EXPECT_EQ(ParseSize("1GiB"), 1ULL << 30);
  EXPECT_EQ(ParseSize("100B"), 100U);
}

TEST(SizeTest, RefusesTheRest) {
  for (std::string_view bad : {"", "500", "500MB", "1G", "-1B", "1.5GiB", "16777216TiB", "GiB"}) {
    EXPECT_FALSE(ParseSize(bad)) << bad;
  }
}

TEST(FormatTest, ChoosesTheLargestWholeUnit) {
  EXPECT_EQ(FormatDuration(seconds(900)), "15m");
  EXPECT_EQ(FormatDuration(seconds(61)), "61s");
  EXPECT_EQ(FormatSize(500ULL << 20), "500MiB");
  EXPECT_EQ(FormatSize(1000), "1000B");
}

}  // namespace
}  // namespace koya
