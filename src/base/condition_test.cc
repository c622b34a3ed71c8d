#include "base/condition.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "base/offload.h"

namespace koya {
namespace {

struct Counter {
  Condition changed;
  int value = 0;  // under changed.mutex()
  std::atomic<int> woken = 0;
};

Awaitable<void> WaitFor(Counter& counter, int value) {
  std::function<bool()> reached = [&counter, value] { return counter.value >= value; };
  co_await counter.changed.Wait(std::move(reached));
  ++counter.woken;
}

void Raise(Counter& counter) {
  {
    std::lock_guard lock(counter.changed.mutex());
    ++counter.value;
  }
  counter.changed.NotifyAll();
}

TEST(Condition, AWaitForWhatHoldsEndsAtOnce) {
  Counter counter;
  boost::asio::io_context loop(1);
  boost::asio::co_spawn(loop, WaitFor(counter, 0), boost::asio::detached);
  loop.run();
  EXPECT_EQ(counter.woken, 1);
}

TEST(Condition, AWaitEndsAtItsDeadline) {
  Counter counter;
  boost::asio::io_context loop(1);
  std::optional<bool> reached;
  auto wait = [&](std::chrono::steady_clock::time_point deadline) -> Awaitable<void> {
    std::function<bool()> never = [] { return false; };
    reached = co_await counter.changed.WaitUntil(std::move(never), deadline);
  };
  auto begin = std::chrono::steady_clock::now();
  boost::asio::co_spawn(loop, wait(begin + std::chrono::milliseconds(30)), boost::asio::detached);
  boost::asio::post(loop, [&] { Raise(counter); });  // does not make it hold
  loop.run();
  EXPECT_EQ(reached, false);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
  loop.restart();
  boost::asio::co_spawn(loop, wait(begin), boost::asio::detached);  // past: ends at once
  loop.run();
  EXPECT_EQ(reached, false);
}

TEST(Condition, NobodyIsWokenToWaitOn) {
  Counter counter;
  boost::asio::io_context loop(1);
  boost::asio::co_spawn(loop, WaitFor(counter, 3), boost::asio::detached);
  loop.poll();  // it waits
  std::uint64_t before = HandOvers();
  Raise(counter);
  Raise(counter);
  EXPECT_EQ(HandOvers(), before);
  Raise(counter);
  EXPECT_EQ(HandOvers(), before + 1);
  loop.run();
  EXPECT_EQ(counter.woken, 1);
}

// Of ten that wait for one piece each, as many get one as there are pieces.
TEST(Condition, WhatItTakesIsTakenOnce) {
  Counter counter;
  boost::asio::io_context loop(1);
  int got = 0;
  auto take = [&](std::chrono::steady_clock::time_point deadline) -> Awaitable<void> {
    std::function<bool()> taken = [&counter] {
      if (counter.value == 0) return false;
      --counter.value;
      return true;
    };
    bool in_time = co_await counter.changed.WaitUntil(std::move(taken), deadline);
    if (in_time) ++got;
  };
  auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  for (int i = 0; i < 10; ++i) boost::asio::co_spawn(loop, take(deadline), boost::asio::detached);
  loop.poll();
  for (int i = 0; i < 4; ++i) Raise(counter);
  loop.run();
  EXPECT_EQ(got, 4);
  EXPECT_EQ(counter.value, 0);
}

TEST(Condition, WakesWaitersOnSeveralLoops) {
  constexpr int kRounds = 200;
  constexpr int kLoops = 3;
  Counter counter;
  std::vector<std::unique_ptr<boost::asio::io_context>> loops;
  for (int i = 0; i < kLoops; ++i) {
    loops.push_back(std::make_unique<boost::asio::io_context>(1));
    for (int value = 1; value <= kRounds; ++value) {
      boost::asio::co_spawn(*loops.back(), WaitFor(counter, value), boost::asio::detached);
    }
  }
  std::vector<std::jthread> threads;
  for (auto& loop : loops) threads.emplace_back([&loop] { loop->run(); });
  for (int i = 0; i < kRounds; ++i) Raise(counter);
  threads.clear();  // each loop ends when its last waiter was woken
  EXPECT_EQ(counter.woken, kRounds * kLoops);
}

}  // namespace
}  // namespace koya
