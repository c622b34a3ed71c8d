// Implements UpstreamDocuments: documents of other registries in the database.
#pragma once

#include <string>

#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamDocuments : public virtual UpstreamDocuments {
 public:
  // `uses`: those that this server recorded lately.
  SqlUpstreamDocuments(Executor& transactions, RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  Task<CachedDocument> FindDocument(std::string key) override;
  Task<void> PutDocument(CachedDocument document) override;
  Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at) override;
  Task<void> HoldDocument(CachedDocument document, Digest bytes, std::uint64_t size) override;

 private:
  Executor& transactions_;
  RecentUses& uses_;
};

}  // namespace koya::sql
