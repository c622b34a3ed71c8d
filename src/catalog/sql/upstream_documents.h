// Documents of other registries in the database. See UpstreamDocuments.
#pragma once

#include <string>

#include "catalog/sql/transactions.h"
#include "catalog/upstream_catalog.h"

namespace koya::sql {

class SqlUpstreamDocuments : public virtual UpstreamDocuments {
 public:
  explicit SqlUpstreamDocuments(Transactions& transactions) : transactions_(transactions) {}

  Task<HeldDocument> FindDocument(std::string key) override;
  Task<void> PutDocument(HeldDocument document) override;
  Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
