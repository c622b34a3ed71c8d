// Implements ProviderCatalog: providers and their releases in the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/executor.h"
#include "domain/page.h"

namespace koya::sql {

class SqlProviders : public virtual ProviderCatalog {
 public:
  explicit SqlProviders(Executor& transactions) : transactions_(transactions) {}

  Task<ReleaseOutcome> AddRelease(Actor by, ProviderRelease release,
                                  std::optional<DraftRecord> draft, ReleaseExtras extras) override;
  Task<ReleaseOutcome> CheckRelease(ProviderAddress address, Version version,
                                    std::optional<Digest> sums) override;
  Task<std::vector<ReleaseSummary>> ListReleases(ProviderAddress address) override;
  Task<ProviderRelease> FindRelease(ProviderAddress address, Version version) override;
  Task<Page<ProviderSummary>> ListProviders(ProviderFilter filter, PageRequest page) override;
  Task<void> WithdrawRelease(Actor by, ProviderAddress address, Version version,
                             Withdrawal withdrawal, std::chrono::seconds keep_for) override;
  Task<void> RestoreRelease(Actor by, ProviderAddress address, Version version,
                            std::string reason) override;
  Task<std::vector<WithdrawnRelease>> ListWithdrawnReleases(ProviderAddress address) override;
  Task<void> DeprecateRelease(Actor by, ProviderAddress address, Version version,
                              std::string message) override;

 private:
  Executor& transactions_;
};

// Why there is no such release: it was withdrawn (kGone), or never published here (kNotFound).
Failure AbsenceOf(Session& session, const ProviderAddress& address, const Version& version);

}  // namespace koya::sql
