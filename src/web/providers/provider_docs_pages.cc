#include "web/providers/provider_docs_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/encoding.h"
#include "base/text.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/site/search_page.h"

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

// Sort key in a group: by kind, and then as the entries of one vector stand there.
auto PlaceOf(const DocIndexEntry* entry) {
  return std::pair(std::ranges::find(kDocKinds, entry->kind), entry);
}

// The path of the docs, seen from the current page.
std::string WayToDocs(const DocQuery& wish) {
  const std::string_view path = wish.page_path;
  const auto depth =
      std::ranges::count(path.substr(std::min(path.size(), wish.docs_path.size())), '/');
  std::string way = depth == 0 ? "./docs" : "..";
  for (auto i = 2; i < depth; ++i) way += "/..";
  return way;
}

struct ListedRows {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t bytes = 0;
};

// The rows around row `at` that take at most `room` bytes together.
ListedRows RowsAround(std::size_t at, const std::vector<std::size_t>& bytes, std::size_t room) {
  ListedRows rows{.begin = std::min(at, bytes.size()), .end = std::min(at, bytes.size())};
  const auto take = [&](std::size_t row) {
    if (row >= bytes.size() || rows.bytes + bytes[row] > room) return false;
    rows.bytes += bytes[row];
    return true;
  };
  while (true) {
    const bool has_after = take(rows.end);
    if (has_after) ++rows.end;
    const bool has_before = rows.begin > 0 && take(rows.begin - 1);
    if (has_before) --rows.begin;
    if (!has_after && !has_before) return rows;
  }
}

// What a page's link, a group's link, and a group around its links take without their names.
constexpr std::size_t kBytesOfLink = 42;
constexpr std::size_t kBytesOfGroup = 42;
constexpr std::size_t kBytesOfOpenGroup = 110;
// Of DocListing::kMostBytes, for links of groups.
constexpr std::size_t kMostBytesOfGroups = 16'000;

// Makes one listing.
class DocLister {
 public:
  DocLister(const std::vector<DocIndexEntry>& entries, const DocQuery& wish)
      : wish_(wish), words_(FilterWords(wish.filter)), way_(WayToDocs(wish)) {
    std::map<std::pair<int, std::string>, std::vector<const DocIndexEntry*>> groups;
    for (const DocIndexEntry& entry : entries) {
      if (entry.kind != "overview") groups[OrderOf(GroupOf(entry))].push_back(&entry);
      if (entry.kind == "overview" && words_.empty()) listing_.found = 1;
    }
    for (auto& [order, members] : groups) {
      std::ranges::sort(members, {}, PlaceOf);
      groups_.push_back({.entries = std::move(members)});
    }
  }

  DocListing List() && {
    FindNeighbours();
    Choose();
    std::size_t all = 0;
    for (const Group& group : groups_) {
      all += kBytesOfOpenGroup + std::accumulate(group.bytes.begin(), group.bytes.end(), 0UL);
    }
    if (!words_.empty() || all <= room_) {
      ListAll();
    } else {
      ListOpenGroup();
    }
    return std::move(listing_);
  }

 private:
  struct Group {
    std::vector<const DocIndexEntry*> entries;
    std::vector<std::size_t> bytes = {};  // of each entry's link
    std::size_t number = 0;               // of all groups, whatever the filter
    std::size_t at = 0;                   // the current page's place in it
    bool has_current = false;
  };

  bool IsCurrent(const DocIndexEntry& entry) const {
    return entry.kind == wish_.kind && entry.name == wish_.name;
  }

  DocLink LinkTo(const DocIndexEntry& entry) const {
    return {.label = DocLabel(entry, wish_.type),
            .path = DocPath(way_, entry.kind, entry.name),
            .kind = "",
            .is_current = IsCurrent(entry),
            .is_deprecated = entry.is_deprecated};
  }

  void FindNeighbours() {
    const DocIndexEntry* before = nullptr;
    bool is_next = wish_.kind == "overview";
    for (Group& group : groups_) {
      for (const DocIndexEntry* entry : group.entries) {
        if (std::exchange(is_next, false)) listing_.next = LinkTo(*entry);
        is_next = IsCurrent(*entry);
        if (is_next) {
          listing_.previous =
              before == nullptr ? DocLink{.label = "", .path = wish_.docs_path} : LinkTo(*before);
        }
        before = entry;
      }
    }
  }

