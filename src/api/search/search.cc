#include "api/search/search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/listed_hits.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "base/text.h"
#include "domain/access.h"
#include "domain/search_query.h"
#include "domain/search_record.h"
#include "obs/log.h"
#include "service/search/reindex.h"
#include "service/search/search.h"
#include "web/site/manual_search.h"
#include "web/site/search_page.h"
#include "wire/readings.h"
#include "wire/search.h"

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

namespace {

std::string_view FieldName(SearchField field) {
  switch (field) {
    case SearchField::kName:
      return "name";
    case SearchField::kTitle:
      return "title";
    case SearchField::kText:
      return "text";
  }
  return "name";
}

// Bytes as characters. REQUIRES: they are in order.
std::vector<wire::SearchMark> MarksOf(const SearchHit& hit) {
  std::vector<wire::SearchMark> marks;
  const std::string_view text = hit.snippet;
  std::size_t at = 0;
  std::uint64_t characters = 0;
  for (const TextRange& mark : hit.marks) {
    characters += CountCharacters(text.substr(at, mark.begin - at));
    const std::uint64_t begin = characters;
    characters += CountCharacters(text.substr(mark.begin, mark.end - mark.begin));
    marks.push_back({begin, characters});
    at = mark.end;
  }
  return marks;
}

wire::SearchHit ToWireHit(SearchHit hit) {
  std::vector<wire::SearchMark> marks = MarksOf(hit);
  const bool in_package = hit.url.empty();
  return {.kind = std::string(SearchKindName(hit.kind)),
          .package = in_package ? std::string(SearchKindName(hit.subject_kind)) : "",
          .address = std::move(hit.address),
          .hostname = std::move(hit.host),
          .version = std::move(hit.version),
          .name = std::move(hit.name),
          .title = std::move(hit.title),
          .field = std::string(FieldName(hit.field)),
          .snippet = std::move(hit.snippet),
          .marks = std::move(marks),
          .published_at = in_package ? FormatRfc3339(hit.published_at) : "",
          .newest = hit.newest,
          .deprecated = hit.deprecated,
          .visibility = hit.visibility ? std::string(VisibilityName(*hit.visibility)) : "",
          .why = std::move(hit.why),
          .url = std::move(hit.url)};
}

wire::SearchCounts ToWireCounts(const std::map<SearchKind, std::uint64_t>& counts) {
  auto of = [&counts](SearchKind kind) {
    const auto found = counts.find(kind);
    return found == counts.end() ? 0 : found->second;
  };
  return {.modules = of(SearchKind::kModule),
          .providers = of(SearchKind::kProvider),
          .submodules = of(SearchKind::kSubmodule),
          .examples = of(SearchKind::kExample),
          .resources = of(SearchKind::kResource),
          .inputs = of(SearchKind::kInput),
          .outputs = of(SearchKind::kOutput),
          .docs = of(SearchKind::kDoc),
          .guides = of(SearchKind::kGuide),
          .settings = of(SearchKind::kSetting),
          .errors = of(SearchKind::kError)};
}

Result<SearchOrder> ReadOrder(const Call& call) {
  ASSIGN_OR_RETURN(std::optional<std::string> name, QueryParameter(call.request().query, "sort"));
  if (!name) return SearchOrder::kBest;
  return SearchOrderNamed(*name);
}

Task<http::Response> GetSearch(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, "q"));
  if (!text || text->empty()) {
    co_return FailInvalid("the parameter \"q\" is missing: /api/v1/search?q=vpc");
  }
  ASSIGN_OR_CO_RETURN(PageRequest page, ReadPage(call));
  ASSIGN_OR_CO_RETURN(SearchOrder order, ReadOrder(call));
  ScopedTimer timer("search");
  ASSIGN_OR_CO_RETURN(service::SearchAnswer answer,
                      co_await FindWithManual(call, *std::move(text), page, order));
  timer.Stop();
  wire::SearchResults results{.hits = {},
                              .total = answer.total,
                              .packages = answer.page.packages,
                              .counts = ToWireCounts(answer.page.counts),
                              .cut = answer.page.cut,
                              .forgiven = answer.page.forgiven,
                              .missing = answer.page.missing,
                              .cut_kinds = {},
                              .facets = {.kind = std::move(answer.page.facets.kind),
                                         .ns = std::move(answer.page.facets.ns),
                                         .system = std::move(answer.page.facets.system),
                                         .deprecated = std::move(answer.page.facets.deprecated)},
                              .facets_cut = answer.page.facets.cut,
                              .next_url = "",
                              .prev_url = ""};
  CO_RETURN_IF_ERROR(DescribePage(call, page, answer.page.more, results));
  for (SearchKind kind : answer.page.cut_kinds) {
    results.cut_kinds.emplace_back(SearchKindName(kind));
  }
  CO_RETURN_IF_ERROR(co_await AddVisibility(call, answer.page.items));
  for (SearchHit& hit : answer.page.items) results.hits.push_back(ToWireHit(std::move(hit)));
  http::Response reply = PageReply(call, wire::EncodeSearchResults(results));
  // The duration would reveal to anonymous callers how much there is that they may not read.
  if (!call.principal.is_anonymous()) timer.AddField(reply);
  co_return reply;
}

// One step of it.
Task<http::Response> Reindex(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [after], wire::Decode<wire::StepRequest>(body));
  const bool first = after.empty();
  ASSIGN_OR_CO_RETURN(service::ReindexStep step,
                      co_await call.services.search.reindexing.Step(std::move(after)));
  if (first) {
    call.services.log.Info(
        "rebuilding the search index",
        {{"request_id", call.request().request_id}, {"by", call.principal.name}});
  }
  wire::ReindexReport report{.next = std::move(step.next),
                             .indexed = step.indexed,
                             .removed = step.removed,
                             .problems = {}};
  for (service::IndexProblem& each : step.problems) {
    report.problems.push_back(
        {std::move(each.address), std::move(each.version), std::move(each.problem)});
  }
  co_return JsonReply(200, wire::Encode(report));
}

}  // namespace

// Search in all modules and providers.
std::span<const Route> SearchRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kSearch, Access::kRead, ResourceScope::kListing, GetSearch,
                 "Search the contents of modules and providers"),
      Route::For(wire::kReindex, Access::kAdmin, BodyLimit::kSmall, Reindex,
                 "Rebuild the next batch of the search index"),
  };
  return kRoutes;
}

}  // namespace koya::api
