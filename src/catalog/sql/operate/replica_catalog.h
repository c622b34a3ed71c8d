// Implements what servers on one catalog share: installation, replicas, leases, and the time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/replica_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

class SqlDatabaseTime : public virtual DatabaseTime {
 public:
  explicit SqlDatabaseTime(Executor& transactions) : transactions_(transactions) {}

  Task<std::chrono::milliseconds> AskTime() override;

 private:
  Executor& transactions_;
};

// LeaseCatalog::KeepLeases, inside a transaction.
Result<std::vector<std::string>> KeepLeasesOf(Session& session, const std::string& holder,
                                              std::chrono::seconds life);

class SqlLeases : public virtual LeaseCatalog {
 public:
  explicit SqlLeases(Executor& transactions) : transactions_(transactions) {}

  Task<bool> TakeLease(LeaseRecord lease, std::chrono::seconds life) override;
  Task<bool> TakeLeaseOver(LeaseRecord lease, std::string from, std::chrono::seconds life) override;
  Task<std::vector<std::string>> KeepLeases(std::string holder, std::chrono::seconds life) override;
  Task<void> GiveLeaseBack(std::string name, std::string holder) override;
  Task<std::vector<LeaseRecord>> ListLeases() override;
  Task<std::optional<LeaseRecord>> FindLease(std::string name) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
