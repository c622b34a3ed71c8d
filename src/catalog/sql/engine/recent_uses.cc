#include "catalog/sql/engine/recent_uses.h"

#include <algorithm>
#include <utility>

namespace koya::sql {

bool RecentUses::WasNoted(const Digest& digest, UnixSeconds at) const {
  auto noted = noted_.Peek(digest);
  return noted && at >= noted->value && at < noted->until;
}

std::vector<Use> RecentUses::LeftOf(std::vector<Use> uses) const {
  std::erase_if(uses, [this](const Use& use) { return WasNoted(use.digest, use.at); });
  std::ranges::sort(uses, {}, &Use::digest);
  return uses;
}

void RecentUses::RecordUse(const Digest& digest, UnixSeconds at) {
  noted_.Put(digest, at, at + every_);
}

void RecentUses::RecordUse(const std::vector<Use>& uses) {
  for (const Use& use : uses) RecordUse(use.digest, use.at);
}

void RecentUses::DropUse(const Digest& digest) { noted_.Erase(digest); }

}  // namespace koya::sql
