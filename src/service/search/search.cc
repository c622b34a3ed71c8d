#include "service/search/search.h"

#include <algorithm>
#include <utility>

#include "base/condition.h"
#include "catalog/module_catalog.h"
#include "catalog/search_index.h"
#include "domain/module_address.h"
#include "domain/search_query.h"
#include "service/search/index_queue.h"

namespace koya::service {
namespace {

std::uint64_t TotalOf(const SearchPage& page, const std::vector<SearchKind>& kinds) {
  std::uint64_t total = 0;
  for (const auto& [kind, count] : page.counts) {
    if (kinds.empty() || std::ranges::find(kinds, kind) != kinds.end()) total += count;
  }
  return total;
}

Result<Page<ModuleSummary>> ModulesOf(const SearchPage& found) {
  Page<ModuleSummary> page{.items = {}, .more = found.more};
  for (const SearchHit& hit : found.items) {
    ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(hit.address));
    ASSIGN_OR_RETURN(Version version, Version::Parse(hit.version));
    page.items.push_back({.address = std::move(address),
                          .latest = std::move(version),
                          .description = hit.title,
                          .published_at = hit.published_at,
                          .deprecated = hit.deprecated});
  }
  return page;
}

// True if the query has only kinds and places: its timing reveals nothing.
bool NamesNothing(const SearchQuery& query) {
  return query.terms().empty() && query.ns().empty() && query.system().empty() &&
         query.uses().empty() && query.needs().empty() && query.calls().empty();
}

}  // namespace

Awaitable<void> Search::WaitForPublished() {
  return published_.WaitForThoseBefore(std::chrono::steady_clock::now() + kPatience);
}

Task<SearchPage> Search::LookUp(SearchRequest request) {
  const bool tells_nothing = request.readable.everything || NamesNothing(request.query);
  co_await WaitForPublished();
  const auto nothing_until = std::chrono::steady_clock::now() + nothing_takes_;
  ASSIGN_OR_CO_RETURN(SearchPage page, co_await index_.Search(std::move(request)));
  const bool as_written = !page.items.empty() && !page.forgiven && page.missing.empty();
  if (!as_written && !tells_nothing) {
    Condition never;
    co_await never.WaitUntil([] { return false; }, nothing_until);
  }
  co_return page;
}

Task<SearchAnswer> Search::RunQuery(SearchRequest request) {
  const std::vector<SearchKind> kinds = request.query.kinds();
  SearchAnswer answer;
  ASSIGN_OR_CO_RETURN(answer.page, co_await LookUp(std::move(request)));
  answer.total = TotalOf(answer.page, kinds);
  co_return answer;
}

Task<SearchAnswer> Search::FindHits(ReadableNamespaces readable, std::string text, PageRequest page,
                                    SearchOrder order) {
  ASSIGN_OR_CO_RETURN(SearchQuery query, SearchQuery::Parse(text));
  co_return co_await RunQuery({.query = std::move(query),
                               .readable = std::move(readable),
                               .page = page,
                               .order = order,
                               .facets = true});
}

Task<SearchAnswer> Search::FindUncounted(ReadableNamespaces readable, std::string text,
                                         PageRequest page, SearchOrder order) {
  ASSIGN_OR_CO_RETURN(SearchQuery query, SearchQuery::Parse(text));
  co_return co_await RunQuery({.query = std::move(query),
                               .readable = std::move(readable),
                               .page = page,
                               .order = order,
                               .counted = false});
}

Task<Page<ModuleSummary>> Search::FindModules(ModuleFilter filter, PageRequest page) {
  Result<SearchQuery> query = SearchQuery::Parse(filter.query);
  if (query && query->NarrowToModules(filter.ns, filter.system)) {
    ASSIGN_OR_CO_RETURN(
        SearchPage found,
        co_await LookUp({.query = *std::move(query), .readable = filter.readable, .page = page}));
    const bool any = found.counts.contains(SearchKind::kModule);
    if (any && !found.forgiven && found.missing.empty()) co_return ModulesOf(found);
  }
  co_return co_await modules_.ListModules(std::move(filter), page);
}

}  // namespace koya::service
