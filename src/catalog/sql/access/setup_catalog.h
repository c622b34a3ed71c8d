// Implements SetupCatalog: the set-up token in the database.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlSetup : public virtual SetupCatalog {
 public:
  explicit SqlSetup(Executor& transactions) : transactions_(transactions) {}

  Task<void> PutSetupToken(Digest secret, UnixSeconds expires_at) override;
  Task<void> RemoveSetupToken() override;
  Task<void> SetUp(Actor by, Digest secret, AccountRecord administrator, std::string hash,
                   std::optional<Visibility> new_namespaces, UnixSeconds now) override;
  Task<std::optional<Visibility>> FindDefaultVisibility() override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
