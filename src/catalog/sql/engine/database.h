// Database owns the connections to one database, and the threads that use them; Executor runs the
// operations of the catalog on it.
//
// A database has two connection pools: reads never wait behind a write that waits for the disk. On
// SQLite the write pool has one thread, since the file has one writer. A watchdog thread enforces
// the pools' promise that every request gets a result in time (connection_pool.h). Threads: any.
// The destructor waits for running work.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/task.h"
#include "catalog/sql/engine/connection_pool.h"

namespace koya::sql {

// ChangeSignal wakes coroutines that wait for changes, from any thread.
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

  // Likewise in a write transaction: committed when `work` succeeds, else rolled back. `work` may
  // run a second time from the start (Transaction).
  template <class Work>
  auto Write(Work work) -> Awaitable<decltype(work(std::declval<Session&>()))> {
    return On(write_pool_, std::move(work));
  }
  // Likewise for a transaction that decides itself whether to commit.
  Task<void> RunWrite(Transaction unit) { return write_pool_.Run(std::move(unit)); }

  // The blocking form of Write, for startup: on its own connection, and without a deadline. `work`
  // returns a Status.
  Status WriteNow(const std::function<Status(Session&)>& work);
  // Likewise in a transaction that sees all tables as they are at one moment, and changes nothing.
  Status ReadSnapshot(const std::function<Status(Session&)>& work);
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

// Runs the database operations of the catalog's parts (ModuleCatalog, SqlSessions, …): each is a
// function of a session, run as one transaction. Changes are published after the commit, before the
// caller resumes: operations that write need not do it. Threads: any; set `listener` before the
// first write.
class Executor {
 public:
  // Both outlive this. `keeps_ledger`: blobs lie in a remote store, whose objects the ledger
  // records.
  Executor(Database& database, ChangeSignal& signal, bool keeps_ledger = false)
      : database_(database), signal_(signal), keeps_ledger_(keeps_ledger) {}

  // Awaits `run(session, arguments…)`, which is a single read statement, and returns its Result.
  template <class Run, class... Arguments>
  auto Read(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    return database_.Read([run, ... arguments = std::move(arguments)](Session& session) mutable {
      return run(session, arguments...);
    });
  }

  // Likewise in a write transaction (Database::Write).
  template <class Run, class... Arguments>
  auto Write(Run run, Arguments... arguments)
      -> Awaitable<std::invoke_result_t<Run&, Session&, Arguments&...>> {
    std::optional<std::invoke_result_t<Run&, Session&, Arguments&...>> result;
    Transaction work = [&](Session& session) {
      result.emplace(run(session, arguments...));
      return result->has_value();
    };
    Status ran = co_await Commit(std::move(work));
    if (!ran) co_return Failure(std::move(ran).error());
    co_return *std::move(result);
  }

  void SetListener(std::function<void(const std::vector<Change>&)> listener) {
    listener_ = std::move(listener);
  }
  ChangeSignal& signal() { return signal_; }
  Database& database() { return database_; }

 private:
  // Runs `work` in a write transaction, then publishes its changes.
  Task<void> Commit(Transaction work);

  Database& database_;
  ChangeSignal& signal_;
  const bool keeps_ledger_;
  std::function<void(const std::vector<Change>&)> listener_;
};

}  // namespace koya::sql
