// Claims on the memory and threads that all requests for large data share.
//
//   CO_RETURN_IF_ERROR(co_await reading.Claim(bytes));             // before unpacking anything
//   ASSIGN_OR_CO_RETURN(Page page, co_await reading.Do(render));   // on a thread for readers
//
// Pass claim() on to the code that sends the response.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/task.h"

namespace koya {
class ByteBudget;
class WorkerPool;
}  // namespace koya

namespace koya::service {

// Resources shared by all readings. Outlives them. Publishes use none of it.
struct ReadingBudget {
  ByteBudget& budget;
  WorkerPool& quick;  // work with a small claim
  WorkerPool& large;  // work with a large claim: a page of a small module never waits behind it
};

// True if the error means that other readings hold the shared memory or threads: the request fails
// with it, and no partial result takes its place.
bool IsTurnedAway(const Error& error);

// Handle of a reading; copies share it. Threads: one at a time.
class Reading {
 public:
  // `client`: address of the client; `has_left`: whether it has disconnected; any thread, may be
  // empty.
  Reading(ReadingBudget& room, std::string_view client, std::function<bool()> has_left);
  // For the server's own work, which claims nothing and runs on `pool`.
  explicit Reading(WorkerPool& pool);

  bool is_own() const;

  // Raises the claim to at least `bytes` in all. The first call waits in a queue; later calls
  // succeed or fail at once, so that no reader waits while it holds memory that others wait for.
  // Fails: kUnavailable: others hold too much, or the client has left.
  Task<void> Claim(std::uint64_t bytes) const;
  // Reduces the claim to `bytes`, unless it is shared with work that continues (Lasting).
  void ShrinkClaim(std::uint64_t bytes) const;
  std::uint64_t claimed() const;
  // Null: no claim.
  std::shared_ptr<const void> claim() const;

  // A reading with the same claim, for work that continues after the client has left.
  Reading Lasting() const;

  // Runs `work`, which returns a Result, on a thread of the pool for its size of claim. Fails, too:
  // kUnavailable: no thread was free in time, or the client had left by then.
  template <class Work>
  auto Do(Work work) const -> Awaitable<decltype(work())>;

 private:
  struct State;

  // True if `work` was run.
  Awaitable<bool> Run(std::function<void()> work) const;
  static Error TooLate();

  std::shared_ptr<State> state_;
};

template <class Work>
auto Reading::Do(Work work) const -> Awaitable<decltype(work())> {
  std::optional<decltype(work())> done;
  std::function<void()> run = [&done, &work] { done.emplace(work()); };
  const bool ran = co_await Run(std::move(run));
  if (!ran) co_return Failure(TooLate());
  co_return *std::move(done);
}

// RAII slot that limits concurrency. Threads: any.
class ConcurrencySlot {
 public:
  // `taken` must outlive this.
  ConcurrencySlot(std::atomic<std::size_t>& taken, std::size_t most)
      : taken_(taken), got_(taken.fetch_add(1) < most) {}
  ~ConcurrencySlot() { taken_.fetch_sub(1); }
  ConcurrencySlot(const ConcurrencySlot&) = delete;
  ConcurrencySlot& operator=(const ConcurrencySlot&) = delete;

  // False: the limit is reached.
  bool got() const { return got_; }

 private:
  std::atomic<std::size_t>& taken_;
  bool got_;
};

}  // namespace koya::service
