#include "blobs/s3/retry.h"

#include <gtest/gtest.h>

#include "base/manual_clock_fake.h"

namespace koya::s3 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(S3RetriesTest, WaitsLongerEachTimeUpToFiveTries) {
  RetryBudget budget;
  FakeExchangeClock clock;  // whose chance is 0
  Retries retries(budget, clock, seconds(8), false);
  for (int wait : {50, 100, 200, 400}) {
    EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), milliseconds(wait));
  }
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), std::nullopt);
  retries.Progressed();
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), milliseconds(50));
}

TEST(S3RetriesTest, EndsWhenThePatienceWouldBeOver) {
  RetryBudget budget;
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Left(), seconds(8));
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, seconds(8)), seconds(8));
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, seconds(9)), std::nullopt);
  clock.Advance(seconds(7) + milliseconds(950));
  EXPECT_EQ(retries.Left(), seconds(1));
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), std::nullopt);
  // What takes long when it goes well has its time from its first failure on.
  Retries upload(budget, clock, seconds(8), true);
  clock.Advance(seconds(100));
  EXPECT_EQ(upload.Next(FailureClass::kRetryable, {}), milliseconds(50));
  clock.Advance(seconds(8));
  EXPECT_EQ(upload.Next(FailureClass::kRetryable, {}), std::nullopt);
}

TEST(S3RetriesTest, WhatIsMendedIsTriedOnceEach) {
  RetryBudget budget;
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Next(FailureClass::kSkewed, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(FailureClass::kExpired, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(FailureClass::kSlowStart, {}), milliseconds(0));
  EXPECT_EQ(retries.Next(FailureClass::kSkewed, {}), std::nullopt);
  EXPECT_EQ(retries.Next(FailureClass::kExpired, {}), std::nullopt);
  // A slow start after that is like any other trouble.
  EXPECT_EQ(retries.Next(FailureClass::kSlowStart, {}), std::nullopt);
  for (FailureClass final : {FailureClass::kPermanent, FailureClass::kFull, FailureClass::kMissing,
                             FailureClass::kMissingUpload, FailureClass::kCancelled}) {
    EXPECT_EQ(Retries(budget, clock, seconds(8), false).Next(final, {}), std::nullopt);
  }
}

TEST(S3RetriesTest, TheBudgetIsForEverybody) {
  RetryBudget budget;
  for (double i = 0; i < RetryBudget::kMost; ++i) EXPECT_TRUE(budget.TakeRetry());
  EXPECT_FALSE(budget.TakeRetry());
  FakeExchangeClock clock;
  Retries retries(budget, clock, seconds(8), false);
  EXPECT_EQ(retries.Next(FailureClass::kRetryable, {}), std::nullopt);
  for (int i = 0; i < 11; ++i) budget.Succeeded();
  EXPECT_EQ(Retries(budget, clock, seconds(8), false).Next(FailureClass::kRetryable, {}),
            milliseconds(50));
  for (int i = 0; i < 1000; ++i) budget.Succeeded();
  EXPECT_EQ(budget.left(), RetryBudget::kMost);
}

}  // namespace
}  // namespace koya::s3
