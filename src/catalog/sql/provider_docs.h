// Docs and schemas of providers, in the database. See ProviderDocsCatalog.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/provider_docs_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

class SqlProviderDocs : public virtual ProviderDocsCatalog {
 public:
  explicit SqlProviderDocs(Transactions& transactions) : transactions_(transactions) {}

  Task<DocsSummary> FindDocs(ProviderAddress address, Version version) override;
  Task<std::vector<DocRecord>> ListDocs(ProviderAddress address, Version version) override;
  Task<std::vector<DocName>> ListDocNames(ProviderAddress address, Version version) override;
  Task<std::vector<SchemaRecord>> ListSchema(ProviderAddress address, Version version) override;
  Task<DocRecord> FindDoc(ProviderAddress address, Version version, DocName name) override;
  Task<SchemaRecord> FindSchema(ProviderAddress address, Version version, std::string kind,
                                std::string name) override;

 private:
  Transactions& transactions_;
};

// What must hold of what PutDocs is given. Fails: kInvalid: a text that is not UTF-8, or has a NUL.
Status CheckDocs(const ReleaseExtras& extras);

// Within the transaction that adds the release. REQUIRES: CheckDocs. Throws as SOCI does, also when
// a name is there twice.
void PutDocs(Session& session, std::int64_t release_id, const ReleaseExtras& extras);

}  // namespace koya::sql
