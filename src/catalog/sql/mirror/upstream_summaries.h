// Implements UpstreamListings: data of other registries in the database, for people who browse it.
#pragma once

#include "catalog/sql/engine/executor.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamListings : public virtual UpstreamListings {
 public:
  explicit SqlUpstreamListings(Executor& transactions) : transactions_(transactions) {}
  Task<Page<UpstreamSummary>> ListMirroredProviders(UpstreamFilter filter,
                                                    PageRequest page) override;
  Task<Page<UpstreamSummary>> ListMirroredModules(UpstreamFilter filter, PageRequest page) override;
  Task<UpstreamCounts> CountMirrored() override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
