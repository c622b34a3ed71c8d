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

// How often work went from one thread to another in this process, there or back: what a step costs
// before it does anything.
std::uint64_t HandOvers();
void NoteHandOver();  // for those who wake threads by other means than a WorkerPool

// A fixed number of threads that run blocking functions. The destructor waits for the running and
// queued ones. Threads: every method may be called from any thread.
class WorkerPool {
 public:
  // `nice`: how far its threads stand back behind others (nice(2), of each thread): 0 to 19, the
  // lowest priority of all. One more thread, which does not, hands back what they have done.
  explicit WorkerPool(std::size_t threads, int nice = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Runs `work` on a pool thread; the awaiting coroutine resumes on its own executor when it is
  // done. An exception that `work` throws is rethrown at the co_await. `work` must not outlive
  // what it captures: a caller that is cancelled still waits for it.
  Awaitable<void> Run(std::function<void()> work);

  // Whom a piece of work is done for.
  struct Asker {
    std::chrono::steady_clock::time_point until;  // what has not begun by then is not needed
    std::function<bool()> has_left;               // asked on a pool thread; may be empty
  };
  // The same, while it is still needed: returns false, and has not run it, when its turn comes
  // too late or the asker has left by then, or at once when kMostWaiting wait for theirs.
  static constexpr std::size_t kMostWaiting = 1000;
  Awaitable<bool> RunFor(Asker asker, std::function<void()> work);

  // Runs `work` some time later, with nobody waiting: cleaning up, mostly. It must not throw, and
  // owns what it captures.
  void Post(std::function<void()> work);

  std::size_t threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Awaits `function()` run on `pool` and returns what it returned (a Result<T>, usually).
template <class Function>
auto Offload(WorkerPool& pool, Function function) -> Awaitable<decltype(function())> {
  using Value = decltype(function());
  std::optional<Value> value;
  std::function<void()> work = [&value, &function] { value.emplace(function()); };
  co_await pool.Run(std::move(work));
  co_return *std::move(value);
}

}  // namespace koya
