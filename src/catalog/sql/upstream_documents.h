// Documents of other registries in the database. See UpstreamDocuments.
#pragma once

#include <string>

#include "catalog/sql/recent_uses.h"
#include "catalog/sql/transactions.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamDocuments : public virtual UpstreamDocuments {
 public:
  // `uses`: what this server noted lately.
  SqlUpstreamDocuments(Transactions& transactions, RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  Task<HeldDocument> FindDocument(std::string key) override;
  Task<void> PutDocument(HeldDocument document) override;
  Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at) override;
  Task<void> HoldDocument(HeldDocument document, Digest bytes, std::uint64_t size) override;

 private:
  Transactions& transactions_;
  RecentUses& uses_;
};

}  // namespace koya::sql
