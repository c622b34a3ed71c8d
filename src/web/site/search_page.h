// Renders search results, and the lists of modules and providers, which are searches of one kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/search_record.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"
#include "web/common/view.h"

namespace koya::web {

// The page of the search: /search, /modules or /providers.
enum class SearchScope { kEverything, kModules, kProviders };

// "best", "newest", "name": the value of ?sort=.
std::string_view SearchOrderName(SearchOrder order);

struct SearchQuestion {
  SearchScope scope = SearchScope::kEverything;
  std::string text;                               // as it was typed
  std::string ns;                                 // only in this namespace; "": in all
  std::optional<SearchKind> kind = std::nullopt;  // of /search only
  SearchOrder order = SearchOrder::kBest;
  std::uint64_t offset = 0;
  std::uint64_t size = 20;  // of a page; not 0
};
// The path of a page with this query, without its offset.
std::string SearchPath(const SearchQuestion& question);

struct FoundPage {
  static constexpr std::uint64_t kMostManual = 3;

  SearchQuestion asked;
  SearchPage found;         // hits of this page, and totals of each kind
  std::uint64_t total = 0;  // of the query; 0 with `found.more`: not known
  // Marks of hits of other registries, by "ADDRESS VERSION".
  std::map<std::string, ShownHold> holds = {};
  // The first guides, settings and errors of the query, at most kMostManual: shown where the hits
  // of this page do not reach them.
  std::vector<SearchHit> manual = {};
  // Problem of the text, which prevented the search. Empty: none.
  Refusal problem;
};

std::string RenderSearch(const PageFrame& frame, const FoundPage& page);

// A row of the piece _manual_hits: a guide, a setting or a kind of error.
View ManualRow(const SearchHit& hit);

// Further hits inside a package than are shown.
struct FurtherParts {
  std::size_t count = 0;
  std::string path;  // of the first of them
};
// A row of the piece _package for a hit: its module or provider, without the hit inside it. With a
// `publisher`, "" if it is unknown, the row says how long ago the version was published, and by
// whom: the page has its `now`.
View PackageRow(const SearchHit& hit, ShownStep step = ShownStep::kNone,
                std::vector<View> parts = {}, const FurtherParts& further = {},
                const std::optional<ShownHold>& hold = std::nullopt,
                const std::optional<std::string>& publisher = std::nullopt);

}  // namespace koya::web
