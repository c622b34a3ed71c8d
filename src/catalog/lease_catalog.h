// LeaseCatalog is the part of the catalog (catalog.h) that stores leases, by which servers on one
// database share work.
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
  // Takes the lease for `lease.holder`, who may already have it, for `life` from the database's
  // current time (whole seconds; `lease.until` is ignored). False: another holder has it.
  virtual Task<bool> TakeLease(LeaseRecord lease, std::chrono::seconds life) = 0;
  // Likewise for an unexpired lease of a holder that is known to be dead: only while `from` still
  // has it. False: another holder has it by now, or it is free.
  virtual Task<bool> TakeLeaseOver(LeaseRecord lease, std::string from,
                                   std::chrono::seconds life) = 0;
  // Renews all unexpired leases of `holder`. Returns their names, in order.
  virtual Task<std::vector<std::string>> KeepLeases(std::string holder,
                                                    std::chrono::seconds life) = 0;
  // No-op when another holder has it.
  virtual Task<void> GiveLeaseBack(std::string name, std::string holder) = 0;
  // Unexpired leases, by name.
  virtual Task<std::vector<LeaseRecord>> ListLeases() = 0;
  // The lease with its holder; nullopt when it is free.
  virtual Task<std::optional<LeaseRecord>> FindLease(std::string name) = 0;
};

}  // namespace koya
