#include "catalog/sql/recent_uses.h"

namespace koya::sql {
bool RecentUses::WasNoted(const Digest& digest, UnixSeconds at) const {
  auto noted = noted_.Peek(digest);
  return noted && at >= noted->value && at < noted->until;
}

void RecentUses::Note(const Digest& digest, UnixSeconds at) { noted_.Put(digest, at, at + every_); }

void RecentUses::Forget(const Digest& digest) { noted_.Erase(digest); }

}  // namespace koya::sql
