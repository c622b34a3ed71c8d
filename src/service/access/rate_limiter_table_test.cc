#include "service/access/rate_limiter_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "service/common/rate_limit_state.h"

namespace koya::service {
namespace {

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
