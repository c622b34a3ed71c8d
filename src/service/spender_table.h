// Those whose requests and bytes are counted, by name: the ones that asked last, so many at most.
// Sharded, so that loops rarely wait for each other.
//
// Who is still being sent something is not forgotten, unless nobody else is left to forget.
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

struct Spender;

class SpenderTable {
 public:
  // REQUIRES: most >= kShards.
  explicit SpenderTable(std::size_t most) : shard_most_(most / kShards) {}

  // Runs use(spender) while nobody else uses this one, and returns its result. One that is not
  // there begins with nothing used.
  template <class Use>
  auto With(std::string_view name, Use use) {
    Shard& shard = ShardOf(name);
    std::lock_guard lock(shard.mutex);
    return use(Find(shard, name));
  }

  // For whose day's sum the catalog is to be asked, and what to add to it.
  struct Share {
    std::shared_ptr<Spender> spender;
    std::uint64_t bytes = 0;
  };
  // Puts the spender on the list of those. REQUIRES: within With().
  void List(const std::shared_ptr<Spender>& spender);
  // Takes `most` from the list, first those whose bytes come to `least`; the others' bytes stay.
  // Who is being sent something stays on the list. By one at a time.
  std::vector<Share> TakeShares(std::size_t most, std::int64_t day, std::uint64_t least);
  // What became of a share: the sum of all servers.
  void Learn(const Share& share, std::int64_t day, std::uint64_t sum);
  // It could not be told.
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
  using Recency = std::list<std::shared_ptr<Spender>>;
  struct Shard {
    mutable std::mutex mutex;
    Recency recency;  // the last one to ask first; owns the names that the map views
    std::unordered_map<std::string_view, Recency::iterator, TextHash, std::equal_to<>> spenders;
    std::vector<std::shared_ptr<Spender>> listed;
  };

  Shard& ShardOf(std::string_view name) { return shards_[(TextHash{}(name) >> 7) % kShards]; }
  // REQUIRES, both: the shard's lock is held.
  const std::shared_ptr<Spender>& Find(Shard& shard, std::string_view name);
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
  std::uint64_t round_ = 0;  // of TakeShares
};

}  // namespace koya::service
