// Implements ModuleCatalog: modules and their versions in the database.
#pragma once

#include <optional>
#include <vector>

#include "catalog/module_catalog.h"
#include "catalog/sql/engine/executor.h"
#include "domain/page.h"

namespace koya::sql {

class SqlModules : public virtual ModuleCatalog {
 public:
  explicit SqlModules(Executor& transactions) : transactions_(transactions) {}

  Task<AddOutcome> AddVersion(Actor by, ModuleVersionRecord record, VersionExtras extras) override;
  Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address) override;
  Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version) override;
  Task<AddOutcome> CheckVersion(ModuleAddress address, Version version,
                                std::optional<Digest> upload) override;
  Task<Page<ModuleSummary>> ListModules(ModuleFilter filter, PageRequest page) override;
  Task<void> Withdraw(Actor by, ModuleAddress address, Version version, Withdrawal withdrawal,
                      std::chrono::seconds keep_for) override;
  Task<void> Restore(Actor by, ModuleAddress address, Version version, std::string reason) override;
  Task<std::vector<WithdrawnModuleVersion>> ListWithdrawn(ModuleAddress address) override;
  Task<void> Deprecate(Actor by, ModuleAddress address, Version version,
                       std::string message) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
