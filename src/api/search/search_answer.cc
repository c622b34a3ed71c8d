#include "api/search/search_answer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "base/text.h"
#include "domain/search_query.h"
#include "web/site/manual_search.h"
#include "web/site/search_page.h"

namespace koya::api {

Result<SearchOrder> SearchOrderNamed(const std::string& name) {
  constexpr std::array kOrders{SearchOrder::kBest, SearchOrder::kNewest, SearchOrder::kAddress};
  const auto* found = std::ranges::find(kOrders, name, web::SearchOrderName);
  if (found != kOrders.end()) return *found;
  return FailInvalid("unknown order \"{}\": sort must be best, newest or name", Printable(name));
}

namespace {

// Drops the words that the documentation has from those that nothing has.
void DropKnown(const SearchQuery& query, std::vector<std::string>* missing) {
  for (std::size_t term = 0; term < query.terms().size(); ++term) {
    std::vector<std::size_t> others(query.terms().size());
    std::iota(others.begin(), others.end(), 0);
    std::erase(others, term);
    const bool is_known = web::SearchManual(query.Without(others), {.limit = 0}).total > 0;
    if (is_known) std::erase(*missing, query.terms()[term].written);
  }
}

}  // namespace

Task<service::SearchAnswer> FindWithManual(Call& call, std::string text, PageRequest page,
                                           SearchOrder order) {
  ASSIGN_OR_CO_RETURN(service::SearchAnswer answer, co_await call.services.search.index.FindHits(
                                                        call.Readable(), text, page, order));
  if (!call.services.site.enabled) co_return answer;
  ASSIGN_OR_CO_RETURN(const SearchQuery query, SearchQuery::Parse(text));
  SearchPage& found = answer.page;
  const std::uint64_t before = answer.total;
  const std::uint64_t room = found.more ? 0 : page.limit - std::min(page.limit, found.items.size());
  const bool is_whole = found.missing.empty();
  const std::uint64_t begin = is_whole ? page.offset - std::min(page.offset, before) : page.offset;
  web::ManualHits manual =
      web::SearchManual(query, {.offset = begin, .limit = is_whole ? room : page.limit});
  if (!is_whole && manual.total > 0) answer = {};
  answer.total += manual.total;
  if (found.items.empty() && page.offset == 0) DropKnown(query, &found.missing);
  found.more = found.more || begin + manual.items.size() < manual.total;
  for (const auto& [kind, count] : manual.counts) {
    found.counts.emplace(kind, count);
    const std::vector<SearchKind>& kinds = query.kinds();
    const bool asked = kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
    if (asked) found.facets.kind.emplace(SearchKindName(kind), count);
  }
  std::ranges::move(manual.items, std::back_inserter(found.items));
  co_return answer;
}

}  // namespace koya::api