  // Removes the pages that the filter does not want, and finds the group to open.
  void Choose() {
    const std::optional<std::size_t> wanted = ParseDecimal<std::size_t>(wish_.group);
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      Group& group = groups_[number];
      group.number = number;
      std::erase_if(group.entries, [this](const DocIndexEntry* entry) {
        return !Fits(*entry, DocLabel(*entry, wish_.type), words_);
      });
      for (const DocIndexEntry* entry : group.entries) {
        const DocLink link = LinkTo(*entry);
        if (link.is_current) group.has_current = true;
        if (link.is_current) group.at = group.bytes.size();
        group.bytes.push_back(kBytesOfLink + link.path.size() + link.label.size());
      }
      listing_.found += group.entries.size();
    }
    std::erase_if(groups_, [](const Group& group) { return group.entries.empty(); });
    open_ =
        std::ranges::find_if(groups_, [&](const Group& group) { return group.number == wanted; });
    if (open_ == groups_.end()) open_ = std::ranges::find(groups_, true, &Group::has_current);
  }

  void ListAll() {
    for (auto group = groups_.begin(); group != groups_.end(); ++group) {
      if (room_ < kBytesOfOpenGroup + group->bytes.front()) {
        listing_.left_out += group->entries.size();
        continue;
      }
      room_ -= kBytesOfOpenGroup;
      listing_.groups.push_back(NewGroup(*group));
      listing_.groups.back().is_open = !words_.empty() || group == open_;
      AddLinks(*group, listing_.groups.back());
    }
  }

  // The open group comes first, where the reader sees it.
  void ListOpenGroup() {
    std::vector<std::size_t> bytes;
    bytes.reserve(groups_.size());
    for (const Group& group : groups_) {
      bytes.push_back(kBytesOfGroup + NewGroup(group).title.size());
    }
    const auto at = open_ == groups_.end() ? 0 : static_cast<std::size_t>(open_ - groups_.begin());
    const ListedRows rows = RowsAround(at, bytes, kMostBytesOfGroups);
    room_ -= rows.bytes;
    if (open_ != groups_.end()) {
      listing_.groups.push_back(NewGroup(*open_));
      listing_.groups.back().is_open = true;
      AddLinks(*open_, listing_.groups.back());
    }
    for (auto group = groups_.begin(); group != groups_.end(); ++group) {
      const auto row = static_cast<std::size_t>(group - groups_.begin());
      if (group == open_) continue;
      if (row >= rows.begin && row < rows.end) {
        listing_.groups.push_back(NewGroup(*group));
      } else {
        listing_.left_out += group->entries.size();
      }
    }
  }

  DocGroup NewGroup(const Group& group) const {
    const std::string name = GroupOf(*group.entries.front());
    const bool is_kind = name.starts_with(kByKind);
    return {.title = is_kind ? "" : name.substr(kByTitle.size()),
            .kind = is_kind ? name.substr(kByKind.size()) : "",
            .path = fmt::format("?group={}", group.number),
            .pages = group.entries.size(),
            .links = {}};
  }

  void AddLinks(const Group& group, DocGroup& made) {
    const ListedRows rows = RowsAround(group.at, group.bytes, room_);
    std::string_view kind = made.kind;
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      const DocIndexEntry& entry = *group.entries[i];
      made.links.push_back(LinkTo(entry));
      if (std::exchange(kind, entry.kind) != entry.kind) made.links.back().kind = entry.kind;
    }
    room_ -= rows.bytes;
    listing_.left_out += group.entries.size() - made.links.size();
  }

  const DocQuery& wish_;
  const std::vector<std::string> words_;
  const std::string way_;
  std::vector<Group> groups_;
  std::vector<Group>::const_iterator open_;  // the end: none
  std::size_t room_ = DocListing::kMostBytes;
  DocListing listing_;
};

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
  return DocLister(entries, wish).List();
}

KOYA_VIEW(DocLink, label, path, kind, is_current, is_deprecated);
KOYA_VIEW(DocGroup, title, kind, path, pages, is_open, links);
KOYA_VIEW(ShownAttribute, path, type, is_block, is_required, is_optional, is_computed, is_sensitive,
          is_write_only, is_deprecated, description, deprecation);
KOYA_VIEW(ShownSchema, description, is_deprecated, deprecation, returns, attributes, left_out);
KOYA_VIEW(DocElsewhere, version, path);
KOYA_VIEW(DocUser, address, path, version, title);
KOYA_VIEW(DocListing, groups, found, left_out);  // its neighbours: "around"
KOYA_VIEW(ProviderDocsPage, title, filter, is_list_open, path, is_deprecated, html, schema,
          is_missing, wanted, elsewhere, used_type, users);

std::string RenderProviderDocs(const PageFrame& frame, const ProviderDocsPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kDocs);
  const std::string docs_path = ProviderVersionPath(page.head.name, page.head.version) + "/docs";
  std::vector<View> around;
  for (const auto* link : {&page.listing.previous, &page.listing.next}) {
    if (*link) around.push_back(View().Of(**link).Set("is_next", link == &page.listing.next));
  }
  view.Of(page)
      .Of(page.listing)
      .Set("docs_path", docs_path)
      .Set("is_overview", page.path == docs_path)
      .List("around", std::move(around))
      .Set("is_empty", !page.html && !page.schema && !page.is_missing)
      .Set("users_path", SearchPath({.text = "uses:" + page.used_type}));
  AddContents(view, page.contents);
  return RenderTemplate("provider_docs", frame.language, view);
}

}  // namespace koya::web
