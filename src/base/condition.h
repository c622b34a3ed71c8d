// A condition variable for coroutines: waiters on any executor, wakers on any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "base/task.h"

namespace koya {

// Threads: every method from any thread; a waiter resumes on its own executor. Code that changes
// state on which a waiter's predicate depends does so under mutex(), and calls NotifyAll()
// afterwards. Must outlive its waiters.
class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  std::mutex& mutex();
  // Returns when `holds` returns true. The predicate is called with mutex() held: first at once,
  // then by each NotifyAll() on the notifier's thread, until it has returned true, so there are no
  // spurious wake-ups. It may consume the state that it waits for. The caller makes sure that it
  // holds eventually.
  Awaitable<void> Wait(std::function<bool()> holds);
  // The same with a deadline: returns whether the predicate held.
  Awaitable<bool> WaitUntil(std::function<bool()> holds,
                            std::chrono::steady_clock::time_point deadline);
  void NotifyAll();

 private:
  struct Waiter;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
