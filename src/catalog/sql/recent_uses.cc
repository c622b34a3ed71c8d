#include "catalog/sql/recent_uses.h"

namespace koya::sql {
namespace {

// Forgetting costs a statement that changes nothing; remembering everything costs memory.
constexpr std::size_t kMostNoted = 10'000;

}  // namespace

bool RecentUses::WasNoted(const Digest& digest, UnixSeconds at) {
  std::lock_guard lock(mutex_);
  auto noted = noted_.find(digest);
  return noted != noted_.end() && at >= noted->second && at < noted->second + every_;
}

void RecentUses::Note(const Digest& digest, UnixSeconds at) {
  std::lock_guard lock(mutex_);
  if (noted_.size() >= kMostNoted) noted_.clear();
  noted_.insert_or_assign(digest, at);
}

void RecentUses::Forget(const Digest& digest) {
  std::lock_guard lock(mutex_);
  noted_.erase(digest);
}

}  // namespace koya::sql
