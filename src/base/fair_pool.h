// A thread pool on which coroutines may block, shared fairly among the hosts for which they wait.
//
// A coroutine takes a slot for a name ("registry.example.org") before it blocks. No name gets more
// slots than would then remain for all others: a single one takes at most half of the threads, and
// however many hang, the next one still finds a thread. Each name also has a fixed limit, since
// responses take memory. Coroutines that wait for a slot take no thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "base/task.h"

namespace koya {

// Threads: every method may be called from any thread. Threads are created on demand. The
// destructor waits for everything that was spawned.
class FairPool {
 public:
  // REQUIRES: at least 2 threads; one of them is never blocked.
  FairPool(std::size_t most_threads, std::size_t most_each);
  ~FairPool();
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // Runs `work` on the pool's threads, on one at a time; it may block only while it holds a slot.
  // It must not throw, and owns everything it uses. It belongs to CurrentTrace().
  void Spawn(Awaitable<void> work);

  // The right to block a thread on behalf of a name, held until the object is destroyed.
  class Slot {
   public:
    Slot(FairPool& pool, std::string who) : pool_(&pool), who_(std::move(who)) {}
    Slot(Slot&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), who_(std::move(other.who_)) {}
    Slot& operator=(Slot&& other) noexcept;
    ~Slot() { Release(); }
    // Releases the slot early: call it before entering again, so that no waiter holds a slot.
    void Release();

   private:
    FairPool* pool_;
    std::string who_;
  };

  // For coroutines that were spawned here. Waits for a free slot of `who`. Fails with kUnavailable:
  // at the deadline; when kMostWaiting wait for `who`, or kMostWaitingInAll in total; after Stop().
  Task<Slot> Enter(std::string who, std::chrono::steady_clock::time_point deadline);

  static constexpr std::size_t kMostWaiting = 64;
  static constexpr std::size_t kMostWaitingInAll = 1024;

  // From now on every Enter() fails, and stopping() is requested: blocking calls should end.
  void Stop();
  std::stop_token stopping() const;

  // Number of slots in use, and number of waiters.
  std::size_t taken() const;
  std::size_t waiting() const;
  // Number of names that have slots or waiters.
  std::size_t known() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
