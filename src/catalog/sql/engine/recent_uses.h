// RecentUses remembers which uses were recorded lately, so that recording each of them again costs
// no transaction.
// Threads: any.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/expiring_map.h"
#include "domain/digest.h"
#include "domain/use.h"

namespace koya::sql {

class RecentUses {
 public:
  explicit RecentUses(UnixSeconds every) : every_(every) {}

  // Whether a use was recorded less than `every` before `at`: then this one need not be.
  bool WasNoted(const Digest& digest, UnixSeconds at) const;
  // Those that must be recorded, by digest: the order in which their rows are locked.
  std::vector<Use> LeftOf(std::vector<Use> uses) const;
  // Remembers a recorded use: call it after the use was recorded, not before.
  void RecordUse(const Digest& digest, UnixSeconds at);
  void RecordUse(const std::vector<Use>& uses);
  // Makes the next use count, whenever it is.
  void DropUse(const Digest& digest);

 private:
  const UnixSeconds every_;
  // Forgetting costs a statement that changes nothing; remembering everything costs memory.
  ExpiringMap<Digest, UnixSeconds, UnixSeconds> noted_{10'000};  // when
};

}  // namespace koya::sql
