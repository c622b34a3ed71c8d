// Caches for a short time that upstreams do not have something.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/exchange_clock.h"
#include "base/expiring_map.h"

namespace koya::upstream {

// Thread-safe.
class NegativeCache {
 public:
  explicit NegativeCache(std::chrono::milliseconds ttl, std::size_t max_entries = 4096)
      : ttl_(ttl), failures_(max_entries) {}

  // The recent failure of a request for `url`, if any.
  std::optional<Error> FindFailure(const std::string& url, SteadyTime now) const {
    return failures_.Find(url, now);
  }
  void Remember(const std::string& url, Error error, SteadyTime now) {
    if (ttl_.count() > 0) failures_.Put(url, std::move(error), now + ttl_);
  }

 private:
  const std::chrono::milliseconds ttl_;
  ExpiringMap<std::string, Error, SteadyTime> failures_;
};

}  // namespace koya::upstream
