#include "base/offload.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
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

// Whoever waits for such a pool has what was begun, and its result, before the pool is gone.
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

}  // namespace
}  // namespace koya
