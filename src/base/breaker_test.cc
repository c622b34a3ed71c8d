#include "base/breaker.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace koya {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime kStart{};

// Sends one request that fails, or one that succeeds; what Enter failed with otherwise.
Status Try(Breaker& breaker, const std::string& host, SteadyTime now, bool fails) {
  ASSIGN_OR_RETURN(Breaker::Permit permit, breaker.Enter(host, now));
  fails ? permit.Failed(now) : permit.Succeeded();
  return {};
}

TEST(BreakerTest, LeavesAHostAloneAfterFailuresInARow) {
  Breaker breaker({.failures = 3, .open = seconds(15)});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Try(breaker, "a.test", kStart, true)) << i;
  auto refused = breaker.Enter("a.test", kStart + milliseconds(500));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().retry_after, 15u);
  EXPECT_EQ(refused.error().message,
            "a.test failed 3 times in a row and is left alone for a moment; try again later");
  EXPECT_TRUE(breaker.Enter("b.test", kStart)) << "another host has nothing to do with it";
}

TEST(BreakerTest, ASuccessBeginsTheCountAnew) {
  Breaker breaker({.failures = 2, .open = seconds(15)});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Try(breaker, "a.test", kStart, true)) << i;
    ASSERT_TRUE(Try(breaker, "a.test", kStart, false)) << i;
  }
}

TEST(BreakerTest, LetsOneRequestTryWhetherTheHostIsBack) {
  Breaker breaker({.failures = 1, .open = seconds(15)});
  ASSERT_TRUE(Try(breaker, "a.test", kStart, true));
  SteadyTime later = kStart + seconds(15);
  auto probe = breaker.Enter("a.test", later);
  ASSERT_TRUE(probe);
  auto second = breaker.Enter("a.test", later);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().retry_after, 1u);
  probe->Succeeded();
  EXPECT_TRUE(breaker.Enter("a.test", later));
  EXPECT_TRUE(breaker.Enter("a.test", later));
}

TEST(BreakerTest, AFailedTryLeavesItAloneAgain) {
  Breaker breaker({.failures = 2, .open = seconds(15)});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Try(breaker, "a.test", kStart, true));
  SteadyTime later = kStart + seconds(20);
  ASSERT_TRUE(Try(breaker, "a.test", later, true));
  auto refused = breaker.Enter("a.test", later + seconds(14));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().retry_after, 1u);
  EXPECT_TRUE(breaker.Enter("a.test", later + seconds(15)));
}

TEST(BreakerTest, ATryThatLearntNothingLeavesTheNextOneIn) {
  Breaker breaker({.failures = 1, .open = seconds(15)});
  ASSERT_TRUE(Try(breaker, "a.test", kStart, true));
  SteadyTime later = kStart + seconds(15);
  {
    auto probe = breaker.Enter("a.test", later);
    ASSERT_TRUE(probe);
    Breaker::Permit moved = *std::move(probe);
    EXPECT_FALSE(breaker.Enter("a.test", later));
  }
  EXPECT_TRUE(breaker.Enter("a.test", later));
}

TEST(BreakerTest, KnowsSoManyHostsOnly) {
  Breaker breaker({.failures = 1, .open = seconds(15)});
  for (std::size_t i = 0; i < Breaker::kMaxHosts + 10; ++i) {
    ASSERT_TRUE(Try(breaker, std::to_string(i), kStart, true));
  }
  std::size_t open = 0;
  for (std::size_t i = 0; i < Breaker::kMaxHosts + 10; ++i) {
    open += breaker.Enter(std::to_string(i), kStart) ? 0 : 1;
  }
  EXPECT_EQ(open, Breaker::kMaxHosts);
}

}  // namespace
}  // namespace koya
