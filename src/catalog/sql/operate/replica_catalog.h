// Implements InstallationCatalog and ReplicaCatalog: the installation's row, and one for each
// process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/replica_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlReplicas : public virtual InstallationCatalog, public virtual ReplicaCatalog {
 public:
  explicit SqlReplicas(Executor& transactions) : transactions_(transactions) {}

  Task<Installation> AdoptInstallation(Installation made) override;
  Task<void> MarkInstallation(std::string replaced, std::string mark) override;
  Task<std::optional<StorageMismatch>> KeepBlobsIn(std::string storage) override;
  Task<std::vector<std::string>> KeepReplica(ReplicaRecord replica,
                                             std::chrono::seconds lease_life) override;
  Task<void> RemoveReplica(std::string id) override;
  Task<std::vector<ReplicaRecord>> ListReplicas() override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
