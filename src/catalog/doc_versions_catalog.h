// DocVersionsCatalog finds the versions of a provider that have a page of docs, and where its bytes
// lie in each: to show when the page was added and when it changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/digest.h"
#include "domain/provider_docs_record.h"
#include "domain/version.h"

namespace koya {

class ProviderAddress;

// A page, and the possible names of its subject in the schema.
struct DocQuery {
  DocName page;
  std::string item_kind;     // "resource"; "": not in a schema
  std::string item;          // "aws_instance"
  std::string item_instead;  // its name where there is no `item`
};

// The page in one version.
struct DocVersion {
  Version version;
  std::optional<Digest> docs;      // the zip; nullopt: published without docs
  std::optional<PackedPart> page;  // nullopt: no such page in the zip
  std::optional<Digest> schema;    // likewise
  std::optional<PackedPart> item;
  std::string item_name;  // as the schema has it
  friend bool operator==(const DocVersion&, const DocVersion&) = default;
};

class DocVersionsCatalog {
 public:
  virtual ~DocVersionsCatalog() = default;
  // Covers versions that were published with docs or a schema, and are not withdrawn; in no order.
  // Also empty when there is no such provider, or no item can have such a name.
  virtual Task<std::vector<DocVersion>> ListDocVersions(ProviderAddress address,
                                                        DocQuery query) = 0;
};

}  // namespace koya
