#include "service/sign_in/throttle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/manual_clock_fake.h"

namespace koya::service {
namespace {

using Attempt = SignInThrottle::Attempt;

class ThrottleTest : public ::testing::Test {
 protected:
  // 0: it may be made.
  unsigned Fail(const Attempt& attempt) {
    Status begun = throttle_.Begin(attempt);
    if (begun) return 0;
    EXPECT_EQ(begun.error().kind, ErrorKind::kThrottled);
    return begun.error().retry_after;
  }
  // Fails as often as may be without waiting, and says how often.
  int FailFreely(const Attempt& attempt) {
    int failed = 0;
    while (failed < 1000 && Fail(attempt) == 0) ++failed;
    return failed;
  }
  // From another address each time.
  Attempt Guess(std::string account) {
    ++guesses_;
    return {.account = std::move(account),
            .address = fmt::format("198.51.{}.{}", guesses_ / 256, guesses_ % 256),
            .device = {}};
  }

  ManualClock clock_;
  SignInThrottle throttle_{clock_};
  int guesses_ = 0;
};

// How long each attempt beyond the free ones has to wait for the one before.
const std::vector<unsigned> kSchedule = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900};

TEST_F(ThrottleTest, AnAccountsWaitsDoubleUpToTheLongest) {
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Fail(Guess("ada")), 0U) << i;
  for (unsigned wait : kSchedule) {
    EXPECT_EQ(Fail(Guess("ada")), wait);
    clock_.now += wait - 1;
    EXPECT_EQ(Fail(Guess("ada")), 1U) << "what is refused is not counted";
    clock_.now += 1;
    EXPECT_EQ(Fail(Guess("ada")), 0U) << wait;
  }
}

TEST_F(ThrottleTest, AnAddressHasTwentyFree) {
  const Attempt attempt{.account = "", .address = "192.0.2.1", .device = {}};
  EXPECT_EQ(FailFreely(attempt), 21);
  for (unsigned wait : kSchedule) {
    EXPECT_EQ(Fail(attempt), wait);
    clock_.now += wait;
    EXPECT_EQ(Fail(attempt), 0U);
  }
  EXPECT_EQ(Fail({.account = "", .address = "192.0.2.2", .device = {}}), 0U);
}

