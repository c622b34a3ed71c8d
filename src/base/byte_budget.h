// A limit on the bytes that many pieces of work hold at once, shared fairly among the clients.
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

// Small pieces and large ones are charged to separate accounts, so that no large one delays a small
// one. A piece is admitted when it fits into its account, or when the account is empty: a piece
// larger than the account runs alone. A client has one piece in an account, or several that
// together take at most a quarter of it.
//
// Threads: every method of the budget and of its claims may be called from any thread. Must outlive
// its claims and the callbacks passed to `give_back`.
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
  // Calls `done`, on any thread, once freed memory has been returned to the system.
  using GiveBack = std::function<void(std::function<void()> done)>;

  // `give_back`: called before a worthwhile amount of released bytes becomes free for others; null:
  // released bytes are free at once.
  explicit ByteBudget(Bounds bounds, GiveBack give_back = nullptr)
      : bounds_(bounds), give_back_(std::move(give_back)) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  // The bytes that a piece of work holds while this object exists.
  class Claim {
   public:
    ~Claim() { Shrink(0); }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    std::uint64_t bytes() const { return bytes_; }
    bool is_large() const { return large_; }
    // Raises the claim to `bytes` in total if they are available without waiting; otherwise returns
    // false and changes nothing.
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

  // Waits until the piece is admitted, at most Bounds::patience. Fails: kUnavailable with
  // retry_after: at the deadline, or at once when too many wait.
  Task<std::shared_ptr<Claim>> ClaimBytes(std::string client, std::uint64_t bytes);

  // Bytes held in both accounts; number of waiters; number of clients with any entry.
  std::uint64_t held();
  std::size_t waiting();
  std::size_t clients();

 private:
  struct Account {
    std::uint64_t held = 0;
    std::map<std::string, std::uint64_t> by_client;  // bytes held; only entries above 0

    // `mine`: bytes of the account that the piece already holds.
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
