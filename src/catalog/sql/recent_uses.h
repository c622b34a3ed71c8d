// Which uses were noted lately, so that noting each of them again costs no transaction.
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

  // Whether a use was noted less than `every` before `at`: then this one need not be.
  bool WasNoted(const Digest& digest, UnixSeconds at) const;
  // Those that are to be noted, by digest: the order in which their rows are locked.
  std::vector<Use> LeftOf(std::vector<Use> uses) const;
  // A use was noted: call it when that is so, not before.
  void Note(const Digest& digest, UnixSeconds at);
  void Note(const std::vector<Use>& uses);
  // The next use counts, whenever it is.
  void Forget(const Digest& digest);

 private:
  const UnixSeconds every_;
  // Forgetting costs a statement that changes nothing; remembering everything costs memory.
  ExpiringMap<Digest, UnixSeconds, UnixSeconds> noted_{10'000};  // when
};

}  // namespace koya::sql