TEST_F(ThrottleTest, WhatCountsAsOneAddress) {
  struct Row {
    const char* one;
    const char* other;
    bool same;
  };
  const std::vector<Row> rows = {
      {"192.0.2.1", "192.0.2.1", true},
      {"192.0.2.1", "::ffff:192.0.2.1", true},
      {"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true},
      {"2001:db8:1:2::1", "2001:DB8:1:2::2", true},
      {"fe80::1%eth0", "fe80::2%eth1", true},
      {"no address", "no address", true},
      {"192.0.2.1", "192.0.2.2", false},
      {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
      {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
      {"::1", "0.0.0.1", false},
      {"no address", "another", false},
      {"", "192.0.2.1", false},
  };
  for (const Row& row : rows) {
    SignInThrottle throttle(clock_);
    const Attempt one{.account = "", .address = row.one, .device = {}};
    while (throttle.Begin(one)) {
    }
    const Attempt other{.account = "", .address = row.other, .device = {}};
    EXPECT_EQ(!throttle.Begin(other), row.same) << row.one << " " << row.other;
  }
}

TEST_F(ThrottleTest, ANameIsOneInAnyLetterCase) {
  for (const char* name : {"Ada", "ADA", "ada", "aDa", "adA", "AdA"}) {
    EXPECT_EQ(Fail(Guess(name)), 0U);
  }
  EXPECT_EQ(Fail(Guess("ada")), 1U);
  EXPECT_EQ(Fail(Guess("ada2")), 0U);
}

TEST_F(ThrottleTest, WhoeverGuessesDoesNotLockTheOwnerOut) {
  while (Fail(Guess("ada")) == 0) {
  }
  const Attempt owner{.account = "ada", .address = "192.0.2.1", .device = "browser"};
  EXPECT_GT(Fail(Guess("ada")), 0U);
  EXPECT_EQ(Fail(owner), 0U);
  throttle_.Succeeded(owner);
  EXPECT_GT(Fail(Guess("ada")), 0U) << "and the guesses go on to cost";
}

TEST_F(ThrottleTest, ABrowserIsHeldUpByItsOwnFailuresAlone) {
  const Attempt browser{.account = "ada", .address = "192.0.2.1", .device = "browser"};
  EXPECT_EQ(FailFreely(browser), 6);
  EXPECT_EQ(Fail(browser), 1U);
  EXPECT_EQ(Fail({.account = "ada", .address = "192.0.2.2", .device = "browser"}), 1U)
      << "wherever it is";
  EXPECT_EQ(Fail({.account = "ada", .address = "192.0.2.1", .device = "other"}), 0U);
  EXPECT_EQ(Fail({.account = "bob", .address = "192.0.2.1", .device = "browser"}), 0U);
  EXPECT_EQ(Fail({.account = "ada", .address = "192.0.2.1", .device = ""}), 0U);
}

TEST_F(ThrottleTest, ASuccessEndsTheWaitsOfTheAccountAndNotOfTheAddress) {
  const Attempt attempt{.account = "ada", .address = "192.0.2.1", .device = {}};
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Fail(attempt), 0U);
  ASSERT_EQ(Fail(attempt), 0U);
  throttle_.Succeeded(attempt);
  EXPECT_EQ(FailFreely(Attempt{"ada", "192.0.2.1", ""}), 6);
  int left = 0;
  while (Fail({"user-" + std::to_string(left), "192.0.2.1", ""}) == 0) ++left;
  EXPECT_EQ(left, 21 - 5 - 6);
}

TEST_F(ThrottleTest, SuccessesOfAnAddressCostNothing) {
  for (int i = 0; i < 100; ++i) {
    const Attempt attempt{"user-" + std::to_string(i), "192.0.2.1", ""};
    ASSERT_EQ(Fail(attempt), 0U) << i;
    throttle_.Succeeded(attempt);
  }
  EXPECT_EQ(throttle_.size(), 0U);
}

TEST_F(ThrottleTest, WhatWasNotJudgedIsNotCounted) {
  const Attempt attempt{"ada", "192.0.2.1", ""};
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(Fail(attempt), 0U) << i;
    throttle_.TakeBack(attempt);
  }
  EXPECT_EQ(throttle_.size(), 0U);
  throttle_.TakeBack(attempt);
  throttle_.Succeeded(attempt);
  EXPECT_EQ(FailFreely(attempt), 6);
}

TEST_F(ThrottleTest, AttemptsAtOnceDoNotGetAroundIt) {
  std::atomic<int> begun = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, &begun] {
      for (int i = 0; i < 50; ++i) {
        if (throttle_.Begin({"ada", "192.0.2.1", ""})) ++begun;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(begun, 6);
}

TEST_F(ThrottleTest, FailuresAreForgottenAnHourAfterTheLast) {
  const Attempt attempt{"ada", "192.0.2.1", ""};
  ASSERT_EQ(FailFreely(attempt), 6);
  clock_.now += 3599;
  EXPECT_EQ(Fail(attempt), 0U);
  EXPECT_EQ(Fail(attempt), 2U) << "the seventh";
  clock_.now += 3600;
  EXPECT_EQ(FailFreely(attempt), 6);
}

TEST_F(ThrottleTest, AClockThatWasSetBackKeepsNobodyWaiting) {
  const Attempt attempt{"ada", "192.0.2.1", ""};
  ASSERT_EQ(FailFreely(attempt), 6);
  clock_.now -= 100'000;
  EXPECT_EQ(Fail(attempt), 0U);
}

TEST_F(ThrottleTest, WhatItRemembersIsBounded) {
  const std::string giant(100'000, 'x');
  for (std::size_t i = 0; i < SignInThrottle::kMost + 1000; ++i) {
    const std::string number = std::to_string(i);
    (void)throttle_.Begin({giant.substr(0, 100) + number, "address " + number, ""});
    if (i % 1000 == 0) (void)throttle_.Begin({"ada", "192.0.2.1", giant + number});
  }
  EXPECT_LE(throttle_.size(), 3 * SignInThrottle::kMost);
  EXPECT_GE(throttle_.size(), 2 * SignInThrottle::kMost);
  EXPECT_EQ(FailFreely({"new", "203.0.113.1", ""}), 6) << "and goes on to count";
}

}  // namespace
}  // namespace koya::service
