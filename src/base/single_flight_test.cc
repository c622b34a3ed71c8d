#include "base/single_flight.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/offload.h"
#include "base/run_task.h"

namespace koya {
namespace {

constexpr auto kNoDeadline = std::chrono::steady_clock::time_point::max();
const Error kLate{ErrorKind::kUnavailable, "still under way", {}};

// Blocks a thread of the pool until `go`, counts, and says how often it ran.
struct FlightCounter {
  FairPool& pool;
  std::atomic<int> runs = 0;
};
Task<int> Count(FlightCounter* counter, std::shared_future<void> go) {
  ASSIGN_OR_CO_RETURN(FairPool::Slot place, co_await counter->pool.Enter("somebody", kNoDeadline));
  go.wait();
  co_return ++counter->runs;
}
Task<int> FailAtOnce() { co_return FailBadUpstream("it is down"); }
Task<int> ThrowAtOnce() {
  throw std::runtime_error("out of ideas");
  co_return 0;
}

class Gate {
 public:
  std::shared_future<void> opened() const { return opened_; }
  void Open() { open_.set_value(); }

 private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

TEST(SingleFlight, WhoeverComesMeanwhileSharesTheResult) {
  constexpr int kCallers = 20;
  FairPool pool(2, 2);
  SingleFlight<int> flights(pool);
  FlightCounter counter{pool};
  Gate everybody_has_come;
  boost::asio::io_context loop(1);
  int served = 0;
  for (int i = 0; i < kCallers; ++i) {
    Task<int> call =
        flights.Do("key", Count(&counter, everybody_has_come.opened()), kNoDeadline, kLate);
    boost::asio::co_spawn(loop, std::move(call),
                          [&served](const std::exception_ptr& failure, Result<int> result) {
                            if (!failure && result == 1) ++served;
                          });
  }
  // The loop works in order: every call has begun by then.
  boost::asio::post(loop, [&everybody_has_come] { everybody_has_come.Open(); });
  loop.run();
  EXPECT_EQ(served, kCallers);
  EXPECT_EQ(counter.runs, 1);
  EXPECT_EQ(flights.landed(), 1U);
  auto again =
      RunTask(flights.Do("key", Count(&counter, everybody_has_come.opened()), kNoDeadline, kLate));
  EXPECT_EQ(again.value(), 2);  // nothing is kept
}

TEST(SingleFlight, FailuresAndExceptionsReachTheCallers) {
  FairPool pool(2, 2);
  SingleFlight<int> flights(pool);
  auto failing = RunTask(flights.Do("a", FailAtOnce(), kNoDeadline, kLate));
  EXPECT_EQ(failing.error().message, "it is down");
  auto throwing = RunTask(flights.Do("a", ThrowAtOnce(), kNoDeadline, kLate));
  EXPECT_EQ(throwing.error().kind, ErrorKind::kInternal);
  EXPECT_EQ(throwing.error().detail, "out of ideas");
}

TEST(SingleFlight, WhoeverCannotWaitLeavesAndTheWorkGoesOn) {
  auto pool = std::make_unique<FairPool>(2, 2);
  SingleFlight<int> flights(*pool);
  Gate gate;
  FlightCounter counter{*pool};
  auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  auto result = RunTask(flights.Do("key", Count(&counter, gate.opened()), soon, kLate));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), kLate);
  EXPECT_EQ(flights.landed(), 0U);
  gate.Open();
  pool.reset();  // waits for running work
  EXPECT_EQ(flights.landed(), 1U);
  EXPECT_EQ(counter.runs, 1);
}

TEST(SingleFlight, DifferentKeysDoNotWaitForEachOther) {
  FairPool pool(6, 6);
  SingleFlight<int> flights(pool);
  FlightCounter slow_runs{pool};
  FlightCounter quick_runs{pool};
  Gate gate;
  Gate open;
  open.Open();
  std::jthread slow(
      [&] { RunTask(flights.Do("slow", Count(&slow_runs, gate.opened()), kNoDeadline, kLate)); });
  EXPECT_EQ(
      RunTask(flights.Do("quick", Count(&quick_runs, open.opened()), kNoDeadline, kLate)).value(),
      1);
  gate.Open();
}

TEST(SingleFlight, WhoeverIsOnAPoolAlreadyWorksThere) {
  FairPool pool(2, 2);
  SingleFlight<int> flights(pool);
  FlightCounter counter{pool};
  Gate open;
  open.Open();
  std::uint64_t before = HandOvers();
  EXPECT_EQ(RunTask(flights.DoHere("key", Count(&counter, open.opened()))).value(), 1);
  EXPECT_EQ(HandOvers(), before);
}

}  // namespace
}  // namespace koya
