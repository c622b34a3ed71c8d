// Versions that have a page of docs, in the database. See DocVersionsCatalog.
#pragma once

#include <vector>

#include "catalog/doc_versions_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlDocVersions : public virtual DocVersionsCatalog {
 public:
  explicit SqlDocVersions(Transactions& transactions) : transactions_(transactions) {}

  Task<std::vector<DocVersion>> ListDocVersions(ProviderAddress address, DocQuery query) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
