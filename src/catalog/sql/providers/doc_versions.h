// Implements DocVersionsCatalog: versions that have a page of docs, in the database.
#pragma once

#include <vector>

#include "catalog/doc_versions_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlDocVersions : public virtual DocVersionsCatalog {
 public:
  explicit SqlDocVersions(Executor& transactions) : transactions_(transactions) {}

  Task<std::vector<DocVersion>> ListDocVersions(ProviderAddress address, DocQuery query) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
