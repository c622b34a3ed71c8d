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

TEST(Rfc3339Test, IsReadAsItIsWritten) {
  for (UnixSeconds time : {0L, 1L, 86'399L, 951'782'400L, 1'795'279'270L, 253'402'300'799L}) {
    EXPECT_EQ(ParseRfc3339(FormatRfc3339(time)), time);
  }
  EXPECT_EQ(ParseRfc3339("2026-11-21"), 1'795'279'270 - (16 * 3600 + 41 * 60 + 10));
  EXPECT_EQ(ParseRfc3339("2024-02-29"), ParseRfc3339("2024-02-29T00:00:00Z"));
}

TEST(Rfc3339Test, NothingElseIsATime) {
  for (const char* text : {"",
                           "2026",
                           "2026-11",
                           "2026-11-2",
                           "2026-11-32",
                           "2026-13-01",
                           "2026-00-01",
                           "2026-11-00",
                           "2025-02-29",
                           "1969-12-31",
                           "2026-11-21T",
                           "2026-11-21T16:41Z",
                           "2026-11-21T16:41:10",
                           "2026-11-21 16:41:10Z",
                           "2026-11-21T16:41:10z",
                           "2026-11-21T16:41:10+01:00",
                           "2026-11-21T24:00:00Z",
                           "2026-11-21T16:60:10Z",
                           "2026-11-21T16:41:60Z",
                           "2026-11-21T16:41:10.5Z",
                           " 2026-11-21",
                           "2026-11-21 ",
                           "2026/11/21",
                           "-026-11-21",
                           "+026-11-21",
                           "20261-11-1",
                           "now"}) {
    EXPECT_EQ(ParseRfc3339(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace koya
