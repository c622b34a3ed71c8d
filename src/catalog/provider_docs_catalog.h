// ProviderDocsCatalog indexes docs and schemas of the providers that are published here. The bytes
// are blobs, which BlobReferences covers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/provider_docs_record.h"

namespace koya {

class ProviderAddress;
class Version;

// Data that may be stored with a release in the transaction that adds it.
struct ReleaseExtras {
  std::optional<ReleaseDocs> docs;
  std::optional<ReleaseSchema> schema;
  std::vector<ReadWarning> warnings;
};

class ProviderDocsCatalog {
 public:
  // Longer texts are cut, between characters.
  static constexpr std::size_t kLongestTitle = 300;
  static constexpr std::size_t kLongestDescription = 1000;

  virtual ~ProviderDocsCatalog() = default;
  // Withdrawn releases are not found. All fail: kNotFound: there is no such release.

  // Empty when the release has neither docs nor a schema.
  virtual Task<DocsSummary> FindDocs(ProviderAddress address, Version version) = 0;
  // Pages of all languages, by language, kind and name, bytewise; limits.docs_files limits their
  // number.
  virtual Task<std::vector<DocRecord>> ListDocs(ProviderAddress address, Version version) = 0;
  // Likewise, names alone.
  virtual Task<std::vector<DocName>> ListDocNames(ProviderAddress address, Version version) = 0;
  // By kind and name, bytewise.
  virtual Task<std::vector<SchemaRecord>> ListSchema(ProviderAddress address, Version version) = 0;

  // A single page or item. Also fails: kNotFound: there is no such page, or item.
  virtual Task<DocRecord> FindDoc(ProviderAddress address, Version version, DocName name) = 0;
  virtual Task<SchemaRecord> FindSchema(ProviderAddress address, Version version, std::string kind,
                                        std::string name) = 0;
};

}  // namespace koya
