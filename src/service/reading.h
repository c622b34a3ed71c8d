// What a request that reads something large takes of the memory and the threads that all readers
// share.
//
//   CO_RETURN_IF_ERROR(co_await reading.Claim(bytes));             // before anything is unfolded
//   ASSIGN_OR_CO_RETURN(Page page, co_await reading.Do(render));   // on a thread for readers
//
// claim() is handed on to what sends the answer.
#pragma once

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

// What they share. Outlives all readings. Publishes use none of it.
struct ReadingRoom {
  ByteBudget& budget;
  WorkerPool& quick;  // pieces of work that claim little
  WorkerPool& large;  // the others: a page of a small module never waits behind them
};

// Whether this failed because of what others are shown just now: it is answered as it is, and
// nothing is shown in its place.
bool IsTurnedAway(const Error& error);

// A handle: copies are of the same reading. Threads: one at a time.
class Reading {
 public:
  // `client`: whose the request is, by address; `has_left`: any thread; may be empty.
  Reading(ReadingRoom& room, std::string_view client, std::function<bool()> has_left);
  // Of the server's own work, which claims nothing and runs on `pool`.
  explicit Reading(WorkerPool& pool);

  bool is_own() const;

  // Holds `bytes` in all, or more. The first time it waits for its turn; later it holds them at
  // once or fails, so that no reader waits while it holds what others wait for. Fails:
  // kUnavailable: others hold too much, or the client has left.
  Task<void> Claim(std::uint64_t bytes) const;
  // Holds no more than that from now on, unless work that lasts goes on with what is claimed.
  void Keep(std::uint64_t bytes) const;
  std::uint64_t claimed() const;
  // Null: nothing was claimed.
  std::shared_ptr<const void> claim() const;

  // The same, with what is claimed so far, for work that goes on when the client has left.
  Reading Lasting() const;

  // Runs `work`, which returns a Result, on a thread for work as large as what is claimed. Fails,
  // too: kUnavailable: its turn came too late, or the client had left by then.
  template <class Work>
  auto Do(Work work) const -> Awaitable<decltype(work())>;

 private:
  struct State;

  // Whether `work` was run.
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

}  // namespace koya::service
