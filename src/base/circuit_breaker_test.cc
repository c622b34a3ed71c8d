#include "base/circuit_breaker.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace koya {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime kStart{};

// Sends one request that fails, or one that succeeds; what Enter failed with otherwise.
Status Try(CircuitBreaker& breaker, const std::string& host, SteadyTime now, bool fails) {
  ASSIGN_OR_RETURN(CircuitBreaker::Permit permit, breaker.Enter(host, now));
  fails ? permit.Failed(now) : permit.Succeeded();
  return {};
}

TEST(BreakerTest, LeavesAHostAloneAfterFailuresInARow) {
  CircuitBreaker breaker({.failures = 3, .open = seconds(15)});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Try(breaker, "a.test", kStart, true)) << i;
  auto refused = breaker.Enter("a.test", kStart + milliseconds(500));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(refused.error().retry_after, 15u);
  EXPECT_EQ(refused.error().message,
            "a.test failed 3 times in a row and is not contacted for a moment; try again later");
  EXPECT_TRUE(breaker.Enter("b.test", kStart)) << "another host has nothing to do with it";
}

TEST(BreakerTest, ASuccessBeginsTheCountAnew) {
  CircuitBreaker breaker({.failures = 2, .open = seconds(15)});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Try(breaker, "a.test", kStart, true)) << i;
    ASSERT_TRUE(Try(breaker, "a.test", kStart, false)) << i;
  }
}

TEST(BreakerTest, LetsOneRequestTryWhetherTheHostIsBack) {
  CircuitBreaker breaker({.failures = 1, .open = seconds(15)});
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
  CircuitBreaker breaker({.failures = 2, .open = seconds(15)});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Try(breaker, "a.test", kStart, true));
  SteadyTime later = kStart + seconds(20);
  ASSERT_TRUE(Try(breaker, "a.test", later, true));
  auto refused = breaker.Enter("a.test", later + seconds(14));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().retry_after, 1u);
  EXPECT_TRUE(breaker.Enter("a.test", later + seconds(15)));
}

TEST(BreakerTest, ATryThatLearntNothingLeavesTheNextOneIn) {
  CircuitBreaker breaker({.failures = 1, .open = seconds(15)});
  ASSERT_TRUE(Try(breaker, "a.test", kStart, true));
  SteadyTime later = kStart + seconds(15);
  {
    auto probe = breaker.Enter("a.test", later);
    ASSERT_TRUE(probe);
    CircuitBreaker::Permit moved = *std::move(probe);
    EXPECT_FALSE(breaker.Enter("a.test", later));
  }
  EXPECT_TRUE(breaker.Enter("a.test", later));
}

TEST(BreakerTest, KnowsSoManyHostsOnly) {
  CircuitBreaker breaker({.failures = 1, .open = seconds(15)});
  for (std::size_t i = 0; i < CircuitBreaker::kMaxHosts + 10; ++i) {
    ASSERT_TRUE(Try(breaker, std::to_string(i), kStart, true));
  }
  std::size_t open = 0;
  for (std::size_t i = 0; i < CircuitBreaker::kMaxHosts + 10; ++i) {
    open += breaker.Enter(std::to_string(i), kStart) ? 0 : 1;
  }
  EXPECT_EQ(open, CircuitBreaker::kMaxHosts);
}

}  // namespace
}  // namespace koya
