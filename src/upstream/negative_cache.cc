#include "upstream/negative_cache.h"

namespace koya::upstream {

std::optional<Error> NegativeCache::Find(const std::string& url, SteadyTime now) {
  std::lock_guard lock(mutex_);
  auto found = entries_.find(url);
  if (found == entries_.end() || found->second.until <= now) return std::nullopt;
  return found->second.error;
}

void NegativeCache::Remember(const std::string& url, Error error, SteadyTime now) {
  if (ttl_.count() <= 0 || max_entries_ == 0) return;
  std::lock_guard lock(mutex_);
  while (!order_.empty() && (order_.front().first <= now || order_.size() >= max_entries_)) {
    DropOldest();
  }
  entries_.insert_or_assign(url, Entry{now + ttl_, std::move(error)});
  order_.emplace_back(now + ttl_, url);
}

void NegativeCache::DropOldest() {
  auto& [until, url] = order_.front();
  auto found = entries_.find(url);
  if (found != entries_.end() && found->second.until == until) entries_.erase(found);
  order_.pop_front();
}

}  // namespace koya::upstream
