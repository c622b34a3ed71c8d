// Many ask for the same thing at once; it is worked out once.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/condition.h"
#include "base/offload.h"
#include "base/task.h"

namespace koya {

// Threads: Do() from any coroutine. The work runs on the pool, belongs to no caller, and goes on
// when they have left; it must end by itself. Outlives its callers and the pool's work.
template <class T>
class SingleFlight {
 public:
  explicit SingleFlight(WorkerPool& pool) : pool_(pool) {}

  // What `work` returns: of the call that is under way for `key`, or of a new one. `work` blocks,
  // and owns what it captures. An exception that it throws becomes kInternal.
  Task<T> Do(std::string key, std::function<Result<T>()> work) {
    co_return co_await DoUntil(std::move(key), std::move(work),
                               std::chrono::steady_clock::time_point::max(), Error());
  }

  // The same for callers who cannot wait for ever: fails with `late` at the deadline, while the
  // work goes on for whoever asks next.
  Task<T> DoUntil(std::string key, std::function<Result<T>()> work,
                  std::chrono::steady_clock::time_point deadline, Error late) {
    std::shared_ptr<Flight> flight = Join(std::move(key), std::move(work));
    std::function<bool()> landed = [&flight] { return flight->result.has_value(); };
    bool in_time = co_await flight->changed.WaitUntil(std::move(landed), deadline);
    if (!in_time) co_return Failure(std::move(late));
    std::lock_guard lock(flight->changed.mutex());
    co_return *flight->result;
  }

 private:
  struct Flight {
    Condition changed;
    std::optional<Result<T>> result;  // under changed.mutex()
  };

  std::shared_ptr<Flight> Join(std::string key, std::function<Result<T>()> work) {
    std::lock_guard lock(mutex_);
    auto [entry, first] = flights_.try_emplace(std::move(key));
    if (!first) return entry->second;
    entry->second = std::make_shared<Flight>();
    pool_.Post([this, key = entry->first, flight = entry->second, work = std::move(work)] {
      Result<T> result = Attempt(work);
      {
        std::lock_guard leaving(mutex_);
        flights_.erase(key);
      }
      {
        std::lock_guard landing(flight->changed.mutex());
        flight->result.emplace(std::move(result));
      }
      flight->changed.NotifyAll();
    });
    return entry->second;
  }

  static Result<T> Attempt(const std::function<Result<T>()>& work) {
    try {
      return work();
    } catch (const std::exception& exception) {
      return Fail(ErrorKind::kInternal, "the server could not do this; its log says why",
                  exception.what());
    }
  }

  WorkerPool& pool_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> flights_;
};

}  // namespace koya
