// Implements ProviderDocsCatalog: docs and schemas of providers, in the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/provider_catalog.h"
#include "catalog/sql/engine/executor.h"

namespace koya::sql {

class SqlProviderDocs : public virtual ProviderDocsCatalog {
 public:
  explicit SqlProviderDocs(Executor& transactions) : transactions_(transactions) {}

  Task<DocsSummary> FindDocs(ProviderAddress address, Version version) override;
  Task<std::vector<DocRecord>> ListDocs(ProviderAddress address, Version version) override;
  Task<std::vector<DocName>> ListDocNames(ProviderAddress address, Version version) override;
  Task<std::vector<SchemaRecord>> ListSchema(ProviderAddress address, Version version) override;
  Task<DocRecord> FindDoc(ProviderAddress address, Version version, DocName name) override;
  Task<SchemaRecord> FindSchema(ProviderAddress address, Version version, std::string kind,
                                std::string name) override;

 private:
  Executor& transactions_;
};

// Checks the input of PutDocs. Fails: kInvalid: a text that is not UTF-8, or has a NUL.
Status CheckDocs(const ReleaseExtras& extras);

// Within the transaction that adds the release. REQUIRES: CheckDocs. Throws as SOCI does, also for
// a duplicate name.
void PutDocs(Session& session, std::int64_t release_id, const ReleaseExtras& extras);

}  // namespace koya::sql
