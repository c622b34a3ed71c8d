#include "service/providers/docs_index.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace koya::service {
namespace {

struct PageKind {
  std::string_view schema;
  std::string_view page;
};
constexpr std::array<PageKind, 7> kPageKinds = {{{"provider", "overview"},
                                                 {"resource", "resources"},
                                                 {"data_source", "data-sources"},
                                                 {"ephemeral_resource", "ephemeral-resources"},
                                                 {"list_resource", "list-resources"},
                                                 {"action", "actions"},
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

}  // namespace koya::service
