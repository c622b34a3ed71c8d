// Records which installation a catalog belongs to, and which processes serve from it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya {

struct ReplicaRecord;

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

class InstallationCatalog {
 public:
  virtual ~InstallationCatalog() = default;
  // Returns the catalog's installation; `made` becomes it when there is none. Of several concurrent
  // calls, one wins and all return the same.
  virtual Task<Installation> AdoptInstallation(Installation made) = 0;
  // Replaces the mark. Fails: kConflict when it is another one by now.
  virtual Task<void> MarkInstallation(std::string replaced, std::string mark) = 0;
  // Records that the blobs of this catalog are stored in `storage` ("folder",
  // "s3://BUCKET/PREFIX"), unless some lie elsewhere already: then changes nothing and returns
  // where. REQUIRES: AdoptInstallation.
  virtual Task<std::optional<StorageMismatch>> KeepBlobsIn(std::string storage) = 0;
};

class ReplicaCatalog {
 public:
  // A process that was not seen for this long is gone, or serves no requests.
  static constexpr std::chrono::seconds kLive{30};
  static constexpr std::chrono::hours kKept{24};

  virtual ~ReplicaCatalog() = default;
  // Records that the process is running, and renews all its leases, with the result of KeepLeases:
  // one transaction. Deletes rows older than kKept.
  virtual Task<std::vector<std::string>> KeepReplica(ReplicaRecord replica,
                                                     std::chrono::seconds lease_life) = 0;
  // Call at a clean stop. No-op when there is no such row.
  virtual Task<void> RemoveReplica(std::string id) = 0;
  // Processes that were seen within kLive, by address, then id.
  virtual Task<std::vector<ReplicaRecord>> ListReplicas() = 0;
};

}  // namespace koya
