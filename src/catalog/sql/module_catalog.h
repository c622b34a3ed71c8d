// The module tables' SQL: one function per operation of ModuleCatalog (catalog/catalog.h), where
// their contracts stand. Blocking; each throws as SOCI does.
#pragma once

#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// Within a write transaction.
Result<AddOutcome> AddVersion(Session& session, const ModuleVersionRecord& record);
Status Withdraw(Session& session, const ModuleAddress& address, const Version& version,
                const Withdrawal& withdrawal);

// One statement each.
Result<AddOutcome> CheckVersion(Session& session, const ModuleAddress& address,
                                const Version& version, const std::optional<Digest>& upload);
Result<std::vector<ModuleVersionRecord>> ListVersions(Session& session,
                                                      const ModuleAddress& address);
Result<ModuleVersionRecord> FindVersion(Session& session, const ModuleAddress& address,
                                        const Version& version);
Result<Page<ModuleSummary>> ListModules(Session& session, const ModuleFilter& filter,
                                        const PageRequest& page);

}  // namespace koya::sql
