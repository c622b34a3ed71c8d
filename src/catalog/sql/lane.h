// A queue of work for the database, and the threads that do it, each with a session of its own.
//
// Bounds: 1,000 units wait at most; each is answered within the lane's patience, counted from the
// moment it was asked for, whatever the database does: what has not begun when a quarter of it is
// left is not run any more, and what is under way at the end is cut off. After a sign that the
// database does not answer, one unit a second is tried and all others fail at once (gate.h).
// Threads: Run(), EndLate() and Load() from any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/task.h"
#include "catalog/catalog_load.h"
#include "catalog/sql/gate.h"
#include "catalog/sql/unit.h"

namespace koya::sql {

class Lane {
 public:
  using Time = Session::Time;
  struct Options {
    Access access = Access::kRead;
    std::size_t threads = 1;
    std::chrono::milliseconds patience{5000};
    const Gate* also = nullptr;  // while it is closed this lane only probes, too
  };

  Lane(Engine& engine, Options options);
  ~Lane();  // as Stop()
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Awaits `unit`, run on a thread of the lane. Fails besides as RunUnit: kUnavailable when it was
  // not tried, or its time is over.
  Task<void> Run(Unit unit);

  // To be called again and again: ends what is late by `now`, and returns by when to come back.
  Time EndLate(Time now);
  // Does what waits, and ends the threads. EndLate() must still be called meanwhile.
  void Stop();

  const Gate& gate() const { return gate_; }
  LaneLoad Load() const;

 private:
  struct Job;
  struct Worker;

  static void Tell(std::unique_ptr<Job> job, Status outcome);
  Status Admit(Job& job);
  void Enqueue(std::unique_ptr<Job> job);
  void Serve(Worker& worker);
  bool Take(Worker& worker);
  bool Begin(Worker& worker);
  void Finish(Worker& worker, UnitOutcome outcome);
  // Everybody who waits is told at once; the probe, if there is one, comes back later.
  void CloseGate(Error why);

  Engine& engine_;
  const Options options_;
  Gate gate_;
  std::atomic<std::uint64_t> not_admitted_ = 0;  // refused at the gate
  mutable std::mutex mutex_;                     // of what follows, and of the workers' members
  std::condition_variable news_;
  std::deque<std::unique_ptr<Job>> queue_;  // deadlines never fall
  std::vector<std::unique_ptr<Worker>> workers_;
  bool stopping_ = false;
  LaneLoad counts_;  // what has happened; the present is in the other members
};

}  // namespace koya::sql
