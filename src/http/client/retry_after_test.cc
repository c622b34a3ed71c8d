#include "http/client/retry_after.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::http {
namespace {

using std::chrono::seconds;

constexpr UnixSeconds kNow = 1'700'000'000;  // Tue, 14 Nov 2023 22:13:20 GMT

TEST(RetryAfterTest, SecondsAndDatesAreRead) {
  struct Row {
    std::string_view value;
    seconds wait;
  } rows[] = {
      {"0", seconds(0)},
      {"1", seconds(1)},
      {"120", seconds(120)},
      {"3600", seconds(3600)},
      {"3601", seconds(3600)},                           // an hour is the most
      {"99999999999999999999", seconds(3600)},           // more than a number holds
      {"Tue, 14 Nov 2023 22:14:20 GMT", seconds(60)},    // RFC 9110 §10.2.3
      {"Tuesday, 14-Nov-23 22:14:20 GMT", seconds(60)},  // the obsolete forms of §5.6.7
      {"Tue Nov 14 22:14:20 2023", seconds(60)},
      {"Tue, 14 Nov 2023 22:00:00 GMT", seconds(0)},  // passed
      {"Wed, 14 Nov 2029 22:00:00 GMT", seconds(3600)},
  };
  for (const Row& row : rows) EXPECT_EQ(ParseRetryAfter(row.value, kNow), row.wait) << row.value;
}

TEST(RetryAfterTest, OtherThingsAreNone) {
  for (std::string_view value : {"", " ", "-1", "+1", "1.5", "1s", "soon", "Tue, 14 Nov", "\xff"}) {
    EXPECT_EQ(ParseRetryAfter(value, kNow), std::nullopt) << value;
  }
  EXPECT_EQ(ParseRetryAfter(std::string(65, '1'), kNow), std::nullopt);
}

TEST(ParseHttpDateTest, TakesDatesOnly) {
  EXPECT_EQ(ParseHttpDate("Fri, 24 May 2013 00:00:00 GMT"), 1'369'353'600);
  for (const char* none : {"", "1369353600", "tomorrow", "24 May 2013"}) {
    EXPECT_EQ(ParseHttpDate(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace koya::http
