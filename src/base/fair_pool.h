// Threads on which coroutines may block, shared fairly among those for whom they wait.
//
// Whoever blocks takes a place for somebody ("registry.example.org"). Nobody gets more places than
// would then be left for all others: one alone takes half of the threads at most, and however many
// hang, the next one still finds a thread. Nor more than a bound of its own, since whoever is
// answered takes memory. Who must wait waits without a thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "base/task.h"

namespace koya {

// Threads: every method may be called from any thread. The threads are made when they are needed.
// The destructor waits for everything that was spawned.
class FairPool {
 public:
  // REQUIRES: at least 2 threads; one of them is never blocked.
  FairPool(std::size_t most_threads, std::size_t most_each);
  ~FairPool();
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // Runs `work` on the pool's threads, on one at a time; it blocks only while it has a place. It
  // must not throw, and owns what it uses.
  void Spawn(Awaitable<void> work);

  // The right to block a thread on somebody's behalf, until it goes.
  class Place {
   public:
    Place(FairPool& pool, std::string who) : pool_(&pool), who_(std::move(who)) {}
    Place(Place&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), who_(std::move(other.who_)) {}
    Place& operator=(Place&& other) noexcept;
    ~Place() { Leave(); }
    // Gives it back early: before another one is asked for, so that nobody waits who holds a place.
    void Leave();

   private:
    FairPool* pool_;
    std::string who_;
  };

  // For coroutines that were spawned here. Waits until there is a place for `who`. Fails with
  // kUnavailable: at the deadline; when kMostWaiting wait for `who`, or kMostWaitingInAll; after
  // Stop().
  Task<Place> Enter(std::string who, std::chrono::steady_clock::time_point deadline);

  static constexpr std::size_t kMostWaiting = 64;
  static constexpr std::size_t kMostWaitingInAll = 1024;

  // From now on nobody enters, and stopping() is requested: what blocks should end.
  void Stop();
  std::stop_token stopping() const;

  // How many places are taken, and how many wait for one.
  std::size_t taken() const;
  std::size_t waiting() const;
  // For how many that is.
  std::size_t known() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
