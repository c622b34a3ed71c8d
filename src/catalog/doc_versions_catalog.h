// In which versions of a provider a page of its docs is, and where its bytes lie there: for telling
// when it came and when it changed.
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

// A page, and what the schema may call what it is about.
struct DocQuery {
  DocName page;
  std::string item_kind;     // "resource"; "": no schema tells of it
  std::string item;          // "aws_instance"
  std::string item_instead;  // what it is called where there is no `item`
};

// What a version has of it.
struct DocVersion {
  Version version;
  std::optional<Digest> docs;      // the zip; nothing: it was published without docs
  std::optional<PackedPart> page;  // nothing: no such page is in there
  std::optional<Digest> schema;    // likewise
  std::optional<PackedPart> item;
  std::string item_name;  // as the schema has it
  friend bool operator==(const DocVersion&, const DocVersion&) = default;
};

class DocVersionsCatalog {
 public:
  virtual ~DocVersionsCatalog() = default;
  // Of the versions that were published with docs or a schema, and not withdrawn; in no order.
  // Empty, too, when there is no such provider, or nothing can have such a name.
  virtual Task<std::vector<DocVersion>> ListDocVersions(ProviderAddress address,
                                                        DocQuery query) = 0;
};

}  // namespace koya
