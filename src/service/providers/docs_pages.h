// What the docs of a provider show: the list of pages, a page as HTML, and the schema as a table
// for pages without Markdown. Pure: any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/provider_docs_record.h"
#include "markup/markdown.h"

namespace koya::inspect::provider {
struct DocAddress;
}

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

// An attribute, a block or a parameter.
struct SchemaRow {
  std::string path;  // "ebs_block_device.iops"
  std::string type;  // "list(string)"; "" for a block, and for a row with attributes of its own
  bool is_block = false;
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool write_only = false;
  bool deprecated = false;
  std::string description;
  std::string deprecation;  // what to use instead
};

struct SchemaTable {
  std::string name;  // "aws_instance"; "" of the provider's configuration
  std::string description;
  bool deprecated = false;
  std::string deprecation;
  std::string returns;  // of a function
  // Required rows first, then optional, then read-only ones; each followed by its nested rows.
  // Parameters keep their order.
  std::vector<SchemaRow> rows;
  std::size_t left_out = 0;  // rows beyond the limit
};

// Converts the schema of a resource, data source or function to the rows of a table.
// `item`: written by inspect::provider::EncodeSchemaItem. `most`: limit of rows. Fails: kInvalid.
Result<SchemaTable> ReadSchemaTable(std::string_view item, std::size_t most);

// The page that a name in the catalog denotes. nullopt: no page has such a kind.
std::optional<inspect::provider::DocAddress> AddressOf(const DocName& name);

struct RenderedDoc {
  // From its front matter, else its first lines, else its name.
  std::string title;
  std::string subcategory;
  std::string description;
  bool deprecated = false;
  std::string html;  // safe to embed in a page
  std::vector<markup::Heading> contents;
};

// Renders a page, published or mirrored; takes milliseconds for each 100 KiB: run on a worker.
// `names`: all pages of the release, sorted: links to these lead below `base`
// ("/providers/acme/demo/1.0.0/docs"); links to other pages lead nowhere.
RenderedDoc RenderDoc(std::string_view text, const DocName& name, const std::vector<DocName>& names,
                      const std::string& base);

}  // namespace koya::service
