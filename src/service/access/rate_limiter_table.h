// Table of rate limit states by name: the most recently used ones, up to a maximum. Sharded, so
// that event loops rarely wait for each other.
//
// A state whose response is still being sent is not evicted, unless there is no other candidate.
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace koya::service {

struct RateLimitState;

class RateLimiterTable {
 public:
  // REQUIRES: most >= kShards.
  explicit RateLimiterTable(std::size_t most) : shard_most_(most / kShards) {}

  // Runs use(state) under the lock of the name's shard, and returns its result. Creates a missing
  // state, with no usage.
  template <class Use>
  auto With(std::string_view name, Use use) {
    Shard& shard = ShardOf(name);
    std::lock_guard lock(shard.mutex);
    return use(FindState(shard, name));
  }

  // A state whose sum for the day to query from the catalog, and the bytes to add to it.
  struct Share {
    std::shared_ptr<RateLimitState> state;
    std::uint64_t bytes = 0;
  };
  // Queues the state for a report. REQUIRES: within With().
  void List(const std::shared_ptr<RateLimitState>& state);
  // Takes at most `most` states from the queue, first those with at least `least` bytes to report;
  // the other states are taken without their bytes. A state whose response is still being sent
  // stays queued. One call at a time.
  std::vector<Share> TakeShares(std::size_t most, std::int64_t day, std::uint64_t least);
  // Sets the reported sum of all servers.
  void Learn(const Share& share, std::int64_t day, std::uint64_t sum);
  // Undoes a share after a failed report.
  void PutBack(const Share& share);

  std::size_t size() const;

 private:
  static constexpr std::size_t kShards = 16;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Recency = std::list<std::shared_ptr<RateLimitState>>;
  struct Shard {
    mutable std::mutex mutex;
    Recency recency;  // most recently used first; owns the names that the map views
    std::unordered_map<std::string_view, Recency::iterator, TextHash, std::equal_to<>> states;
    std::vector<std::shared_ptr<RateLimitState>> listed;
  };

  Shard& ShardOf(std::string_view name) { return shards_[(TextHash{}(name) >> 7) % kShards]; }
  // REQUIRES, both: the shard's lock is held.
  const std::shared_ptr<RateLimitState>& FindState(Shard& shard, std::string_view name);
  void MakeRoom(Shard& shard);
  struct Wanted {
    std::size_t most = 0;
    std::int64_t day = 0;
    std::uint64_t least = 0;
    std::uint64_t round = 0;
    bool with_bytes = false;
  };
  void TakeFrom(Shard& shard, std::vector<Share>& shares, const Wanted& wanted);

  const std::size_t shard_most_;
  std::array<Shard, kShards> shards_;
  std::uint64_t round_ = 0;  // number of calls of TakeShares
};

}  // namespace koya::service
