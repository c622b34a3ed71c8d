// Wakes coroutines that wait for news, from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "base/task.h"

namespace koya::sql {

// Threads: every method from any thread; a waiter resumes on its own executor. News that nobody
// waits for is kept for the next waiter, so that a wait begun a moment late ends at once.
class ChangeSignal {
 public:
  ChangeSignal();
  ~ChangeSignal();
  ChangeSignal(const ChangeSignal&) = delete;
  ChangeSignal& operator=(const ChangeSignal&) = delete;

  // Ends at the next Notify(), or after `longest`.
  Awaitable<void> Wait(std::chrono::milliseconds longest);
  void Notify();

  // Whether other servers' changes are heard when they happen, and not only when somebody looks.
  void SetHears(bool hears) { hears_ = hears; }
  bool hears() const { return hears_; }

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the waits in progress
  std::atomic<bool> hears_ = true;
};

}  // namespace koya::sql
