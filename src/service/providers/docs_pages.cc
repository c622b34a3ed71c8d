#include "service/providers/docs_pages.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "domain/provider_docs_record.h"
#include "inspect/provider/doc_address.h"
#include "inspect/provider/provider_doc.h"
#include "inspect/provider/schema.h"
#include "markup/markdown.h"

namespace koya::service {
namespace {

struct PageKind {
  std::string_view schema;
  std::string_view page;
};
constexpr std::array<PageKind, 8> kPageKinds = {{{"provider", "overview"},
                                                 {"resource", "resources"},
                                                 {"data_source", "data-sources"},
                                                 {"ephemeral_resource", "ephemeral-resources"},
                                                 {"list_resource", "list-resources"},
                                                 {"action", "actions"},
                                                 {"state_store", "state-stores"},
                                                 {"function", "functions"}}};

}  // namespace

DocName PageNameOf(const SchemaRecord& item, std::string_view type) {
  auto kind = std::ranges::find(kPageKinds, item.kind, &PageKind::schema);
  if (kind == kPageKinds.end()) return {};
  DocName name{.language = "", .kind = std::string(kind->page), .name = item.name};
  if (name.kind == "overview") {
    name.name = "index";
    return name;
  }
  const std::string prefix = std::string(type) + "_";
  if (item.name.size() > prefix.size() && item.name.starts_with(prefix)) {
    name.name = item.name.substr(prefix.size());
  }
  return name;
}

std::optional<SchemaNames> SchemaNamesOf(const DocName& page, std::string_view type) {
  auto kind = std::ranges::find(kPageKinds, page.kind, &PageKind::page);
  if (kind == kPageKinds.end()) return std::nullopt;
  SchemaNames names{.kind = std::string(kind->schema), .names = {}};
  if (page.kind == "overview") {
    names.names = {""};
    return names;
  }
  names.names = {std::string(type) + "_" + page.name, page.name};
  // Functions are called as they are.
  if (page.kind == "functions") std::ranges::reverse(names.names);
  return names;
}

std::vector<DocEntry> IndexDocs(const std::vector<DocRecord>& pages,
                                const std::vector<SchemaRecord>& items, std::string_view type) {
  std::map<DocName, DocEntry> entries;
  for (const DocRecord& page : pages) {
    if (!page.name.language.empty()) continue;
    entries.emplace(page.name,
                    DocEntry{page.name, page.title, page.subcategory, page.deprecated, true});
  }
  for (const SchemaRecord& item : items) {
    DocName name = PageNameOf(item, type);
    if (name.kind.empty()) continue;
    // Authors write the whole name, too.
    const DocName whole{"", name.kind, item.name};
    if (entries.contains(name) || entries.contains(whole)) continue;
    entries.emplace(name, DocEntry{name, item.name, "", item.deprecated, false});
  }
  std::vector<DocEntry> index;
  index.reserve(entries.size());
  for (auto& [name, entry] : entries) index.push_back(std::move(entry));
  return index;
}

namespace {

namespace provider = inspect::provider;

SchemaRow RowOf(const provider::SchemaNode& node, const std::string& prefix) {
  return {.path = prefix + node.name,
          .type = node.type,
          .is_block = node.block,
          .required = node.required || (node.block && node.least > 0),
          .optional = node.optional,
          .computed = node.computed,
          .sensitive = node.sensitive,
          .write_only = node.write_only,
          .deprecated = node.deprecated,
          .description = node.description,
          .deprecation = node.deprecation};
}

int Rank(const provider::SchemaNode& node) {
  if (node.required || (node.block && node.least > 0)) return 0;
  return node.optional || node.block ? 1 : 2;
}

// Parameters mean what they do by where they stand.
class TableWriter {
 public:
  TableWriter(SchemaTable& table, std::size_t most, bool in_order)
      : table_(table), most_(most), in_order_(in_order) {}

  void Add(const std::vector<provider::SchemaNode>& nodes, const std::string& prefix) {
    std::vector<const provider::SchemaNode*> ordered;
    ordered.reserve(nodes.size());
    for (const provider::SchemaNode& each : nodes) ordered.push_back(&each);
    if (!in_order_) {
      // Of one rank they stay as they were: their places in the vector are in order.
      std::ranges::sort(ordered, {}, [](const provider::SchemaNode* each) {
        return std::pair(Rank(*each), each);
      });
    }
    for (const provider::SchemaNode* each : ordered) {
      if (table_.rows.size() < most_) {
        table_.rows.push_back(RowOf(*each, prefix));
      } else {
        ++table_.left_out;
      }
      Add(each->nodes, prefix + each->name + ".");
    }
  }

 private:
  SchemaTable& table_;
  std::size_t most_;
  bool in_order_;
};

}  // namespace

Result<SchemaTable> ReadSchemaTable(std::string_view item, std::size_t most) {
  ASSIGN_OR_RETURN(provider::SchemaItem read, provider::DecodeSchemaItem(item));
  SchemaTable table{.name = std::move(read.name),
                    .description = std::move(read.description),
                    .deprecated = read.deprecated,
                    .deprecation = std::move(read.deprecation),
                    .returns = std::move(read.returns)};
  const bool is_function = read.kind == provider::SchemaKind::kFunction;
  TableWriter(table, most, is_function).Add(read.nodes, "");
  return table;
}

namespace {

namespace provider = inspect::provider;

}  // namespace

std::optional<provider::DocAddress> AddressOf(const DocName& name) {
  auto kind = name.kind == "overview" ? std::optional(provider::DocKind::kOverview)
                                      : provider::ParseDocKind(name.kind);
  if (!kind) return std::nullopt;
  return provider::DocAddress{.kind = *kind, .name = name.name, .language = name.language};
}

RenderedDoc RenderDoc(std::string_view text, const DocName& name, const std::vector<DocName>& names,
                      const std::string& base) {
  const auto address = AddressOf(name);
  if (!address) return {};
  provider::DocWarnings warnings;
  const provider::ProviderDoc doc =
      provider::ReadProviderDoc(*address, "", text, text.size(), warnings);
  auto has = [&names](const provider::DocAddress& page) {
    const bool overview = page.kind == provider::DocKind::kOverview;
    const DocName wanted{page.language,
                         overview ? "overview" : std::string(provider::DocKindFolder(page.kind)),
                         page.name};
    return std::ranges::binary_search(names, wanted);
  };
  markup::MarkdownOptions options;
  options.link = provider::LinksOfDoc(*address, base, has);
  options.name_arguments = true;
  options.link_headings = true;
  markup::Rendered rendered = markup::RenderMarkdown(doc.body, options);
  return {.title = doc.title,
          .subcategory = doc.subcategory,
          .description = doc.description,
          .deprecated = doc.deprecated,
          .html = std::move(rendered.html),
          .contents = std::move(rendered.contents)};
}

}  // namespace koya::service
