// What upstreams do not have, believed for a short while without asking again.
//
// Thread-safe; holds at most so many entries, the newest.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "upstream/exchange_clock.h"

namespace koya::upstream {

class NegativeCache {
 public:
  explicit NegativeCache(std::chrono::milliseconds ttl, std::size_t max_entries = 4096)
      : ttl_(ttl), max_entries_(max_entries) {}

  // What asking for `url` failed with, if that is not too long ago.
  std::optional<Error> Find(const std::string& url, SteadyTime now);
  void Remember(const std::string& url, Error error, SteadyTime now);

 private:
  struct Entry {
    SteadyTime until;
    Error error;
  };
  void DropOldest();

  const std::chrono::milliseconds ttl_;
  const std::size_t max_entries_;
  std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  // In the order of their ends, since all live equally long; one that was remembered again stands
  // here twice.
  std::deque<std::pair<SteadyTime, std::string>> order_;
};

}  // namespace koya::upstream
