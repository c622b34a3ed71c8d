// The pages of a version's docs, as people find them: what its author wrote, and what only the
// schema describes. Pure: any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/provider_docs_record.h"

namespace koya::service {

struct DocEntry {
  DocName name;
  std::string title;
  std::string subcategory;
  bool deprecated = false;
  bool has_markdown = false;  // else the schema alone says what it takes
  friend bool operator==(const DocEntry&, const DocEntry&) = default;
};

// What a schema's item is called among pages: resource "demo_thing" of the provider `type` "demo"
// is resources/thing. Its kind is empty for what has no page of its own.
DocName PageNameOf(const SchemaRecord& item, std::string_view type);

// The reverse: what a schema may call what a page is about, the likelier first. None: no schema
// tells of pages of that kind.
struct SchemaNames {
  std::string kind;
  std::vector<std::string> names;  // one or two
};
std::optional<SchemaNames> SchemaNamesOf(const DocName& page, std::string_view type);

// Pages of configurations, by kind and name, each once. `pages`, `items`: in any order.
std::vector<DocEntry> IndexDocs(const std::vector<DocRecord>& pages,
                                const std::vector<SchemaRecord>& items, std::string_view type);

}  // namespace koya::service
