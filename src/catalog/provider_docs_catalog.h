// Docs and schemas of the providers that are published here: an index. The bytes are blobs, which
// BlobReferences knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/provider_docs_record.h"

namespace koya {

class ProviderAddress;
class Version;

// What may be kept with a release in the transaction that adds it.
struct ReleaseExtras {
  std::optional<ReleaseDocs> docs;
  std::optional<ReleaseSchema> schema;
  std::vector<ReadWarning> warnings;
};

class ProviderDocsCatalog {
 public:
  // What is longer is cut, between characters.
  static constexpr std::size_t kLongestTitle = 300;
  static constexpr std::size_t kLongestDescription = 1000;

  virtual ~ProviderDocsCatalog() = default;
  // Of what is withdrawn nothing is found. All fail: kNotFound: there is no such release.

  // Empty when the release has neither docs nor a schema.
  virtual Task<DocsSummary> FindDocs(ProviderAddress address, Version version) = 0;
  // Of all languages, by language, kind and name, bytewise; as many as limits.docs_files let in.
  virtual Task<std::vector<DocRecord>> ListDocs(ProviderAddress address, Version version) = 0;
  // The same as names alone.
  virtual Task<std::vector<DocName>> ListDocNames(ProviderAddress address, Version version) = 0;
  // By kind and name, bytewise.
  virtual Task<std::vector<SchemaRecord>> ListSchema(ProviderAddress address, Version version) = 0;

  // One of the above. Fails, too: kNotFound: there is no such page, or item.
  virtual Task<DocRecord> FindDoc(ProviderAddress address, Version version, DocName name) = 0;
  virtual Task<SchemaRecord> FindSchema(ProviderAddress address, Version version, std::string kind,
                                        std::string name) = 0;
};

}  // namespace koya
