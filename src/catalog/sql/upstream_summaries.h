// What is kept of other registries in the database, for people who look through it. See
// UpstreamListings.
#pragma once

#include "catalog/sql/transactions.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamListings : public virtual UpstreamListings {
 public:
  explicit SqlUpstreamListings(Transactions& transactions) : transactions_(transactions) {}
  Task<Page<UpstreamSummary>> ListMirroredProviders(UpstreamFilter filter,
                                                    PageRequest page) override;
  Task<Page<UpstreamSummary>> ListMirroredModules(UpstreamFilter filter, PageRequest page) override;
  Task<UpstreamCounts> CountMirrored() override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
