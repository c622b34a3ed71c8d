#include "web/site/search_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "inspect/documents.h"
#include "web/common/addresses.h"
#include "web/common/package_paths.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

// Of one package: what comes after these is counted.
constexpr std::size_t kMostParts = 3;

std::string_view ScopePath(SearchScope scope) {
  switch (scope) {
    case SearchScope::kEverything:
      return kSearchAddress;
    case SearchScope::kModules:
      return kModulesAddress;
    case SearchScope::kProviders:
      return kProvidersAddress;
  }
  return kSearchAddress;
}

void AddKindFlags(View& view, SearchKind kind) {
  for (SearchKind each : kSearchKinds) {
    view.Flag(fmt::format("is_{}", SearchKindName(each)), each == kind);
  }
}

// "platform/", "network" and "/aws"; "kumo/" and "inventory"; "registry.example.org/kumo/" and
// "inventory".
void AddAddress(View& view, const SearchHit& hit) {
  const std::string& address = hit.address;
  const std::size_t ns = hit.host.empty() ? 0 : hit.host.size() + 1;
  const std::size_t first = std::min(address.find('/', ns), address.size() - 1);
  std::size_t second = std::min(address.find('/', first + 1), address.size());
  view.Text("address_before", address.substr(0, first + 1))
      .Text("address_name", address.substr(first + 1, second - first - 1))
      .Text("address_after", address.substr(second));
}

markup::Fragment MarkedSnippet(const SearchHit& hit) {
  std::vector<markup::Fragment::Mark> marks;
  marks.reserve(hit.marks.size());
  for (const TextRange& mark : hit.marks) marks.push_back({mark.begin, mark.end});
  return markup::Fragment::Marked(hit.snippet, marks);
}

// A hit inside a package: an input, a page of docs.
View PartRow(const SearchHit& hit) {
  View view;
  AddKindFlags(view, hit.kind);
  return std::move(view.Text("part_path", PathOfHit(hit))
                       .Text("part_name", hit.name)
                       .Flag("has_snippet", hit.field != SearchField::kName && !hit.snippet.empty())
                       .Html("snippet", MarkedSnippet(hit)));
}

bool IsPackage(const SearchHit& hit) {
  return hit.kind == SearchKind::kModule || hit.kind == SearchKind::kProvider;
}

// Hits of one version of one package, in the order of the first of each.
using HitGroup = std::vector<const SearchHit*>;
std::vector<HitGroup> GroupedHits(const SearchPage& page) {
  std::vector<HitGroup> groups;
  for (const SearchHit& hit : page.items) {
    auto found = std::ranges::find_if(groups, [&hit](const HitGroup& group) {
      const SearchHit& first = *group.front();
      return first.subject_kind == hit.subject_kind && first.address == hit.address &&
             first.version == hit.version;
    });
    if (found == groups.end()) found = groups.insert(found, HitGroup());
    found->push_back(&hit);
  }
  return groups;
}

View GroupRow(const PageFrame& frame, const HitGroup& group) {
  // A package that is itself a hit is shown by that hit.
  auto itself = std::ranges::find_if(group, [](const SearchHit* hit) { return IsPackage(*hit); });
  const SearchHit& told = itself == group.end() ? *group.front() : **itself;
  std::vector<View> parts;
  std::size_t more = 0;
  for (const SearchHit* hit : group) {
    const bool tells_more = !IsPackage(*hit) || hit->field == SearchField::kText;
    if (!tells_more) continue;
    if (parts.size() < kMostParts) {
      parts.push_back(PartRow(*hit));
    } else {
      ++more;
    }
  }
  return PackageRow(frame, told, ShownStep::kNone, std::move(parts), more);
}

// The choice among kinds, with what there is of each.
std::vector<View> KindViews(const FoundPage& page) {
  std::vector<View> views;
  std::uint64_t all = 0;
  for (const auto& [kind, count] : page.found.counts) all += count;
  // Text of a count that was cut off; "" when it was cut off at 0.
  auto counted_text = [](std::uint64_t count, bool cut) {
    if (!cut) return std::string(NumberText(count));
    return count == 0 ? std::string() : NumberText(count) + "+";
  };
  SearchQuestion question = page.asked;
  question.scope = SearchScope::kEverything;
  auto add = [&](std::optional<SearchKind> kind, std::uint64_t count) {
    const bool cut = kind ? page.found.cut_kinds.contains(*kind) : !page.found.cut_kinds.empty();
    question.kind = kind;
    View view;
    for (SearchKind each : kSearchKinds) {
      view.Flag(fmt::format("is_{}", SearchKindName(each)), kind == each);
    }
    const bool current = page.asked.scope == SearchScope::kEverything && page.asked.kind == kind;
    views.push_back(std::move(view.Flag("is_all", !kind)
                                  .Flag("is_current", current)
                                  .Text("kind_path", SearchPath(question))
                                  .Text("kind_count", counted_text(count, cut))));
  };
  add(std::nullopt, all);
  for (SearchKind kind : kSearchKinds) {
    auto counted = page.found.counts.find(kind);
    const bool asked = page.asked.kind == kind;
    if (counted != page.found.counts.end()) {
      add(kind, counted->second);
    } else if (asked || page.found.cut_kinds.contains(kind)) {
      add(kind, 0);
    }
  }
  return views;
}

