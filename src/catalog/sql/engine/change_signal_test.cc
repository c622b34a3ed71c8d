#include "catalog/sql/engine/database.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/run_task.h"

namespace koya::sql {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

Awaitable<void> WaitAndCount(ChangeSignal& signal, milliseconds longest, std::atomic<int>* ended) {
  co_await signal.Wait(longest);
  ++*ended;
}

TEST(ChangeSignalTest, AWaitEndsByItself) {
  ChangeSignal signal;
  std::atomic<int> ended = 0;
  RunTask(WaitAndCount(signal, milliseconds(1), &ended));
  EXPECT_EQ(ended, 1);
}

TEST(ChangeSignalTest, NewsThatNobodyWaitedForEndsTheNextWaitOnly) {
  ChangeSignal signal;
  std::atomic<int> ended = 0;
  signal.Notify();
  signal.Notify();
  RunTask(WaitAndCount(signal, hours(1), &ended));
  RunTask(WaitAndCount(signal, milliseconds(1), &ended));
  EXPECT_EQ(ended, 2);
}

TEST(ChangeSignalTest, NewsReachesWaitersOnEveryThread) {
  ChangeSignal signal;
  std::atomic<int> ended = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { RunTask(WaitAndCount(signal, hours(1), &ended)); });
  }
  while (ended < 4) {
    signal.Notify();
    std::this_thread::yield();
  }
}

TEST(ChangeSignalTest, AnAbandonedWaitIsForgotten) {
  ChangeSignal signal;
  std::atomic<int> ended = 0;
  {
    boost::asio::io_context loop(1);
    boost::asio::co_spawn(loop, WaitAndCount(signal, hours(1), &ended), [](std::exception_ptr) {});
    loop.poll();
  }
  signal.Notify();
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace koya::sql
