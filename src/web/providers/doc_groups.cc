#include "web/providers/doc_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/percent_encoding.h"
#include "base/text.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

constexpr std::string_view kByKind = "kind:";
constexpr std::string_view kByTitle = "group:";
constexpr std::size_t kMostFilterWords = 8;

// In which group an entry is. What an author put into none is with its kind.
std::string GroupOf(const DocIndexEntry& entry) {
  const bool own = entry.kind == "guides" || entry.kind == "functions";
  if (own || entry.subcategory.empty()) return std::string(kByKind) + entry.kind;
  return std::string(kByTitle) + entry.subcategory;
}

// Sort key: guides and functions, then titles, then the kinds of pages without a group.
std::pair<int, std::string> OrderOf(const std::string& group) {
  if (group == "kind:guides") return {0, group};
  if (group == "kind:functions") return {1, group};
  return {group.starts_with(kByTitle) ? 2 : 3, AsciiLower(group)};
}

std::vector<std::string> FilterWords(std::string_view filter) {
  std::vector<std::string> words;
  std::string word;
  for (char c : AsciiLower(filter) + " ") {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty() && words.size() < kMostFilterWords) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

bool Fits(const DocIndexEntry& entry, const std::string& label,
          const std::vector<std::string>& words) {
  const std::string text = AsciiLower(label + " " + entry.title);
  return std::ranges::all_of(words,
                             [&text](const std::string& word) { return text.contains(word); });
}

DocGroup NewGroup(const std::string& group, const DocQuery& wish, bool is_open) {
  DocGroup made{.path = PathWith(wish.docs_path, "group", group), .is_open = is_open};
  if (group.starts_with(kByTitle)) {
    made.title = group.substr(kByTitle.size());
  } else {
    made.kind = group.substr(kByKind.size());
  }
  return made;
}

}  // namespace

std::string DocLabel(const DocIndexEntry& entry, std::string_view type) {
  if (entry.kind == "guides" || entry.kind == "overview") {
    return entry.title.empty() ? entry.name : entry.title;
  }
  const std::string prefix = std::string(type) + "_";
  if (entry.kind == "functions" || entry.name.starts_with(prefix)) return entry.name;
  // What the schema alone describes need not begin as the provider is called.
  return entry.has_markdown || entry.title.empty() ? prefix + entry.name : entry.title;
}

std::string DocPath(std::string_view docs_path, std::string_view kind, std::string_view name) {
  std::string path(docs_path);
  if (kind == "overview") return path;
  return path.append("/").append(PercentEncode(kind)).append("/").append(PercentEncode(name));
}

DocListing ListDocs(const std::vector<DocIndexEntry>& entries, const DocQuery& wish) {
  const std::vector<std::string> words = FilterWords(wish.filter);
  std::map<std::pair<int, std::string>, std::vector<const DocIndexEntry*>> groups;
  std::string open = wish.group;
  DocListing listing;
  for (const DocIndexEntry& entry : entries) {
    if (entry.kind == "overview") continue;
    const std::string group = GroupOf(entry);
    const bool is_shown = entry.kind == wish.kind && entry.name == wish.name;
    if (is_shown && open.empty()) open = group;
    if (!Fits(entry, DocLabel(entry, wish.type), words)) continue;
    groups[OrderOf(group)].push_back(&entry);
    ++listing.found;
  }
  const bool lists_all = !words.empty() || listing.found <= DocListing::kMostLinks;
  std::size_t links = 0;
  for (const auto& [order, members] : groups) {
    const std::string group = GroupOf(*members.front());
    const bool is_open = !words.empty() || group == open;
    DocGroup made = NewGroup(group, wish, is_open);
    made.pages = members.size();
    for (const DocIndexEntry* entry : members) {
      if (!lists_all && !is_open) break;
      if (links == DocListing::kMostLinks) {
        ++listing.left_out;
        continue;
      }
      ++links;
      made.links.push_back({.label = DocLabel(*entry, wish.type),
                            .path = DocPath(wish.docs_path, entry->kind, entry->name),
                            .kind = entry->kind,
                            .is_current = entry->kind == wish.kind && entry->name == wish.name,
                            .is_deprecated = entry->is_deprecated});
    }
    listing.groups.push_back(std::move(made));
  }
  return listing;
}

}  // namespace koya::web
