#include "base/byte_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "base/run_task.h"

namespace koya {
namespace {

using Claim = std::shared_ptr<ByteBudget::Claim>;

// Large pieces have 100 bytes, small ones of at most 10 have 40.
constexpr ByteBudget::Bounds kBounds{.large = 100,
                                     .small = 40,
                                     .small_piece = 10,
                                     .patience = std::chrono::milliseconds(0),
                                     .most_waiting = 4,
                                     .most_waiting_each = 2};

Result<Claim> Take(ByteBudget& budget, std::string client, std::uint64_t bytes) {
  return RunTask(budget.ClaimBytes(std::move(client), bytes));
}

TEST(ByteBudget, APieceIsAdmittedWhereItFits) {
  ByteBudget budget(kBounds);
  Result<Claim> first = Take(budget, "a", 60);
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE((*first)->is_large());
  Result<Claim> beyond = Take(budget, "b", 41);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(beyond.error().retry_after, 2U);
  EXPECT_EQ(beyond.error().limit.text(), "limits.reading_bytes");
  EXPECT_TRUE(Take(budget, "b", 40).has_value()) << "and gone at once";
  EXPECT_EQ(budget.held(), 60U);
  first->reset();
  EXPECT_EQ(budget.held(), 0U);
  EXPECT_EQ(budget.clients(), 0U);
}

TEST(ByteBudget, WhatIsLargerThanAllRunsAlone) {
  ByteBudget budget(kBounds);
  Result<Claim> whole = Take(budget, "a", 500);
  ASSERT_TRUE(whole.has_value());
  EXPECT_FALSE(Take(budget, "b", 11).has_value());
  (*whole)->Shrink(50);
  EXPECT_TRUE(Take(budget, "b", 50).has_value());
  EXPECT_FALSE(Take(budget, "b", 500).has_value()) << "not while anything else is held";
}

TEST(ByteBudget, SmallPiecesAreNotRefusedForLargeOnes) {
  ByteBudget budget(kBounds);
  Result<Claim> whole = Take(budget, "a", 500);
  std::vector<Claim> small;
  for (const char* client : {"a", "b", "c", "d"}) {
    Result<Claim> each = Take(budget, client, 10);
    ASSERT_TRUE(each.has_value()) << client;
    EXPECT_FALSE((*each)->is_large());
    small.push_back(*each);
  }
  Result<Claim> beyond = Take(budget, "e", 10);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().limit.text(), "fixed.small_readings");
}

TEST(ByteBudget, OneClientHasOnePieceOrAQuarter) {
  ByteBudget budget(kBounds);
  Result<Claim> first = Take(budget, "a", 20);
  Result<Claim> other = Take(budget, "b", 11);
  EXPECT_FALSE(Take(budget, "a", 11).has_value()) << "31 of 100";
  EXPECT_TRUE(Take(budget, "c", 60).has_value())
      << "a first piece may be as large as there is room";
  first->reset();
  Result<Claim> half = Take(budget, "a", 12);
  EXPECT_TRUE(Take(budget, "a", 13).has_value()) << "25 of 100";
}

TEST(ByteBudget, AClaimGrowsWithoutWaitingOrStaysAsItIs) {
  ByteBudget budget(kBounds);
  Result<Claim> small = Take(budget, "a", 10);
  EXPECT_TRUE((*small)->Grow(70)) << "it moves to the other account";
  EXPECT_TRUE((*small)->is_large());
  EXPECT_EQ(budget.held(), 70U);
  Result<Claim> other = Take(budget, "b", 20);
  EXPECT_FALSE((*small)->Grow(81));
  EXPECT_EQ((*small)->bytes(), 70U);
  EXPECT_TRUE((*small)->Grow(80));
  EXPECT_TRUE((*small)->Grow(1)) << "less is no growth";
  EXPECT_EQ((*small)->bytes(), 80U);
  other->reset();
  EXPECT_TRUE((*small)->Grow(1000)) << "alone";
  (*small)->Shrink(5);
  EXPECT_TRUE((*small)->is_large()) << "what was large stays in its account";
  small->reset();
  EXPECT_EQ(budget.held(), 0U);
}

// Coroutines that ask at once, on one loop.
class Askers {
 public:
  explicit Askers(ByteBudget& budget) : budget_(budget) {}
  void Ask(std::string client, std::uint64_t bytes) {
    boost::asio::co_spawn(loop_, Hold(std::move(client), bytes), boost::asio::detached);
  }
  void Run() { loop_.run(); }
  int admitted = 0, refused = 0;
  Claim held;

 private:
  Awaitable<void> Hold(std::string client, std::uint64_t bytes) {
    Result<Claim> claim = co_await budget_.ClaimBytes(std::move(client), bytes);
    claim ? ++admitted : ++refused;
    if (refused == 3) held.reset();  // all that may wait do
  }

  ByteBudget& budget_;
  boost::asio::io_context loop_{1};
};

TEST(ByteBudget, WhoeverWaitsIsAdmittedInTurnAndNoMoreWaitThanMay) {
  ByteBudget::Bounds bounds = kBounds;
  bounds.patience = std::chrono::minutes(1);
  ByteBudget budget(bounds);
  Askers askers(budget);
  askers.held = *Take(budget, "held", 100);
  for (int i = 0; i < 3; ++i) askers.Ask("a", 20);  // the third is one too many of its client
  for (const char* client : {"b", "c", "d", "e"}) askers.Ask(client, 20);
  askers.Run();
  EXPECT_EQ(askers.admitted, 4);
  EXPECT_EQ(askers.refused, 3);
  EXPECT_EQ(budget.held(), 0U);
  EXPECT_EQ(budget.waiting(), 0U);
  EXPECT_EQ(budget.clients(), 0U);
}

TEST(ByteBudget, BytesThatAreWorthItAreFreeOnceTheyHaveGoneBack) {
  std::vector<std::function<void()>> returning;
  ByteBudget budget({}, [&](std::function<void()> done) { returning.push_back(std::move(done)); });
  Result<Claim> large = Take(budget, "a", 64U << 20U);
  (*large)->Shrink(60U << 20U);
  EXPECT_EQ(budget.held(), 60U << 20U) << "a little: at once";
  large->reset();
  ASSERT_EQ(returning.size(), 1U);
  EXPECT_EQ(budget.held(), 60U << 20U);
  returning.front()();
  EXPECT_EQ(budget.held(), 0U);
}

TEST(ByteBudget, NothingIsLostAmongManyThreads) {
  ByteBudget::Bounds bounds = kBounds;
  bounds.patience = std::chrono::minutes(1);
  bounds.most_waiting = bounds.most_waiting_each = 1000;
  ByteBudget budget(bounds);
  std::atomic<int> admitted = 0;
  constexpr int kThreads = 4, kRounds = 200;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < kRounds; ++round) {
          const auto bytes = static_cast<std::uint64_t>(1 + (round * 7 + thread) % 60);
          Result<Claim> claim = Take(budget, std::to_string(thread), bytes);
          if (claim) ++admitted;
          if (claim) (*claim)->Grow(bytes + 5);
        }
      });
    }
  }
  EXPECT_EQ(admitted, kThreads * kRounds);
  EXPECT_EQ(budget.held(), 0U);
}

}  // namespace
}  // namespace koya
