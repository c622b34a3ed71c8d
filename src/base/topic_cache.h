// A size-limited cache of derived values, invalidated when their sources change.
//
// An entry is found by its key and belongs to one topic, the name of its source. Invalidate(topic)
// drops exactly that topic's entries. Values computed from data that was read before an
// invalidation are not cached: the caller takes a Ticket first, reads, and passes the ticket with
// the entry. At the limit, the least recently used entries are evicted. Thread-safe; sharded, so
// that loops rarely wait for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace koya {

struct CacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t entries = 0;
  std::uint64_t cost = 0;
};

// Proof of when the caller began to read: a value must be derived from data read after its ticket
// was taken.
struct CacheTicket {
  std::uint64_t generation = 0;
};

template <class Value>
class TopicCache {
 public:
  using Ticket = CacheTicket;

  // Caches entries whose costs add up to at most `bound`; one entry may take a whole shard, an
  // eighth of it.
  explicit TopicCache(std::uint64_t bound) : shard_bound_(bound / kShards) {}

  std::shared_ptr<const Value> Find(std::string_view key) {
    return Find(key, [](const Value&) { return true; });
  }

  // Treats an entry that is not `usable` as a miss.
  template <class Usable>
  std::shared_ptr<const Value> Find(std::string_view key, Usable usable) {
    const HashedKey hashed = Hashed(key);
    Shard& shard = ShardOf(hashed);
    std::lock_guard lock(shard.mutex);
    auto found = shard.entries.find(hashed);
    if (found == shard.entries.end() || !usable(*found->second->value)) {
      ++shard.misses;
      return nullptr;
    }
    ++shard.hits;
    shard.recency.splice(shard.recency.begin(), shard.recency, found->second);
    return found->second->value;
  }

  Ticket TakeTicket() const { return {generation_.load(std::memory_order_acquire)}; }

  // True if nothing was invalidated since the ticket was taken.
  bool IsCurrent(Ticket ticket) const {
    return generation_.load(std::memory_order_acquire) == ticket.generation;
  }

  // Stores `value`, which takes `cost` bytes, unless something was invalidated since the ticket was
  // taken.
  void Put(Ticket ticket, std::string key, std::string topic, std::shared_ptr<const Value> value,
           std::uint64_t cost) {
    cost += kEntryCost + key.size() + 2 * topic.size();
    if (cost > shard_bound_) return;
    const HashedKey hashed = Hashed(key);
    Shard& shard = ShardOf(hashed);
    std::lock_guard lock(shard.mutex);
    // Invalidate() raises the generation before it takes a shard's lock: the holder of the lock
    // here either sees the new generation, or its entry is dropped by that invalidation right
    // after.
    if (generation_.load(std::memory_order_acquire) != ticket.generation) return;
    if (auto old = shard.entries.find(hashed); old != shard.entries.end()) Drop(shard, old->second);
    shard.recency.push_front(Entry{std::move(key), std::move(topic), std::move(value), cost});
    auto entry = shard.recency.begin();
    shard.entries.emplace(HashedKey{entry->key, hashed.hash}, entry);
    shard.topics[entry->topic].insert(entry->key);
    shard.cost += cost;
    while (shard.cost > shard_bound_) Drop(shard, std::prev(shard.recency.end()));
  }

  // Drops the topic's entries; all entries for the topic "".
  void Invalidate(std::string_view topic) {
    generation_.fetch_add(1, std::memory_order_acq_rel);
    for (Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      if (topic.empty()) {
        while (!shard.recency.empty()) Drop(shard, shard.recency.begin());
        continue;
      }
      auto found = shard.topics.find(topic);
      while (found != shard.topics.end()) {
        std::string_view key = *found->second.begin();
        Drop(shard, shard.entries.find(Hashed(key))->second);
        found = shard.topics.find(topic);
      }
    }
  }

  CacheCounters Counters() const {
    CacheCounters sum;
    for (const Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      sum.hits += shard.hits;
      sum.misses += shard.misses;
      sum.entries += shard.entries.size();
      sum.cost += shard.cost;
    }
    return sum;
  }

 private:
  static constexpr std::size_t kShards = 8;

  struct Entry {
    std::string key;
    std::string topic;
    std::shared_ptr<const Value> value;
    std::uint64_t cost = 0;
  };
  using Recency = std::list<Entry>;
  // The memory of an entry with its nodes in the list, the map and the topic's set, allocator
  // overhead included: for small values, most of their cost.
  static constexpr std::uint64_t kEntryCost = sizeof(Entry) + 320;

  // A view of an entry's key, which is hashed once for each look-up.
  struct HashedKey {
    std::string_view text;
    std::uint64_t hash = 0;
    friend bool operator==(const HashedKey&, const HashedKey&) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const HashedKey& key) const { return key.hash; }
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  struct Shard {
    mutable std::mutex mutex;
    Recency recency;  // most recently used first; owns the text that the maps view
    std::unordered_map<HashedKey, typename Recency::iterator, HashOfKey> entries;
    std::unordered_map<std::string, std::unordered_set<std::string_view>, TextHash, std::equal_to<>>
        topics;
    std::uint64_t cost = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };

  HashedKey Hashed(std::string_view key) const { return {key, HashText(key, seed_)}; }
  Shard& ShardOf(const HashedKey& key) {
    return shards_[(key.hash >> 32U) % kShards];  // the maps use the low bits
  }

  // REQUIRES: the shard's lock is held.
  void Drop(Shard& shard, typename Recency::iterator entry) {
    auto topic = shard.topics.find(entry->topic);
    topic->second.erase(entry->key);
    if (topic->second.empty()) shard.topics.erase(topic);
    shard.entries.erase(Hashed(entry->key));
    shard.cost -= entry->cost;
    shard.recency.erase(entry);
  }

  const std::uint64_t shard_bound_;
  const std::uint64_t seed_ = RandomHashSeed();
  std::atomic<std::uint64_t> generation_ = 0;
  std::array<Shard, kShards> shards_;
};

}  // namespace koya
