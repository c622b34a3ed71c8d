// Database owns the connections to one database, and the threads that use them.
//
// It has two connection pools: reads never wait behind a write that waits for the disk. On SQLite
// the write pool has one thread, since the file has one writer. A watchdog thread enforces the
// pools' promise that every request gets a result in time (connection_pool.h).
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
#include "catalog/sql/engine/connection_pool.h"

namespace koya::sql {

class Database {
 public:
  struct Pools {
    std::size_t readers = 4;
    std::size_t writers = 1;
    std::chrono::milliseconds read_timeout{5000};  // from request to result
    std::chrono::milliseconds write_timeout{10'000};
  };
  Database(std::unique_ptr<Engine> engine, Pools pools);
  ~Database();

  // Awaits `work(session)`, which is a single read statement, and returns its Result.
  template <class Work>
  auto Read(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    return On(read_pool_, std::move(work));
  }

  // Likewise in a write transaction: committed when `work` succeeds, else rolled back. When the
  // connection turns out to be lost, `work` may run a second time from the start.
  template <class Work>
  auto Write(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    return On(write_pool_, std::move(work));
  }
  // Likewise for a transaction that decides itself whether to commit.
  Task<void> RunWrite(Transaction unit) { return write_pool_.Run(std::move(unit)); }

  // The blocking form of Write, for startup: on its own connection, and without a deadline. `work`
  // returns a Status.
  Status WriteNow(const std::function<Status(Session&)>& work);
  Engine& engine() { return *engine_; }
  // The load of the pools, reads first. Fast.
  std::vector<PoolLoad> Loads() const { return {read_pool_.Load(), write_pool_.Load()}; }

 private:
  template <class Work>
  static auto On(ConnectionPool& pool, Work work)
      -> Awaitable<decltype(work(std::declval<Session&>()))> {
    using Value = decltype(work(std::declval<Session&>()));
    std::optional<Value> value;
    Transaction unit = [&value, &work](Session& session) {
      value.emplace(work(session));
      return value->has_value();
    };
    Status ran = co_await pool.Run(std::move(unit));
    if (!ran) co_return Failure(std::move(ran).error());
    co_return *std::move(value);
  }

  void Watch(std::stop_token stop);

  const Pools lanes_;
  std::unique_ptr<Engine> engine_;
  ConnectionPool read_pool_;
  ConnectionPool write_pool_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread watchdog_;
};

}  // namespace koya::sql
