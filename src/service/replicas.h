// The processes that serve from one catalog: each says that it is there, and sees the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "catalog/lease_catalog.h"
#include "domain/replica_record.h"

namespace koya {
class ReplicaCatalog;
}

namespace koya::service {

class ChangeFeed;
class DatabaseClock;
class Leases;

// This process, as the others see it.
class Replica {
 public:
  struct Program {
    std::string version;
    std::int64_t schema_step = 0;  // the last step of the schema that it knows
    // How long it rests between two times that it says so, for who has nobody to say it to: each
    // costs the disk a write. Shorter than ReplicaCatalog::kLive.
    std::chrono::seconds rest{0};
  };

  // All outlive this. It says so under the id and the address of `leases`.
  Replica(ReplicaCatalog& catalog, Leases& leases, const ChangeFeed& changes,
          const DatabaseClock& clock, Program program);

  // Says that this process serves, and prolongs its leases. To be called every Leases::kKeepEvery,
  // by one at a time.
  // Fails: as the catalog: the leases, and the row, then end by themselves.
  Task<void> Keep();
  // At a clean stop. Nothing is done while the catalog does not answer: the row then ends by
  // itself.
  Task<void> Leave();

 private:
  ReplicaRecord Record() const;

  ReplicaCatalog& catalog_;
  Leases& leases_;
  const ChangeFeed& changes_;
  const DatabaseClock& clock_;
  const Program program_;
  std::optional<std::chrono::steady_clock::time_point> said_at_;
};

class Replicas {
 public:
  struct Seen {
    ReplicaRecord replica;
    std::vector<std::string> leases;  // names, in order
  };
  // Both outlive this.
  Replicas(ReplicaCatalog& catalog, LeaseCatalog& leases) : catalog_(catalog), leases_(leases) {}

  // Those that serve now, by address.
  Task<std::vector<Seen>> List();

 private:
  ReplicaCatalog& catalog_;
  LeaseCatalog& leases_;
};

}  // namespace koya::service
