#include "catalog/sql/recent_uses.h"

namespace koya::sql {
namespace {

// Forgetting costs a statement that changes nothing; remembering everything costs memory.
constexpr std::size_t kMostNoted = 10'000;

}  // namespace

bool RecentUses::WasNoted(const Digest& digest, UnixSeconds at) {
  std::lock_guard lock(mutex_);
  auto noted = noted_.find(digest);
  return noted != noted_.end() && at < noted->second + every_;
}

void RecentUses::Note(const Digest& digest, UnixSeconds at) {
  std::lock_guard lock(mutex_);
  if (noted_.size() >= kMostNoted) noted_.clear();
  auto [entry, first] = noted_.try_emplace(digest, at);
  if (!first && at >= entry->second && at < entry->second + every_) return true;
  entry->second = at;
  return false;
}

void RecentUses::Forget(const Digest& digest) {
  std::lock_guard lock(mutex_);
  noted_.erase(digest);
}

}  // namespace koya::sql
