// Index of the pages in a version's docs: pages that the author wrote, and pages that only the
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
  bool has_markdown = false;  // else only the schema describes it
  friend bool operator==(const DocEntry&, const DocEntry&) = default;
};

// The page name of a schema item: resource "demo_thing" of the provider `type` "demo" is
// resources/thing. The kind is empty for an item without its own page.
DocName PageNameOf(const SchemaRecord& item, std::string_view type);

// The reverse: the names that a schema may use for the subject of a page, the likelier first.
// nullopt: schemas do not describe pages of that kind.
struct SchemaNames {
  std::string kind;
  std::vector<std::string> names;  // one or two
};
std::optional<SchemaNames> SchemaNamesOf(const DocName& page, std::string_view type);

// Pages of configurations, each once, sorted by kind and name. `pages`, `items`: in any order.
std::vector<DocEntry> IndexDocs(const std::vector<DocRecord>& pages,
                                const std::vector<SchemaRecord>& items, std::string_view type);

}  // namespace koya::service
