#include "web/site/search_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "web/common/page_paths.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"

namespace koya::web {
KOYA_VIEW(SearchHit, subject_kind, version, published_at, newest, deprecated);

enum class ShownFacet { kNamespace, kSystem, kDeprecated };

namespace {

// Of one package: what comes after these is counted.
constexpr std::size_t kMostParts = 3;
constexpr std::size_t kMostShownValues = 8;  // of a facet

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

// "platform/", "network" and "/aws"; "kumo/" and "inventory"; "registry.example.org/kumo/" and
// "inventory".
void AddAddress(View& view, const SearchHit& hit) {
  const std::string& address = hit.address;
  const std::size_t ns = hit.host.empty() ? 0 : hit.host.size() + 1;
  const std::size_t first = std::min(address.find('/', ns), address.size() - 1);
  std::size_t second = std::min(address.find('/', first + 1), address.size());
  view.Set("address_before", address.substr(0, first + 1))
      .Set("address_name", address.substr(first + 1, second - first - 1))
      .Set("address_after", address.substr(second));
}

markup::Fragment MarkedSnippet(const SearchHit& hit) {
  std::vector<markup::Fragment::Mark> marks;
  marks.reserve(hit.marks.size());
  for (const TextRange& mark : hit.marks) marks.push_back({mark.begin, mark.end});
  return markup::Fragment::Marked(hit.snippet, marks);
}

// A hit inside a package: an input, a page of docs.
View PartRow(const SearchHit& hit) {
  const bool is_name = hit.field == SearchField::kName;
  return View()
      .Set("kind", hit.kind)
      .Set("part_path", PathOfHit(hit))
      .Set("part_name", hit.name)
      .Set("snippet", is_name ? markup::Fragment() : MarkedSnippet(hit));
}

bool IsPackage(const SearchHit& hit) {
  return hit.kind == SearchKind::kModule || hit.kind == SearchKind::kProvider;
}

// Hits of one version of one package, in the order of the first of each.
using HitGroup = std::vector<const SearchHit*>;
std::vector<HitGroup> GroupedHits(const SearchPage& page) {
  std::vector<HitGroup> groups;
  for (const SearchHit& hit : page.items) {
    if (!hit.url.empty()) continue;
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

View GroupRow(const FoundPage& page, const HitGroup& group) {
  // A package that is itself a hit is shown by that hit.
  auto itself = std::ranges::find_if(group, [](const SearchHit* hit) { return IsPackage(*hit); });
  const SearchHit& told = itself == group.end() ? *group.front() : **itself;
  std::vector<View> parts;
  FurtherParts further;
  for (const SearchHit* hit : group) {
    const bool tells_more = !IsPackage(*hit) || hit->field == SearchField::kText;
    if (!tells_more) continue;
    if (parts.size() < kMostParts) {
      parts.push_back(PartRow(*hit));
    } else if (further.count++ == 0) {
      further.path = PathOfHit(*hit);
    }
  }
  std::optional<ShownHold> hold;
  const auto held = page.holds.find(told.address + " " + told.version);
  if (held != page.holds.end()) hold = held->second;
  return PackageRow(told, ShownStep::kNone, std::move(parts), further, hold);
}

std::vector<View> ManualRows(const FoundPage& page) {
  std::vector<View> rows;
  for (const SearchHit& hit : page.found.items) {
    if (!hit.url.empty()) rows.push_back(ManualRow(hit));
  }
  if (!rows.empty()) return rows;
  for (const SearchHit& hit : page.manual) rows.push_back(ManualRow(hit));
  return rows;
}

// What the results can be narrowed to; a facet with one value narrows nothing.
std::vector<View> FacetViews(const FoundPage& page) {
  const SearchFacets& facets = page.found.facets;
  std::vector<View> views;
  auto add = [&](ShownFacet facet, std::string_view filter, const SearchFacets::Values& values) {
    if (values.size() < 2) return;
    std::vector<std::pair<std::string, std::uint64_t>> sorted(values.begin(), values.end());
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    if (sorted.size() > kMostShownValues) sorted.resize(kMostShownValues);
    std::vector<View> rows;
    for (const auto& [value, count] : sorted) {
      SearchQuestion question = page.asked;
      question.text += fmt::format(" {}:{}", filter, value);
      rows.push_back(View()
                         .Set("value", value)
                         .Set("count", count)
                         .Set("is_cut", facets.cut)
                         .Set("is_yes", value == "yes")
                         .Set("facet_path", SearchPath(question)));
    }
    views.push_back(View().Set("facet", facet).List("values", std::move(rows)));
  };
  add(ShownFacet::kNamespace, "ns", facets.ns);
  add(ShownFacet::kSystem, "system", facets.system);
  add(ShownFacet::kDeprecated, "deprecated", facets.deprecated);
  return views;
}

// The choice among kinds, with what there is of each.
std::vector<View> KindViews(const FoundPage& page) {
  std::vector<View> views;
  std::uint64_t all = 0;
  for (const auto& [kind, count] : page.found.counts) all += count;
  SearchQuestion question = page.asked;
  question.scope = SearchScope::kEverything;
  auto add = [&](std::optional<SearchKind> kind, std::uint64_t count) {
    const bool cut = kind ? page.found.cut_kinds.contains(*kind) : !page.found.cut_kinds.empty();
    const bool current = page.asked.scope == SearchScope::kEverything && page.asked.kind == kind;
    question.kind = kind;
    views.push_back(View()
                        .Set("kind", kind)
                        .Set("is_current", current)
                        .Set("kind_path", SearchPath(question))
                        .Set("is_counted", count > 0 || !cut)
                        .Set("count", count)
                        .Set("is_cut", cut));
  };
  add(std::nullopt, all);
  std::vector<SearchKind> kinds(kSearchKinds.begin(), kSearchKinds.end());
  kinds.insert(kinds.end(), kManualKinds.begin(), kManualKinds.end());
  for (SearchKind kind : kinds) {
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
                        .Set("sort_path", SearchPath(question))
                        .Set("is_current", page.asked.order == order)
                        .Set("order", order));
  }
  return views;
}

void AddOutcome(Language language, const FoundPage& page, View& view) {
  const bool none = page.found.items.empty();
  const bool beyond = none && page.asked.offset > 0;
  const bool asked = !page.asked.text.empty() || page.asked.scope != SearchScope::kEverything;
  AddRefusal(view, language, page.problem);
  view.Set("total", page.total)
      .Set("is_cut", page.found.cut)
      .Set("is_forgiven", page.found.forgiven && !none)
      .Set("packages", page.found.packages)
      .Set("missing", fmt::format("{}", fmt::join(page.found.missing, ", ")))
      .Set("is_beyond", beyond)
      .Set("is_none", none && !beyond && asked && page.problem.empty());
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

View ManualRow(const SearchHit& hit) {
  return PartRow(hit).Set("part_title", hit.field == SearchField::kTitle ? "" : hit.title);
}

View PackageRow(const SearchHit& hit, ShownStep step, std::vector<View> parts,
                const FurtherParts& further, const std::optional<ShownHold>& hold,
                const std::optional<std::string>& publisher) {
  View view;
  AddAddress(view, hit);
  // The title is the package's own only in its own entry.
  return view.Of(hit)
      .Set("package_path", PackagePath(hit))
      .Set("visibility", VisibilityWord(hit.visibility))
      .Set("package_title", IsPackage(hit) ? hit.title : "")
      .Set("step", step)
      .List("parts", std::move(parts))
      .Set("more_parts", further.count)
      .Set("more_path", further.path)
      .Set("is_needing", hit.why == "needs")
      .Set("is_using", hit.why == "uses")
      .Set("is_calling", hit.why == "calls")
      .Set("is_dated", publisher.has_value())
      .Set("publisher", publisher.value_or(""))
      .Set("hold", hold);
}

std::string RenderSearch(const PageFrame& frame, const FoundPage& page) {
  const SearchQuestion& asked = page.asked;
  const ListPart part{.offset = asked.offset,
                      .shown = page.found.items.size(),
                      .size = asked.size,
                      .total = page.total,
                      .more = page.found.more};
  View view = FrameView(frame);
  view.Set("query", asked.text)
      .Set("within", asked.ns)
      .Set("kind", asked.kind)
      .Set("scope", asked.scope)
      .Set("action", ScopePath(asked.scope))
      .Set("has_aside", !asked.text.empty() && !page.found.items.empty())
      .Set("has_kinds", !asked.text.empty() && !page.found.counts.empty())
      .List("kinds", KindViews(page))
      .List("sorts", SortViews(page))
      .List("facets", FacetViews(page))
      .List("manual", ManualRows(page))
      .List("rows", GroupedHits(page.found),
            [&page](const HitGroup& group) { return GroupRow(page, group); });
  AddOutcome(frame.language, page, view);
  AddPager(view, part, SearchPath(asked));
  return RenderTemplate("search", frame.language, view);
}

}  // namespace koya::web