std::vector<View> SortViews(const FoundPage& page) {
  std::vector<View> views;
  SearchQuestion question = page.asked;
  for (SearchOrder order : {SearchOrder::kBest, SearchOrder::kNewest, SearchOrder::kAddress}) {
    // Without words nothing is better than anything else.
    if (order == SearchOrder::kBest && page.asked.text.empty()) continue;
    question.order = order;
    views.push_back(View()
                        .Text("sort_path", SearchPath(question))
                        .Flag("is_current", page.asked.order == order)
                        .Flag("is_best", order == SearchOrder::kBest)
                        .Flag("is_newest", order == SearchOrder::kNewest)
                        .Flag("is_name", order == SearchOrder::kAddress));
  }
  return views;
}

void AddOutcome(Language language, const FoundPage& page, View& view) {
  const bool none = page.found.items.empty();
  const bool beyond = none && page.asked.offset > 0;
  const bool asked = !page.asked.text.empty() || page.asked.scope != SearchScope::kEverything;
  const bool counted = page.total > 0 && !none;
  AddRefusal(view, language, page.problem);
  view.Flag("is_one", counted && page.total == 1)
      .Flag("is_counted", counted && page.total != 1)
      .Flag("is_cut", page.found.cut)
      .Text("total", NumberText(page.total))
      .Flag("is_forgiven", page.found.forgiven && !none)
      .Flag("is_missing", !page.found.missing.empty() && !none)
      .Text("missing", fmt::format("{}", fmt::join(page.found.missing, ", ")))
      .Flag("is_beyond", beyond)
      .Flag("is_none", none && !beyond && asked && page.problem.empty())
      .Flag("is_unasked", !asked && page.problem.empty());
}

}  // namespace

std::string_view SearchOrderName(SearchOrder order) {
  switch (order) {
    case SearchOrder::kBest:
      return "best";
    case SearchOrder::kNewest:
      return "newest";
    case SearchOrder::kAddress:
      return "name";
  }
  return "best";
}

std::string SearchPath(const SearchQuestion& question) {
  std::string path(ScopePath(question.scope));
  if (!question.text.empty()) path = PathWith(path, "q", question.text);
  if (!question.ns.empty()) path = PathWith(path, "ns", question.ns);
  if (question.kind && question.scope == SearchScope::kEverything) {
    path = PathWith(path, "kind", SearchKindName(*question.kind));
  }
  const bool usual =
      question.order == (question.text.empty() ? SearchOrder::kAddress : SearchOrder::kBest);
  return usual ? path : PathWith(path, "sort", SearchOrderName(question.order));
}

View PackageRow(const PageFrame& frame, const SearchHit& hit, ShownStep step,
                std::vector<View> parts, std::size_t more_parts) {
  View view;
  AddAddress(view, hit);
  AddTime(view, "published", frame.language, hit.published_at);
  const bool is_provider = hit.subject_kind == SearchKind::kProvider;
  // The title is the package's own only in its own entry.
  const bool has_title = hit.kind == SearchKind::kModule || hit.kind == SearchKind::kProvider;
  view.Text("package_path", PackagePath(hit))
      .Text("package_version", hit.version)
      .Text("package_title", has_title ? hit.title : "")
      .Text("package_lang", has_title ? inspect::GuessLanguage(hit.title) : "")
      .Flag("is_provider_package", is_provider)
      .Flag("is_module_package", !is_provider)
      .Flag("is_old", !hit.newest)
      .Flag("is_deprecated", hit.deprecated)
      .List("parts", std::move(parts))
      .Set("more_parts", more_parts);
  AddStep(view, step);
  return view;
}

std::string RenderSearch(const PageFrame& frame, const FoundPage& page) {
  View view = FrameView(frame);
  std::vector<View> rows;
  for (const HitGroup& group : GroupedHits(page.found)) rows.push_back(GroupRow(frame, group));
  const ListPart part{.offset = page.asked.offset,
                      .shown = page.found.items.size(),
                      .size = page.asked.size,
                      .total = page.total,
                      .more = page.found.more};
  const SearchScope scope = page.asked.scope;
  view.Text("query", page.asked.text)
      .Text("title_query", TitleText(page.asked.text))
      .Text("within", page.asked.ns)
      .Text("kind_name", page.asked.kind ? SearchKindName(*page.asked.kind) : std::string_view())
      .Text("action", ScopePath(scope))
      .Flag("is_everywhere", scope == SearchScope::kEverything)
      .Flag("is_of_modules", scope == SearchScope::kModules)
      .Flag("is_of_providers", scope == SearchScope::kProviders)
      .Flag("has_kinds", !page.asked.text.empty() && !page.found.counts.empty())
      .List("kinds", KindViews(page))
      .Flag("has_rows", !rows.empty())
      .List("sorts", SortViews(page))
      .List("rows", std::move(rows));
  AddOutcome(frame.language, page, view);
  AddPager(view, part, SearchPath(page.asked));
  return RenderTemplate("search", frame.language, view);
}

}  // namespace koya::web
