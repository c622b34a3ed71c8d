#include "base/offload.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "base/run_task.h"

namespace koya {
namespace {

Task<int> Double(WorkerPool& pool, int value) {
  co_return co_await Offload(pool, [value]() -> Result<int> { return value * 2; });
}

TEST(OffloadTest, ReturnsWhatTheWorkReturned) {
  WorkerPool pool(2);
  EXPECT_EQ(RunTask(Double(pool, 21)), 42);
}

Awaitable<bool> RunsElsewhereAndReturnsHere(WorkerPool& pool) {
  auto here = std::this_thread::get_id();
  auto there = co_await Offload(pool, [] { return std::this_thread::get_id(); });
  co_return there != here&& std::this_thread::get_id() == here;
}

TEST(OffloadTest, RunsOnThePoolAndResumesOnTheLoop) {
  WorkerPool pool(1);
  EXPECT_TRUE(RunTask(RunsElsewhereAndReturnsHere(pool)));
}

Awaitable<int> Throwing(WorkerPool& pool) {
  co_return co_await Offload(pool, []() -> int { throw std::runtime_error("planted"); });
}

int NiceOfThisThread() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); }

TEST(OffloadTest, ThreadsOfAPoolMayStandBack) {
  const int before = NiceOfThisThread();
  WorkerPool humble(1, 19);
  WorkerPool plain(1);
  EXPECT_EQ(RunTask(Offload(humble, NiceOfThisThread)), 19);
  EXPECT_EQ(RunTask(Offload(plain, NiceOfThisThread)), before);
  EXPECT_EQ(NiceOfThisThread(), before) << "whoever makes the pool goes on as before";
  EXPECT_TRUE(RunTask(RunsElsewhereAndReturnsHere(humble)));
  EXPECT_THROW(RunTask(Throwing(humble)), std::runtime_error);
}

// A caller that waits for such a pool has its started work, and the result, before the pool is
// gone.
TEST(OffloadTest, WhatStandsBackIsHandedBackBeforeTheEnd) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> done = 0;
    {
      WorkerPool humble(2, 19);
      for (int i = 0; i < 4; ++i) humble.Post([&done] { ++done; });
      EXPECT_EQ(RunTask(Double(humble, round)), 2 * round);
    }
    EXPECT_EQ(done, 4);
  }
}

TEST(OffloadTest, HandsOnAnException) {
  WorkerPool pool(1);
  EXPECT_THROW(RunTask(Throwing(pool)), std::runtime_error);
}

constexpr std::chrono::seconds kLong{60};

WorkerPool::Asker Patient() { return {.until = std::chrono::steady_clock::now() + kLong}; }

TEST(OffloadTest, WorkThatNobodyNeedsAnyMoreIsNotBegun) {
  WorkerPool pool(1);
  int runs = 0;
  auto work = [&runs] { ++runs; };
  EXPECT_TRUE(RunTask(pool.RunFor(Patient(), work)));
  WorkerPool::Asker late{.until = std::chrono::steady_clock::now()};
  EXPECT_FALSE(RunTask(pool.RunFor(late, work)));
  WorkerPool::Asker gone = Patient();
  gone.has_left = [] { return true; };
  EXPECT_FALSE(RunTask(pool.RunFor(gone, work)));
  WorkerPool::Asker there = Patient();
  there.has_left = [] { return false; };
  EXPECT_TRUE(RunTask(pool.RunFor(there, work)));
  EXPECT_EQ(runs, 2);
}

TEST(OffloadTest, NoMoreWaitForAPoolThanItsBound) {
  WorkerPool pool(1);
  std::binary_semaphore busy(0);
  std::binary_semaphore go(0);
  pool.Post([&] {
    busy.release();
    go.acquire();
  });
  busy.acquire();
  boost::asio::io_context loop(1);
  std::size_t ran = 0;
  std::size_t refused = 0;
  auto ask = [&]() -> Awaitable<void> {
    const bool done = co_await pool.RunFor(Patient(), [] {});
    done ? ++ran : ++refused;
    if (refused == 2) go.release();
  };
  for (std::size_t i = 0; i < WorkerPool::kMostWaiting + 2; ++i) {
    boost::asio::co_spawn(loop, ask(), boost::asio::detached);
  }
  loop.run();
  EXPECT_EQ(ran, WorkerPool::kMostWaiting);
  EXPECT_EQ(refused, 2U);
  EXPECT_TRUE(RunTask(pool.RunFor(Patient(), [] {}))) << "who waited is counted no more";
}

}  // namespace
}  // namespace koya
