// Which installation a catalog is of, and which processes serve from it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

struct ReplicaRecord;

// What a catalog is, for as long as there is one.
struct Installation {
  std::string id;           // random
  std::string secret_mark;  // tells whether a server has the right secret; opens nothing
  friend bool operator==(const Installation&, const Installation&) = default;
};

// Blobs that are somewhere else.
struct BlobsElsewhere {
  std::string storage;  // where they are
  std::string example;  // the digest of one, as it is written
  friend bool operator==(const BlobsElsewhere&, const BlobsElsewhere&) = default;
};

class InstallationCatalog {
 public:
  virtual ~InstallationCatalog() = default;
  // What the catalog is, or from now on `made`: of several that come at once, one wins and all are
  // told the same.
  virtual Task<Installation> AdoptInstallation(Installation made) = 0;
  // Puts another mark in the place of one. Fails: kConflict when it is another one by now.
  virtual Task<void> MarkInstallation(std::string replaced, std::string mark) = 0;
  // Says that the blobs of this catalog are kept in `storage` ("folder", "s3://BUCKET/PREFIX"),
  // unless some are somewhere else already: then nothing changes. REQUIRES: AdoptInstallation.
  virtual Task<std::optional<BlobsElsewhere>> KeepBlobsIn(std::string storage) = 0;
};

class ReplicaCatalog {
 public:
  // A process that was not seen for so long is gone, or serves nobody.
  static constexpr std::chrono::seconds kLive{30};
  static constexpr std::chrono::hours kKept{24};

  virtual ~ReplicaCatalog() = default;
  // Says that the process is there, and prolongs all leases that it has, as KeepLeases does and
  // returns: one transaction. Rows older than kKept go.
  virtual Task<std::vector<std::string>> KeepReplica(ReplicaRecord replica,
                                                     std::chrono::seconds lease_life) = 0;
  // At a clean stop. Nothing happens when there is no such row.
  virtual Task<void> RemoveReplica(std::string id) = 0;
  // Those that were seen within kLive, by address, then id.
  virtual Task<std::vector<ReplicaRecord>> ListReplicas() = 0;
};

}  // namespace koya
