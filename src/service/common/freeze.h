// Freeze holds whether the registry is frozen. While it is, its servers refuse changes, and pass
// packages of other registries on without storing them (docs/adr/0095).
//
// The state is in the catalog; the change feed brings it to all servers. A change that a server has
// begun goes on. Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "catalog/replica_catalog.h"

namespace koya {
struct Actor;
}

namespace koya::service {

class Freeze {
 public:
  // The longest reason, in bytes.
  static constexpr std::size_t kLongestReason = 1000;

  // `catalog` must outlive this.
  explicit Freeze(InstallationCatalog& catalog) : catalog_(catalog) {}

  // Reads the catalog only when the state may have changed. Fails: as the catalog.
  Task<FreezeState> FindState();
  // Freezes the registry, or ends that; returns the state from now on. Fails: kInvalid for a reason
  // that is no plain text; as the catalog.
  Task<FreezeState> SetFrozen(Actor by, bool frozen, std::string reason);
  // Fails: kUnavailable while the registry is frozen, saying since when and why; as the catalog.
  Task<void> CheckMayChange();
  // For work that no caller waits for: while the catalog does not respond, the last known state.
  Awaitable<bool> IsFrozen();

  // Listener for the change feed: the next call reads the catalog again.
  void Invalidate(std::string_view topic);

 private:
  InstallationCatalog& catalog_;
  std::mutex mutex_;  // guards the fields below
  FreezeState last_;
  bool is_current_ = false;  // `last_` is the catalog's state
  std::uint64_t invalidations_ = 0;
};

// Null: never frozen.
Awaitable<bool> IsFrozen(Freeze* freeze);

}  // namespace koya::service
