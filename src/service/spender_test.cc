#include "service/spender.h"

#include <gtest/gtest.h>

#include <chrono>

namespace koya::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds kUpSince = std::chrono::hours(5);

TEST(RequestBucket, ASecondsWorthMayComeAtOnceAndComesBackEvenly) {
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
  RequestBucket bucket;
  int number = 0;
  for (const Step& step : kSteps) {
    EXPECT_EQ(bucket.Take(kUpSince + step.at, 4), step.wait) << "step " << number;
    ++number;
  }
}

TEST(RequestBucket, OverALongTimeNobodyGetsMoreThanTheirRate) {
  for (std::uint64_t rate : {1U, 3U, 7U, 1000U}) {
    RequestBucket bucket;
    std::uint64_t taken = 0;
    for (int tick = 0; tick < 100'000; ++tick) {
      if (bucket.Take(kUpSince + tick * milliseconds(1), rate) == nanoseconds::zero()) ++taken;
    }
    // The bucket that was full, and what came in 100 seconds.
    EXPECT_LE(taken, 101 * rate) << rate;
    EXPECT_GE(taken, 99 * rate) << rate;
  }
}

TEST(RequestBucket, AClockThatGoesBackShutsNobodyOut) {
  RequestBucket bucket;
  EXPECT_EQ(bucket.Take(kUpSince + seconds(100), 1), nanoseconds::zero());
  EXPECT_EQ(bucket.Take(kUpSince, 1), seconds(1));
  EXPECT_EQ(bucket.Take(kUpSince + seconds(1), 1), seconds(1)) << "nothing was taken meanwhile";
}

TEST(DailyBytes, AreThoseOfTheDay) {
  DailyBytes bytes;
  bytes.Turn(100);
  bytes.meter += 10;
  EXPECT_EQ(bytes.Sum(), 10U);
  bytes.Turn(100);
  EXPECT_EQ(bytes.Sum(), 10U);
  bytes.Turn(101);
  EXPECT_EQ(bytes.Sum(), 0U);
}

TEST(DailyBytes, CountWhileTheyAreToldAndWhenTheyCannotBe) {
  DailyBytes bytes;
  bytes.Turn(100);
  bytes.meter += 10;
  EXPECT_EQ(bytes.Take(11), 0U) << "too few to speak of";
  EXPECT_EQ(bytes.Take(10), 10U);
  EXPECT_EQ(bytes.Take(0), 0U) << "they were taken";
  EXPECT_EQ(bytes.Sum(), 10U);
  bytes.meter += 5;
  bytes.PutBack(10);
  EXPECT_EQ(bytes.Sum(), 15U);
  EXPECT_EQ(bytes.Take(0), 15U);
  bytes.Learn(100, 115);
  EXPECT_EQ(bytes.Sum(), 115U) << "others sent 100";
  bytes.Learn(100, 15);
  EXPECT_EQ(bytes.Sum(), 115U) << "an older answer";
  bytes.Turn(101);
  bytes.Learn(100, 115);
  bytes.PutBack(15);
  EXPECT_EQ(bytes.Sum(), 0U) << "that was yesterday";
}

}  // namespace
}  // namespace koya::service
