// Implements TrustCatalog: trust in CI identities, in the database.
#pragma once

#include <string>
#include <vector>

#include "catalog/sign_in_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlTrust : public virtual TrustCatalog {
 public:
  explicit SqlTrust(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddTrust(Actor by, TrustRecord trust) override;
  Task<std::vector<TrustRecord>> ListTrust(std::string ns) override;
  Task<void> RemoveTrust(Actor by, std::string ns, std::string id) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
