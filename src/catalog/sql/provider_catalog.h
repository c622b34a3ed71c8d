// The provider tables' SQL: one function per operation of ProviderCatalog (catalog/catalog.h),
// where their contracts stand. Blocking; each throws as SOCI does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/sql/session.h"

namespace koya::sql {

// Within a write transaction.
Result<ReleaseOutcome> AddRelease(Session& session, const ProviderRelease& release,
                                  const std::optional<DraftRecord>& draft);
Status WithdrawRelease(Session& session, const ProviderAddress& address, const Version& version,
                       const Withdrawal& withdrawal);
Status DeprecateRelease(Session& session, const ProviderAddress& address, const Version& version,
                        const std::string& message);

// One statement each.
Result<ReleaseOutcome> CheckRelease(Session& session, const ProviderAddress& address,
                                    const Version& version, const std::optional<Digest>& sums);
Result<std::vector<ReleaseSummary>> ListReleases(Session& session, const ProviderAddress& address);
Result<ProviderRelease> FindRelease(Session& session, const ProviderAddress& address,
                                    const Version& version);
Result<Page<ProviderSummary>> ListProviders(Session& session, const ProviderFilter& filter,
                                            const PageRequest& page);

}  // namespace koya::sql
