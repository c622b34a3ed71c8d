#include "service/common/rate_limit_state.h"

#include <gtest/gtest.h>

#include <chrono>

namespace koya::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds kUpSince = std::chrono::hours(5);

TEST(TokenBucket, ASecondsWorthMayComeAtOnceAndComesBackEvenly) {
  struct Step {
    milliseconds at;
    milliseconds wait;  // 0: taken
  };
  const Step kSteps[] = {
      {milliseconds(0), milliseconds(0)},      {milliseconds(0), milliseconds(0)},
      {milliseconds(0), milliseconds(0)},      {milliseconds(0), milliseconds(0)},
      {milliseconds(0), milliseconds(250)},    {milliseconds(249), milliseconds(1)},
      {milliseconds(250), milliseconds(0)},    {milliseconds(250), milliseconds(250)},
      {milliseconds(1000), milliseconds(0)},   {milliseconds(1000), milliseconds(0)},
      {milliseconds(1000), milliseconds(0)},   {milliseconds(1000), milliseconds(250)},
      {milliseconds(60000), milliseconds(0)},  {milliseconds(60000), milliseconds(0)},
      {milliseconds(60000), milliseconds(0)},  {milliseconds(60000), milliseconds(0)},
      {milliseconds(60000), milliseconds(250)}};
  TokenBucket bucket;
  int number = 0;
  for (const Step& step : kSteps) {
    EXPECT_EQ(bucket.TakeRequest(kUpSince + step.at, 4), step.wait) << "step " << number;
    ++number;
  }
}

TEST(TokenBucket, OverALongTimeNobodyGetsMoreThanTheirRate) {
  for (std::uint64_t rate : {1U, 3U, 7U, 1000U}) {
    TokenBucket bucket;
    std::uint64_t taken = 0;
    for (int tick = 0; tick < 100'000; ++tick) {
      if (bucket.TakeRequest(kUpSince + tick * milliseconds(1), rate) == nanoseconds::zero())
        ++taken;
    }
    // The bucket that was full, and what came in 100 seconds.
    EXPECT_LE(taken, 101 * rate) << rate;
    EXPECT_GE(taken, 99 * rate) << rate;
  }
}

TEST(TokenBucket, AClockThatGoesBackShutsNobodyOut) {
  TokenBucket bucket;
  EXPECT_EQ(bucket.TakeRequest(kUpSince + seconds(100), 1), nanoseconds::zero());
  EXPECT_EQ(bucket.TakeRequest(kUpSince, 1), seconds(1));
  EXPECT_EQ(bucket.TakeRequest(kUpSince + seconds(1), 1), seconds(1))
      << "nothing was taken meanwhile";
}

TEST(DailyQuota, AreThoseOfTheDay) {
  DailyQuota bytes;
  bytes.Roll(100);
  bytes.meter += 10;
  EXPECT_EQ(bytes.Sum(), 10U);
  bytes.Roll(100);
  EXPECT_EQ(bytes.Sum(), 10U);
  bytes.Roll(101);
  EXPECT_EQ(bytes.Sum(), 0U);
}

TEST(DailyQuota, CountWhileTheyAreToldAndWhenTheyCannotBe) {
  DailyQuota bytes;
  bytes.Roll(100);
  bytes.meter += 10;
  EXPECT_EQ(bytes.Drain(11), 0U) << "too few to speak of";
  EXPECT_EQ(bytes.Drain(10), 10U);
  EXPECT_EQ(bytes.Drain(0), 0U) << "they were taken";
  EXPECT_EQ(bytes.Sum(), 10U);
  bytes.meter += 5;
  bytes.PutBack(10);
  EXPECT_EQ(bytes.Sum(), 15U);
  EXPECT_EQ(bytes.Drain(0), 15U);
  bytes.Merge(100, 115);
  EXPECT_EQ(bytes.Sum(), 115U) << "others sent 100";
  bytes.Merge(100, 15);
  EXPECT_EQ(bytes.Sum(), 115U) << "an older answer";
  bytes.Roll(101);
  bytes.Merge(100, 115);
  bytes.PutBack(15);
  EXPECT_EQ(bytes.Sum(), 0U) << "that was yesterday";
}

}  // namespace
}  // namespace koya::service
