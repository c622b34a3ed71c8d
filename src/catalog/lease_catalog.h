// Part of the catalog (catalog.h): leases, which servers on one database share work by.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

struct LeaseRecord;

class LeaseCatalog {
 public:
  virtual ~LeaseCatalog() = default;
  // Takes the lease for `lease.holder`, who may have it already, until `life` from the database's
  // now (whole seconds; `lease.until` does not count). False: another has it.
  virtual Task<bool> TakeLease(LeaseRecord lease, std::chrono::seconds life) = 0;
  // The same for a lease that has not run out, from a holder who is known to be dead: only while
  // `from` still has it. False: it is another's by now, or nobody's.
  virtual Task<bool> TakeLeaseOver(LeaseRecord lease, std::string from,
                                   std::chrono::seconds life) = 0;
  // Prolongs all that `holder` has and that have not run out. Returns their names, in order.
  virtual Task<std::vector<std::string>> KeepLeases(std::string holder,
                                                    std::chrono::seconds life) = 0;
  // Nothing happens when it is another's.
  virtual Task<void> GiveLeaseBack(std::string name, std::string holder) = 0;
  // Those that have not run out, by name.
  virtual Task<std::vector<LeaseRecord>> ListLeases() = 0;
  // Who has it; nothing when nobody has.
  virtual Task<std::optional<LeaseRecord>> FindLease(std::string name) = 0;
};

}  // namespace koya
