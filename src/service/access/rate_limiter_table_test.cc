#include "service/access/request_limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

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

using Spenders = std::shared_ptr<RateLimitState>;

Spenders Find(RateLimiterTable& table, const std::string& name) {
  return table.With(name, [](const Spenders& state) { return state; });
}

void Send(RateLimiterTable& table, const std::string& name, std::uint64_t bytes) {
  table.With(name, [&](const Spenders& state) {
    state->bytes.Roll(100);
    state->bytes.meter += bytes;
    table.List(state);
    return 0;
  });
}

std::multiset<std::string> Names(const std::vector<RateLimiterTable::Share>& shares) {
  std::multiset<std::string> names;
  for (const RateLimiterTable::Share& share : shares) {
    names.insert(share.state->name + " " + std::to_string(share.bytes));
  }
  return names;
}

TEST(RateLimiterTable, RemembersNoMoreThanItMay) {
  RateLimiterTable table(160);
  for (int i = 0; i < 10'000; ++i) Send(table, "address " + std::to_string(i), 1);
  EXPECT_LE(table.size(), 160U);
  EXPECT_GE(table.size(), 150U);
  EXPECT_LE(table.TakeShares(10'000, 100, 0).size(), 160U) << "nor are more listed";
}

TEST(RateLimiterTable, ForgetsWhoAskedLongestAgo) {
  RateLimiterTable table(160);
  Send(table, "often", 7);
  for (int i = 0; i < 10'000; ++i) {
    Send(table, "address " + std::to_string(i), 1);
    if (i % 4 == 0) Send(table, "often", 0);
  }
  EXPECT_EQ(Find(table, "often")->bytes.Sum(), 7U);
  EXPECT_EQ(Find(table, "address 5")->bytes.Sum(), 0U);
}

TEST(RateLimiterTable, WhoIsBeingSentSomethingIsNotForgotten) {
  RateLimiterTable table(160);
  Spenders meter = Find(table, "downloads");
  for (int i = 0; i < 10'000; ++i) Send(table, "address " + std::to_string(i), 1);
  EXPECT_EQ(Find(table, "downloads"), meter);
  std::vector<Spenders> all;
  for (int i = 0; i < 10'000; ++i) all.push_back(Find(table, "held " + std::to_string(i)));
  EXPECT_LE(table.size(), 160U) << "unless everybody is";
}

TEST(RateLimiterTable, SharesAreTakenOnceAndTheLargeOnesFirst) {
  RateLimiterTable table(160);
  for (const char* name : {"a", "b", "c"}) Send(table, name, 1);
  for (const char* name : {"large", "larger"}) Send(table, name, 1'000);
  EXPECT_EQ(Names(table.TakeShares(2, 100, 100)),
            (std::multiset<std::string>{"large 1000", "larger 1000"}));
  EXPECT_EQ(Names(table.TakeShares(10, 100, 100)),
            (std::multiset<std::string>{"a 0", "b 0", "c 0"}));
  EXPECT_TRUE(table.TakeShares(10, 100, 100).empty());
  Send(table, "a", 99);
  auto shares = table.TakeShares(10, 100, 100);
  EXPECT_EQ(Names(shares), std::multiset<std::string>{"a 100"});
  table.PutBack(shares[0]);
  shares.clear();
  EXPECT_EQ(Names(table.TakeShares(10, 100, 100)), std::multiset<std::string>{"a 100"});
}

TEST(RateLimiterTable, WhoIsBeingSentSomethingIsAskedForUntilItHasEnded) {
  RateLimiterTable table(160);
  Send(table, "a", 0);
  Spenders meter = Find(table, "a");
  EXPECT_EQ(table.TakeShares(10, 100, 1).size(), 1U);
  meter->bytes.meter += 50;
  EXPECT_EQ(Names(table.TakeShares(10, 100, 1)), std::multiset<std::string>{"a 50"});
  meter->bytes.meter += 50;
  meter.reset();
  EXPECT_EQ(Names(table.TakeShares(10, 100, 1)), std::multiset<std::string>{"a 50"});
  EXPECT_TRUE(table.TakeShares(10, 100, 1).empty());
}

}  // namespace
}  // namespace koya::service
