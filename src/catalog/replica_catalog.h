// What the servers on one catalog share: its installation, who serves from it, leases, and the
// time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Actor;
struct LeaseRecord;
struct ReplicaRecord;

// DatabaseTime reports the time that all servers on one catalog share.
class DatabaseTime {
 public:
  virtual ~DatabaseTime() = default;
  // The current time by the database's clock, since 1970-01-01T00:00:00Z.
  virtual Task<std::chrono::milliseconds> AskTime() = 0;
};

// LeaseCatalog stores leases, by which servers on one database share work.
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

// Identity of a catalog, for its whole lifetime.
struct Installation {
  std::string id;           // random
  std::string secret_mark;  // shows whether a server has the right secret; decrypts nothing
  friend bool operator==(const Installation&, const Installation&) = default;
};

// Blobs that lie in another storage.
struct StorageMismatch {
  std::string storage;  // where they are
  std::string example;  // the digest of one, as it is written
  friend bool operator==(const StorageMismatch&, const StorageMismatch&) = default;
};

// Whether the registry is frozen: its servers refuse changes then.
struct FreezeState {
  UnixSeconds since = 0;  // by the database's clock; 0: it is not frozen
  std::string by;
  std::string reason;  // may be empty
  bool is_frozen() const { return since != 0; }
  friend bool operator==(const FreezeState&, const FreezeState&) = default;
};

class InstallationCatalog {
 public:
  explicit InstallationCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Returns the catalog's installation; `made` becomes it when there is none. Of several concurrent
  // calls, one wins and all return the same.
  Task<Installation> AdoptInstallation(Installation made);
  // Replaces the mark. Fails: kConflict when it is another one by now.
  Task<void> MarkInstallation(std::string replaced, std::string mark);
  // Records that the blobs of this catalog are stored in `storage` ("folder",
  // "s3://BUCKET/PREFIX"), unless some lie elsewhere already: then changes nothing and returns
  // where. REQUIRES: AdoptInstallation.
  Task<std::optional<StorageMismatch>> KeepBlobsIn(std::string storage);
  Task<FreezeState> FindFreeze();
  // Freezes the registry, or ends that; returns the state from now on. A registry that is frozen
  // stays so since then, with another reason. The change log gets kFreezeTopic. REQUIRES:
  // AdoptInstallation. Fails: kInvalid for a reason that cannot be stored.
  Task<FreezeState> SetFreeze(Actor by, bool frozen, std::string reason);

 private:
  sql::Executor& transactions_;
};

class ReplicaCatalog {
 public:
  explicit ReplicaCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // A process that was not seen for this long is gone, or serves no requests.
  static constexpr std::chrono::seconds kLive{30};
  static constexpr std::chrono::hours kKept{24};

  // Records that the process is running, and renews all its leases, with the result of KeepLeases:
  // one transaction. Deletes rows older than kKept.
  Task<std::vector<std::string>> KeepReplica(ReplicaRecord replica,
                                             std::chrono::seconds lease_life);
  // Call at a clean stop. No-op when there is no such row.
  Task<void> RemoveReplica(std::string id);
  // Processes that were seen within kLive, by address, then id.
  Task<std::vector<ReplicaRecord>> ListReplicas();
  // Names of the migrations that this program knows and the schema lacks, in order: those that wait
  // until every server knows them.
  Task<std::vector<std::string>> ListMissingMigrations();

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
