// ConnectionPool is a queue of transactions for the database, and the threads that run them, each
// with its own session.
//
// Limits: at most 1,000 transactions wait. Each gets a result within the pool's timeout
// (`patience`), counted from the request, whatever the database does: one that has not started when
// a quarter of the timeout is left is not run any more, and one that is running at the end is cut
// off. On SQLite, writes that wait when one is about to be committed join it (ADR 103): all become
// durable by one COMMIT, and get their results after it. After a sign that the database does not
// respond, one transaction a second is tried and all others fail at once (DatabaseCircuitBreaker).
// Threads: Run(), EndLate() and Load() from any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "catalog/catalog_load.h"
#include "catalog/sql/engine/transaction.h"

namespace koya::sql {

// Circuit breaker that spares a database that does not respond, and the callers that would wait for
// it: while open, it admits one transaction a second as a probe; all others fail at once.
//
// Threads: any; nothing here waits.
class DatabaseCircuitBreaker {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Decision {
    kAdmit,
    kProbe,  // this call finds out: it ends in Close() or Open()
    kReject,
  };
  struct Admission {
    Decision decision = Decision::kAdmit;
    // With kReject: the failure that opened this breaker; none when only another one is open.
    std::optional<Error> why;
  };

  // `elsewhere`: another breaker is open, so that only a probe may pass. The result carries its
  // reason, since the state may differ by the next call.
  Admission Admit(Time now, bool elsewhere = false);
  void Close();
  void Open(Time now, Error why);
  bool is_open() const;
  // The failure that opened it last.
  Error why() const;

 private:
  mutable std::mutex mutex_;
  bool open_ = false;
  bool probing_ = false;
  Time next_probe_ = Time::min();
  Error why_;
};

class ConnectionPool {
 public:
  using Time = Session::Time;
  struct Options {
    Access access = Access::kRead;
    std::size_t threads = 1;
    std::chrono::milliseconds patience{5000};
    const DatabaseCircuitBreaker* also = nullptr;  // while it is open this pool only probes, too
  };

  ConnectionPool(Engine& engine, Options options);
  ~ConnectionPool();  // as Stop()
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // Awaits `unit`, run on a thread of the pool. Fails as RunUnit; also kUnavailable when it was not
  // tried, or timed out.
  Task<void> Run(Transaction unit);

  // Call repeatedly: ends transactions that are late by `now`, and returns when to call again.
  Time EndLate(Time now);
  // Runs the waiting transactions, then ends the threads. EndLate() must still be called meanwhile.
  void Stop();

  const DatabaseCircuitBreaker& breaker() const { return breaker_; }
  PoolLoad Load() const;

 private:
  struct Job;
  struct Worker;

  static void CompleteJob(std::unique_ptr<Job> job, Status outcome);
  Status Admit(Job& job);
  void Enqueue(std::unique_ptr<Job> job);
  void Serve(Worker& worker);
  bool TakeJob(Worker& worker);
  bool Begin(Worker& worker);
  void NoteBegun(Job& job, Time now);
  const Transaction* TakeJoining(Worker& worker);
  void PutBack(Worker& worker);
  void Finish(Worker& worker, TransactionResult outcome);
  // Fails all waiting jobs at once; the probe, if there is one, ends later.
  void OpenBreaker(Error why);

  Engine& engine_;
  const Options options_;
  DatabaseCircuitBreaker breaker_;
  std::atomic<std::uint64_t> not_admitted_ = 0;  // by the circuit breaker
  mutable std::mutex mutex_;                     // guards the members below, and those of workers
  std::condition_variable news_;
  std::deque<std::unique_ptr<Job>> queue_;  // deadlines never decrease
  std::vector<std::unique_ptr<Worker>> workers_;
  bool stopping_ = false;
  PoolLoad counts_;  // past events; current values are in the other members
};

}  // namespace koya::sql
