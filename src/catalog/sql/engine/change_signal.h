// ChangeSignal wakes coroutines that wait for changes, from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "base/task.h"

namespace koya::sql {

// Threads: every method from any thread; a waiter resumes on its own executor. A notification
// without a waiter is kept for the next one, so that a wait that starts a moment late ends at once.
class ChangeSignal {
 public:
  ChangeSignal();
  ~ChangeSignal();
  ChangeSignal(const ChangeSignal&) = delete;
  ChangeSignal& operator=(const ChangeSignal&) = delete;

  // Ends at the next Notify(), or after `longest`.
  Awaitable<void> Wait(std::chrono::milliseconds longest);
  void Notify();

  // Whether other servers' changes are signaled when they happen, and not only found by polling.
  void SetHears(bool hears) { hears_ = hears; }
  bool hears() const { return hears_; }

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with the waits in progress
  std::atomic<bool> hears_ = true;
};

}  // namespace koya::sql
