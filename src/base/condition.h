// A condition variable for coroutines: waiters on any executor, wakers on any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "base/task.h"

namespace koya {

// Threads: every method from any thread; a waiter resumes on its own executor. Whoever changes what
// a waiter looks at does so under mutex(), and calls NotifyAll() afterwards. Must outlive its
// waiters.
class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  std::mutex& mutex();
  // Returns when `holds` does. It is called with mutex() held, first at once, then by each
  // NotifyAll() on the notifier's thread, until it has returned true: nobody is woken to wait on.
  // It may take what is waited for. The caller sees to it that it holds at some time.
  Awaitable<void> Wait(std::function<bool()> holds);
  // The same, but not longer than until `deadline`: returns whether it holds.
  Awaitable<bool> WaitUntil(std::function<bool()> holds,
                            std::chrono::steady_clock::time_point deadline);
  void NotifyAll();

 private:
  struct Waiter;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
