// Moves blocking work (SQL, hashing, archives, file writes) off the event loops.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/task.h"

namespace koya {

// The number of times that work moved between threads in this process, there or back: the fixed
// cost of each step.
std::uint64_t HandOvers();
void NoteHandOver();  // for those who wake threads by other means than a WorkerPool

// A fixed number of threads that run blocking functions. The destructor waits for running and
// queued ones. Threads: every method may be called from any thread.
class WorkerPool {
 public:
  // `nice`: lowers the priority of the pool's threads (nice(2), of each thread): 0 to 19, the
  // lowest. One more thread, of normal priority, hands back their results.
  explicit WorkerPool(std::size_t threads, int nice = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `work` on a pool thread; the awaiting coroutine resumes on its own executor when it is
  // done. An exception that `work` throws is rethrown at the co_await. `work` must not outlive its
  // captures: a caller that is cancelled still waits for it.
  Awaitable<void> Run(std::function<void()> work);

  // The caller on whose behalf work runs.
  struct Asker {
    std::chrono::steady_clock::time_point until;  // work that has not begun by then is not needed
    std::function<bool()> has_left;               // called on a pool thread; may be empty
  };
  // The same for work that may become unnecessary: returns false without running it if a thread is
  // free only after `until` or after the caller has left, or at once when kMostWaiting are queued.
  static constexpr std::size_t kMostWaiting = 1000;
  Awaitable<bool> RunFor(Asker asker, std::function<void()> work);

  // Runs `work` later without a waiter: mostly clean-up. It must not throw, and owns everything it
  // captures.
  void Post(std::function<void()> work);

  std::size_t threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Awaits `function()` run on `pool` and returns its result (a Result<T>, usually).
template <class Function>
auto Offload(WorkerPool& pool, Function function) -> Awaitable<decltype(function())> {
  using Value = decltype(function());
  std::optional<Value> value;
  std::function<void()> work = [&value, &function] { value.emplace(function()); };
  co_await pool.Run(std::move(work));
  co_return *std::move(value);
}

}  // namespace koya
