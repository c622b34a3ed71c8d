#include "peers/peer_fills.h"

#include <utility>

namespace koya::peers {

std::shared_ptr<const void> FillOffers::Offer(const Digest& digest, std::shared_ptr<Fill> fill) {
  auto entry = [&] {
    std::lock_guard lock(mutex_);
    return fills_.emplace(digest, std::move(fill));
  }();
  auto withdraw = [this, entry](const void*) {
    std::shared_ptr<Fill> withdrawn;  // goes without the lock
    std::lock_guard lock(mutex_);
    withdrawn = std::move(entry->second);
    fills_.erase(entry);
  };
  return {static_cast<const void*>(this), std::move(withdraw)};
}

std::shared_ptr<Fill> FillOffers::FindFill(const Digest& digest) const {
  std::lock_guard lock(mutex_);
  auto entry = fills_.find(digest);
  return entry == fills_.end() ? nullptr : entry->second;
}

}  // namespace koya::peers
