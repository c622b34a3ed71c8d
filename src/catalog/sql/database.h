// The connections to one database, and the threads that use them.
//
// Two lanes: reads never wait behind a write that waits for the disk. On SQLite the write lane has
// one thread, since the file has one writer. A watchdog thread keeps the lanes' word that every
// question is answered in time (lane.h).
// Threads: any. The destructor waits for running work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/task.h"
#include "catalog/sql/lane.h"

namespace koya::sql {

class Database {
 public:
  struct Lanes {
    std::size_t readers = 4;
    std::size_t writers = 1;
    std::chrono::milliseconds read_timeout{5000};  // from being asked to being answered
    std::chrono::milliseconds write_timeout{10'000};
  };
  Database(std::unique_ptr<Engine> engine, Lanes lanes);
  ~Database();

  // Awaits `work(session)`, which is one statement that reads, and returns its Result.
  template <class Work>
  auto Read(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    return On(read_lane_, std::move(work));
  }

  // The same in a transaction that writes: committed when `work` succeeds, else rolled back. When
  // the connection turns out to be lost, `work` may be run a second time from the start.
  template <class Work>
  auto Write(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    return On(write_lane_, std::move(work));
  }
  // The same for a unit that says itself whether to commit.
  Task<void> RunWrite(Unit unit) { return write_lane_.Run(std::move(unit)); }

  // The blocking form of Write, for starting up: on a connection of its own, and without a
  // deadline. `work` returns a Status.
  Status WriteNow(const std::function<Status(Session&)>& work);
  Engine& engine() { return *engine_; }
  // The lanes, reads first. Quick.
  std::vector<LaneLoad> Loads() const { return {read_lane_.Load(), write_lane_.Load()}; }

 private:
  template <class Work>
  static auto On(Lane& lane, Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    using Value = decltype(work(std::declval<Session&>()));
    std::optional<Value> value;
    Unit unit = [&value, &work](Session& session) {
      value.emplace(work(session));
      return value->has_value();
    };
    Status ran = co_await lane.Run(std::move(unit));
    if (!ran) co_return Failure(std::move(ran).error());
    co_return *std::move(value);
  }

  void Watch(std::stop_token stop);

  const Lanes lanes_;
  std::unique_ptr<Engine> engine_;
  Lane read_lane_;
  Lane write_lane_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread watchdog_;
};

}  // namespace koya::sql
