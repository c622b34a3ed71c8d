#include "service/common/reading.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/byte_budget.h"
#include "base/offload.h"
#include "base/run_task.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kMebibyte = 1U << 20U;

class ReadingTest : public ::testing::Test {
 protected:
  Reading Of(std::string_view client, std::function<bool()> has_left = nullptr) {
    return {room_, client, std::move(has_left)};
  }
  static std::thread::id Where(const Reading& reading) {
    auto where = []() -> Result<std::thread::id> { return std::this_thread::get_id(); };
    return RunTask(reading.Do(where)).value();
  }

  ByteBudget budget_{{.patience = std::chrono::milliseconds(0)}};
  WorkerPool quick_{1};
  WorkerPool large_{1};
  ReadingBudget room_{budget_, quick_, large_};
};

TEST_F(ReadingTest, AClaimGrowsShrinksAndGoesWithItsLastHolder) {
  std::shared_ptr<const void> held;
  {
    const Reading reading = Of("192.0.2.1");
    EXPECT_EQ(reading.claimed(), 0U);
    EXPECT_EQ(reading.claim(), nullptr);
    ASSERT_TRUE(RunTask(reading.Claim(100)));
    ASSERT_TRUE(RunTask(reading.Claim(40))) << "that many are held";
    ASSERT_TRUE(RunTask(reading.Claim(3 * kMebibyte)));
    EXPECT_EQ(reading.claimed(), 3 * kMebibyte);
    reading.ShrinkClaim(10);
    EXPECT_EQ(budget_.held(), 10U);
    held = reading.claim();
  }
  EXPECT_EQ(budget_.held(), 10U) << "until it has been sent";
  held.reset();
  EXPECT_EQ(budget_.held(), 0U);
}

TEST_F(ReadingTest, AnIPv6NetworkIsOneClient) {
  const Reading first = Of("2001:db8::1");
  const Reading second = Of("2001:db8::2");
  const Reading other = Of("192.0.2.1");
  ASSERT_TRUE(RunTask(other.Claim(2 * kMebibyte)));
  ASSERT_TRUE(RunTask(first.Claim(60 * kMebibyte)));
  Status refused = RunTask(second.Claim(5 * kMebibyte));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsTurnedAway(refused.error()));
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
}

TEST_F(ReadingTest, WhoHoldsSomethingDoesNotWaitForMore) {
  ByteBudget patient({});
  ReadingBudget room{patient, quick_, large_};
  const Reading first(room, "a", nullptr);
  const Reading second(room, "b", nullptr);
  ASSERT_TRUE(RunTask(first.Claim(200 * kMebibyte)));
  ASSERT_TRUE(RunTask(second.Claim(2 * kMebibyte)));
  Status refused = RunTask(second.Claim(100 * kMebibyte));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsTurnedAway(refused.error()));
  EXPECT_EQ(second.claimed(), 2 * kMebibyte);
}

TEST_F(ReadingTest, LargeWorkHasThreadsOfItsOwn) {
  const Reading small = Of("a");
  const Reading large = Of("b");
  ASSERT_TRUE(RunTask(small.Claim(kMebibyte)));
  ASSERT_TRUE(RunTask(large.Claim(2 * kMebibyte)));
  EXPECT_EQ(Where(small), Where(Of("c"))) << "what claims nothing is quick";
  EXPECT_NE(Where(small), Where(large));
}

TEST_F(ReadingTest, NothingIsDoneForAClientThatHasLeft) {
  std::atomic<bool> left = false;
  const Reading reading = Of("a", [&left] { return left.load(); });
  bool ran = false;
  auto work = [&ran]() -> Status {
    ran = true;
    return {};
  };
  left = true;
  Status refused = RunTask(reading.Do(work));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnavailable);
  EXPECT_FALSE(ran);
  EXPECT_FALSE(RunTask(reading.Claim(10)));
  EXPECT_EQ(budget_.held(), 0U);
  EXPECT_TRUE(RunTask(reading.Lasting().Do(work))) << "others wait for it";
  left = false;
  EXPECT_TRUE(RunTask(reading.Do(work)));
}

// A comparison continues after its caller has left: it must keep its claim.
TEST_F(ReadingTest, WorkThatLastsKeepsWhatIsClaimed) {
  const Reading reading = Of("a");
  ASSERT_TRUE(RunTask(reading.Claim(10 * kMebibyte)));
  {
    const Reading lasting = reading.Lasting();
    reading.ShrinkClaim(0);
    EXPECT_EQ(budget_.held(), 10 * kMebibyte);
    EXPECT_EQ(lasting.claimed(), 10 * kMebibyte);
  }
  reading.ShrinkClaim(0);
  EXPECT_EQ(budget_.held(), 0U);
}

TEST_F(ReadingTest, TheServersOwnWorkClaimsNothing) {
  WorkerPool pool(1);
  const Reading own(pool);
  ASSERT_TRUE(RunTask(own.Claim(1000 * kMebibyte)));
  own.ShrinkClaim(0);
  EXPECT_EQ(own.claimed(), 0U);
  EXPECT_EQ(budget_.held(), 0U);
  EXPECT_NE(Where(own), Where(Of("a")));
  EXPECT_TRUE(own.Lasting().is_own());
}

}  // namespace
}  // namespace koya::service
