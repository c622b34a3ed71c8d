#include "base/both.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "base/condition.h"
#include "base/offload.h"
#include "base/run_task.h"

namespace koya {
namespace {

Task<int> Fails() { co_return FailRefused("planted"); }
Task<std::string> Says(std::string word) { co_return word; }
Awaitable<int> Throws() {
  throw std::runtime_error("planted");
  co_return 0;
}

// Ends when the other has begun: of two that are awaited one after the other, the first never
// would.
Task<int> Meet(Condition& condition, int& there, int value) {
  {
    std::lock_guard lock(condition.mutex());
    ++there;
  }
  condition.NotifyAll();
  auto both_there = [&there] { return there == 2; };
  co_await condition.Wait(both_there);
  co_return value;
}

Task<std::thread::id> AfterOffload(WorkerPool& pool, std::atomic<int>& ended) {
  auto work = [&ended]() -> Result<int> { return ++ended; };
  CO_RETURN_IF_ERROR(co_await Offload(pool, work));
  co_return std::this_thread::get_id();
}

// Returns its pool work once `begun` has reached 3; counts the end in `ended`.
Task<int> AfterBeing(WorkerPool& pool, std::atomic<int>& begun, std::atomic<int>& ended) {
  auto work = [&begun, &ended]() -> Result<int> {
    ++begun;
    while (begun < 3) std::this_thread::yield();
    return ++ended;
  };
  CO_RETURN_IF_ERROR(co_await Offload(pool, work));
  co_return co_await Offload(pool, work);  // cancelled by now
}

Awaitable<void> WaitForBoth(WorkerPool& pool, std::atomic<int>& begun, std::atomic<int>& ended) {
  co_await Both(AfterBeing(pool, begun, ended), AfterBeing(pool, begun, ended));
}

TEST(BothTest, ReturnsWhatBothReturnInTheirOrder) {
  Condition condition;
  int there = 0;
  auto results = RunTask(Both(Meet(condition, there, 1), Meet(condition, there, 2)));
  EXPECT_EQ(results.first, 1);
  EXPECT_EQ(results.second, 2);
}

TEST(BothTest, AFailureIsAValueAndTheOtherGoesOn) {
  auto results = RunTask(Both(Fails(), Says("there")));
  ASSERT_FALSE(results.first);
  EXPECT_EQ(results.first.error().message, "planted");
  ASSERT_TRUE(results.second);
  EXPECT_EQ(*results.second, "there");
  auto turned = RunTask(Both(Says("there"), Fails()));
  EXPECT_TRUE(turned.first);
  EXPECT_FALSE(turned.second);
}

TEST(BothTest, BothResumeOnTheCallersThread) {
  WorkerPool pool(2);
  std::atomic<int> ended = 0;
  const auto here = std::this_thread::get_id();
  auto results = RunTask(Both(AfterOffload(pool, ended), AfterOffload(pool, ended)));
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(*results.first, here);
  EXPECT_EQ(*results.second, here);
}

TEST(BothTest, AnExceptionComesOnceBothEnded) {
  WorkerPool pool(1);
  std::atomic<int> ended = 0;
  EXPECT_THROW(RunTask(Both(Throws(), AfterOffload(pool, ended))), std::runtime_error);
  EXPECT_EQ(ended, 1) << "what runs on the pool has what it refers to until it ended";
}

// As when a client hangs up: later awaits throw, but the caller does not leave before both have
// released their parameters.
TEST(BothTest, WhoeverIsCancelledStillWaitsForBoth) {
  WorkerPool pool(2);
  std::atomic<int> begun = 0, ended = 0;
  boost::asio::io_context loop(1);
  boost::asio::cancellation_signal cancel;
  std::exception_ptr failure;
  int ended_then = 0;
  auto note = [&](std::exception_ptr error) {
    failure = error;
    ended_then = ended;
  };
  boost::asio::co_spawn(loop, WaitForBoth(pool, begun, ended),
                        boost::asio::bind_cancellation_slot(cancel.slot(), note));
  while (begun < 2) loop.poll();
  cancel.emit(boost::asio::cancellation_type::terminal);
  begun = 3;
  loop.run();
  EXPECT_TRUE(failure);
  EXPECT_EQ(ended_then, 2);
}

}  // namespace
}  // namespace koya
