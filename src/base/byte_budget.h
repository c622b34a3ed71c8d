// A bound on the bytes that many pieces of work hold at once, shared fairly among those who ask.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/condition.h"
#include "base/task.h"

namespace koya {

// Small pieces and large ones have an account each, so that no large one keeps a small one waiting.
// A piece is admitted when it fits into its account, or when nothing else is in it: one that is
// larger than the account runs alone. One client has one piece in an account, or several that take
// a quarter of it together.
//
// Threads: every method of it and of its claims from any thread. Outlives its claims, and what
// `give_back` was called with.
class ByteBudget {
 public:
  struct Bounds {
    std::uint64_t large = 256U << 20U;
    std::uint64_t small = 32U << 20U;
    std::uint64_t small_piece = 1U << 20U;  // the largest of them
    std::chrono::milliseconds patience = std::chrono::seconds(2);
    std::size_t most_waiting = 256;
    std::size_t most_waiting_each = 32;  // of one client
  };
  // Calls `done`, on any thread, once memory that was freed has gone back to the system.
  using GiveBack = std::function<void(std::function<void()> done)>;

  // `give_back`: asked before bytes that are worth it are free for others; null: they are at once.
  explicit ByteBudget(Bounds bounds, GiveBack give_back = nullptr)
      : bounds_(bounds), give_back_(std::move(give_back)) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // The bytes that a piece of work holds while this exists.
  class Claim {
   public:
    ~Claim() { Shrink(0); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    std::uint64_t bytes() const { return bytes_; }
    bool is_large() const { return large_; }
    // Holds `bytes` in all, if that many can be had without waiting; else returns false, and holds
    // what it held.
    bool Grow(std::uint64_t bytes);
    // Shrinks to `bytes`, if it holds more.
    void Shrink(std::uint64_t bytes);

   private:
    friend class ByteBudget;
    Claim(ByteBudget& budget, std::string client) : budget_(budget), client_(std::move(client)) {}

    ByteBudget& budget_;
    const std::string client_;
    // Written under changed_.mutex().
    std::atomic<std::uint64_t> bytes_ = 0;
    std::atomic<bool> large_ = false;
  };

  // Waits for its turn, up to Bounds::patience. Fails: kUnavailable, with a time to ask again: at
  // the deadline, or at once when too many wait.
  Task<std::shared_ptr<Claim>> Take(std::string client, std::uint64_t bytes);

  // Bytes that are held, of both accounts; how many wait; for how many clients anything is counted.
  std::uint64_t held();
  std::size_t waiting();
  std::size_t clients();

 private:
  struct Account {
    std::uint64_t held = 0;
    std::map<std::string, std::uint64_t> by_client;  // what is held, where it is something

    // `mine`: what the piece holds of it already.
    bool HasRoom(std::uint64_t bound, const std::string& client, std::uint64_t mine,
                 std::uint64_t bytes) const;
    void Add(const std::string& client, std::uint64_t bytes);
    void Remove(const std::string& client, std::uint64_t bytes);
  };

  bool IsLarge(std::uint64_t bytes) const { return bytes > bounds_.small_piece; }
  bool Admit(Claim& claim, std::uint64_t bytes);
  void Release(std::string client, bool large, std::uint64_t bytes);
  Failure Busy(bool large) const;

  const Bounds bounds_;
  const GiveBack give_back_;
  Condition changed_;
  // Under changed_.mutex():
  Account accounts_[2];  // small, large
  std::map<std::string, std::size_t> waiting_by_client_;
  std::size_t waiting_ = 0;
};

}  // namespace koya
