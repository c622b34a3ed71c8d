// Concurrent calls for the same key share one computation.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/condition.h"
#include "base/fair_pool.h"
#include "base/task.h"

namespace koya {

// Threads: any. The work is a coroutine that has not started; it is dropped if a flight for its key
// is under way. It belongs to no caller and continues when all have left, so it owns everything it
// uses and must end by itself. An exception that it throws becomes kInternal. Must outlive the
// pool's work.
template <class T>
class SingleFlight {
 public:
  using Time = std::chrono::steady_clock::time_point;

  SingleFlight() = default;  // for DoHere alone
  explicit SingleFlight(FairPool& pool) : pool_(&pool) {}

  // Number of completed flights. A caller that read it before a cache lookup need not look again if
  // it is unchanged when the work begins.
  std::uint64_t landed() const { return landed_; }

  // The result of `work`: of the flight under way for `key`, or of a new one on the pool. Fails
  // with `late` at the deadline.
  Task<T> Do(std::string key, Task<T> work, Time deadline, Error late) {
    auto [flight, first] = Join(key);
    if (first) pool_->Spawn(Fly(this, std::move(key), flight, std::move(work)));
    co_return co_await Await(std::move(flight), deadline, std::move(late));
  }

  // Starts `work` on the pool, for a caller that does not wait for its result.
  void Start(std::string key, Task<T> work) {
    auto [flight, first] = Join(key);
    if (first) pool_->Spawn(Fly(this, std::move(key), std::move(flight), std::move(work)));
  }

  // The same for a coroutine that already runs on some pool and continues when callers leave: the
  // first caller does the work itself.
  Task<T> DoHere(std::string key, Task<T> work) {
    auto [flight, first] = Join(key);
    if (first) co_await Fly(this, std::move(key), flight, std::move(work));
    co_return co_await Await(std::move(flight), Time::max(), Error());
  }

 private:
  struct Flight {
    Condition changed;
    std::optional<Result<T>> result;  // under changed.mutex()
  };
  struct Seat {
    std::shared_ptr<Flight> flight;
    bool first = false;
  };

  Seat Join(const std::string& key) {
    std::lock_guard lock(mutex_);
    auto [entry, first] = flights_.try_emplace(key);
    if (first) entry->second = std::make_shared<Flight>();
    return {entry->second, first};
  }

  static Task<T> Await(std::shared_ptr<Flight> flight, Time deadline, Error late) {
    std::function<bool()> landed = [&flight] { return flight->result.has_value(); };
    bool in_time = co_await flight->changed.WaitUntil(std::move(landed), deadline);
    if (!in_time) co_return Failure(std::move(late));
    std::lock_guard lock(flight->changed.mutex());
    co_return *flight->result;
  }

  static Awaitable<void> Fly(SingleFlight* self, std::string key, std::shared_ptr<Flight> flight,
                             Task<T> work) {
    Result<T> result = co_await Attempt(std::move(work));
    {
      std::lock_guard leaving(self->mutex_);
      ++self->landed_;
      self->flights_.erase(key);
    }
    {
      std::lock_guard landing(flight->changed.mutex());
      flight->result.emplace(std::move(result));
    }
    flight->changed.NotifyAll();
  }

  static Task<T> Attempt(Task<T> work) {
    std::string thrown;
    try {
      co_return co_await std::move(work);
    } catch (const std::exception& exception) {
      thrown = exception.what();
    }
    co_return Fail(ErrorKind::kInternal, "the server could not do this; see its log",
                   std::move(thrown));
  }

  FairPool* pool_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> flights_;
  std::atomic<std::uint64_t> landed_ = 0;
};

}  // namespace koya
