#include "base/single_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <future>
#include <stdexcept>
#include <thread>

#include "base/run_task.h"

namespace koya {
namespace {

TEST(SingleFlight, WhoeverComesMeanwhileSharesTheResult) {
  constexpr int kCallers = 20;
  WorkerPool pool(2);
  SingleFlight<int> flights(pool);
  std::atomic<int> runs = 0;
  std::promise<void> everybody_has_come;
  std::shared_future<void> go = everybody_has_come.get_future().share();
  std::function<Result<int>()> work = [&runs, go]() -> Result<int> {
    go.wait();
    return ++runs;
  };
  boost::asio::io_context loop(1);
  int served = 0;
  for (int i = 0; i < kCallers; ++i) {
    boost::asio::co_spawn(loop, flights.Do("key", work),
                          [&served](const std::exception_ptr& failure, Result<int> result) {
                            if (!failure && result == 1) ++served;
                          });
  }
  // The loop works in order: every call has begun by then.
  boost::asio::post(loop, [&everybody_has_come] { everybody_has_come.set_value(); });
  loop.run();
  EXPECT_EQ(served, kCallers);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(RunTask(flights.Do("key", work)).value(), 2);  // nothing is kept
}

TEST(SingleFlight, FailuresAndExceptionsReachTheCallers) {
  WorkerPool pool(1);
  SingleFlight<int> flights(pool);
  auto failing = RunTask(
      flights.Do("a", []() -> Result<int> { return Fail(ErrorKind::kBadUpstream, "it is down"); }));
  EXPECT_EQ(failing.error().message, "it is down");
  auto throwing =
      RunTask(flights.Do("a", []() -> Result<int> { throw std::runtime_error("out of ideas"); }));
  EXPECT_EQ(throwing.error().kind, ErrorKind::kInternal);
  EXPECT_EQ(throwing.error().detail, "out of ideas");
}

TEST(SingleFlight, WhoeverCannotWaitLeavesAndTheWorkGoesOn) {
  WorkerPool pool(1);
  SingleFlight<int> flights(pool);
  std::promise<void> release;
  std::shared_future<void> go = release.get_future().share();
  std::atomic<int> runs = 0;
  std::function<Result<int>()> work = [&runs, go]() -> Result<int> {
    go.wait();
    return ++runs;
  };
  auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  Error late{ErrorKind::kUnavailable, "still under way", {}};
  auto result = RunTask(flights.DoUntil("key", work, soon, late));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "still under way");
  release.set_value();
  EXPECT_EQ(RunTask(flights.Do("key", work)).value() + 0, runs.load());
  EXPECT_GE(runs, 1);
}

TEST(SingleFlight, DifferentKeysDoNotWaitForEachOther) {
  WorkerPool pool(2);
  SingleFlight<int> flights(pool);
  std::mutex mutex;
  std::condition_variable released;
  bool done = false;
  std::jthread slow([&] {
    RunTask(flights.Do("slow", [&]() -> Result<int> {
      std::unique_lock lock(mutex);
      released.wait(lock, [&] { return done; });
      return 1;
    }));
  });
  EXPECT_EQ(RunTask(flights.Do("quick", []() -> Result<int> { return 2; })).value(), 2);
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  released.notify_all();
}

}  // namespace
}  // namespace koya
