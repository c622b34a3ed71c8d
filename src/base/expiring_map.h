// A map with a maximum size, whose entries expire.
//
// When it is full, the entry that expires first is evicted. Expired entries stay until then, for
// callers that prefer a stale value to none. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace koya {

template <class Key, class Value, class Time>
class ExpiringMap {
 public:
  struct Entry {
    Value value;
    Time until;
  };

  // REQUIRES: most > 0.
  explicit ExpiringMap(std::size_t most) : most_(most) {}

  // The value, unless it has expired.
  std::optional<Value> Find(const Key& key, Time now) const {
    std::optional<Entry> entry = Peek(key);
    if (!entry || entry->until <= now) return std::nullopt;
    return std::move(entry->value);
  }

  // The entry, expired or not.
  std::optional<Entry> Peek(const Key& key) const {
    std::lock_guard lock(mutex_);
    auto found = slots_.find(key);
    if (found == slots_.end()) return std::nullopt;
    return Entry{found->second.value, found->second.end->first};
  }

  void Put(const Key& key, Value value, Time until) {
    std::lock_guard lock(mutex_);
    Drop(slots_.find(key));
    if (slots_.size() >= most_) Drop(slots_.find(ends_.begin()->second));
    slots_.emplace(key, Slot{std::move(value), ends_.emplace(until, key)});
  }

  void Erase(const Key& key) {
    std::lock_guard lock(mutex_);
    Drop(slots_.find(key));
  }

  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return slots_.size();
  }

 private:
  using Ends = std::multimap<Time, Key>;
  struct Slot {
    Value value;
    typename Ends::iterator end;
  };
  using Slots = std::unordered_map<Key, Slot>;

  void Drop(typename Slots::iterator slot) {
    if (slot == slots_.end()) return;
    ends_.erase(slot->second.end);
    slots_.erase(slot);
  }

  const std::size_t most_;
  mutable std::mutex mutex_;
  Slots slots_;
  Ends ends_;
};

}  // namespace koya
