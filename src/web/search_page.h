// What a search finds, and the lists of modules and providers, which are searches of one kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/search_record.h"
#include "web/page_frame.h"
#include "web/refusal.h"
#include "web/view.h"
#include "web/view_parts.h"

namespace koya::web {

// Where the search is: /search, /modules or /providers.
enum class SearchScope { kEverything, kModules, kProviders };

// "best", "newest", "name": as in ?sort=.
std::string_view SearchOrderName(SearchOrder order);

struct SearchQuestion {
  SearchScope scope = SearchScope::kEverything;
  std::string text;                               // as it was typed
  std::string ns;                                 // of this namespace only; "": of all
  std::optional<SearchKind> kind = std::nullopt;  // of /search only
  SearchOrder order = SearchOrder::kBest;
  std::uint64_t offset = 0;
  std::uint64_t size = 20;  // of a page; not 0
};
// The address of a page that asks this, without its offset.
std::string SearchPath(const SearchQuestion& question);

struct FoundPage {
  SearchQuestion asked;
  SearchPage found;         // what is on this page, and how much there is of each kind
  std::uint64_t total = 0;  // of what was asked; 0 with `found.more`: it is not known
  // What is wrong with the text; nothing was searched then. Empty: nothing is.
  Refusal problem;
};

std::string RenderSearch(const PageFrame& frame, const FoundPage& page);

// A hit as a row of the piece _package: its module or provider, without what was found in it.
View PackageRow(const PageFrame& frame, const SearchHit& hit, ShownStep step = ShownStep::kNone);

}  // namespace koya::web
