#include "base/offload.h"

#include <gtest/gtest.h>

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

TEST(OffloadTest, HandsOnAnException) {
  WorkerPool pool(1);
  EXPECT_THROW(RunTask(Throwing(pool)), std::runtime_error);
}

}  // namespace
}  // namespace koya
