// Registers the server processes of one catalog, so that each sees the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "catalog/replica_catalog.h"
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
    std::int64_t schema_step = 0;  // the last migration that it knows
    // Shortest interval between two registrations, for a server without others: each costs a disk
    // write. Shorter than ReplicaCatalog::kLive.
    std::chrono::seconds rest{0};
    std::map<std::string, std::string> settings = {};  // as ReplicaRecord::settings
  };

  // All must outlive this. Registers under the id and address of `leases`.
  Replica(ReplicaCatalog& catalog, Leases& leases, const ChangeFeed& changes,
          const DatabaseClock& clock, Program program);

  // Registers this process and renews its leases. Call every Leases::kKeepEvery, one call at a
  // time. Fails: as the catalog: the leases and the row then expire.
  Task<void> RenewRegistration();
  // Unregisters at a clean stop. Does nothing while the catalog does not answer: the row then
  // expires.
  Task<void> Unregister();

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
    std::vector<std::string> leases;  // names, sorted
  };
  // Both outlive this.
  Replicas(ReplicaCatalog& catalog, LeaseCatalog& leases) : catalog_(catalog), leases_(leases) {}

  // Processes that serve now, by address.
  Task<std::vector<Seen>> List();

  // As ReplicaCatalog::ListMissingMigrations.
  Task<std::vector<std::string>> ListMissingMigrations() {
    return catalog_.ListMissingMigrations();
  }

  // As of SharedSettings.
  static std::vector<std::string> DescribeDifferences(const std::vector<Seen>& seen);

 private:
  ReplicaCatalog& catalog_;
  LeaseCatalog& leases_;
};

}  // namespace koya::service
