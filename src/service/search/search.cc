#include "service/search/search.h"

#include <algorithm>
#include <utility>

#include "auth/principal.h"
#include "base/condition.h"
#include "catalog/module_catalog.h"
#include "catalog/search_index.h"
#include "domain/module_address.h"
#include "domain/search_query.h"
#include "domain/topic.h"
#include "service/access/namespaces.h"
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

namespace {

constexpr std::uint64_t kResourcesLookedAt = 50;
constexpr std::size_t kLongestExample = 40;  // of the line below a box

std::string_view NamespaceOfAddress(std::string_view address) {
  return address.substr(0, address.find('/'));
}

// "aws_vpc" of "aws_vpc.this", "network/aws_vpc.this"; "" for a data source.
std::string_view TypeOfResource(std::string_view name) {
  // npos + 1: there is no folder before it.
  name.remove_prefix(name.rfind('/') + 1);
  const std::string_view type = name.substr(0, name.find('.'));
  const bool is_plain = std::ranges::all_of(
      type, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
  // "data.aws_ami.this" is no resource: types have the name of their provider before a "_".
  return is_plain && type.contains('_') ? type : std::string_view();
}

// "vpc" of "acme/vpc/aws", "demo" of "acme/demo".
std::string_view NameOfAddress(std::string_view address) {
  address.remove_prefix(std::min(address.find('/') + 1, address.size()));
  return address.substr(0, address.find('/'));
}

void AddExample(std::string text, std::vector<std::string>& examples) {
  const bool is_search = text.size() <= kLongestExample && SearchQuery::Parse(text).has_value();
  if (is_search) examples.push_back(std::move(text));
}

}  // namespace

void SearchExamples::Invalidate(std::string_view topic) {
  if (topic != kEverything && !topic.starts_with("module:")) return;
  const std::lock_guard lock(mutex_);
  ++changes_;
  changed_at_ = clock_.Now();
  kept_.reset();
}

Task<SearchExamples::Types> SearchExamples::AllTypes() {
  const UnixSeconds now = clock_.Now();
  std::uint64_t changes = 0;
  {
    const std::lock_guard lock(mutex_);
    // A new version is in the index a moment after its change is announced.
    const bool settled = changed_at_ + std::chrono::seconds(kSettling).count() < kept_at_;
    const std::chrono::seconds life = settled ? std::chrono::seconds(kKept) : kKeptMeanwhile;
    if (kept_ && kept_at_ <= now && now < kept_at_ + life.count()) co_return kept_;
    changes = changes_;
  }
  ASSIGN_OR_CO_RETURN(SearchQuery query, SearchQuery::Parse("kind:resource host:here"));
  SearchRequest request{.query = std::move(query),
                        .readable = {},
                        .page = {.offset = 0, .limit = kResourcesLookedAt},
                        .order = SearchOrder::kNewest};
  ASSIGN_OR_CO_RETURN(const SearchPage found, co_await index_.Search(std::move(request)));
  auto types = std::make_shared<std::vector<UsedType>>();
  for (const SearchHit& hit : found.items) {
    const std::string_view type = TypeOfResource(hit.name);
    if (type.empty()) continue;
    types->push_back(
        {.ns = std::string(NamespaceOfAddress(hit.address)), .type = std::string(type)});
  }
  const std::lock_guard lock(mutex_);
  // Not cached if something changed during the query: the next call queries again.
  if (changes == changes_) {
    kept_ = types;
    kept_at_ = now;
  }
  co_return types;
}

Task<std::string> SearchExamples::TypeFor(auth::Principal by) {
  ASSIGN_OR_CO_RETURN(const Types all, co_await AllTypes());
  std::string_view judged;  // the namespace that was refused last: most stand together
  for (const UsedType& each : *all) {
    if (each.ns == judged) continue;
    ASSIGN_OR_CO_RETURN(const NamespaceState state, co_await namespaces_.FindNamespace(each.ns));
    if (by.MayRead(each.ns, state.visibility)) co_return each.type;
    judged = each.ns;
  }
  co_return std::string();
}

Task<std::vector<std::string>> SearchExamples::FindExamples(auth::Principal by,
                                                            std::vector<SearchHit> shown) {
  std::vector<std::string> examples;
  if (shown.empty()) co_return examples;
  AddExample(std::string(NameOfAddress(shown.front().address)), examples);
  Result<std::string> type = co_await TypeFor(std::move(by));
  const bool away = !type && type.error().kind == ErrorKind::kUnavailable;
  if (!type && !away) co_return Failure(std::move(type).error());
  if (type && !type->empty()) AddExample("uses:" + *type, examples);
  AddExample("ns:" + std::string(NamespaceOfAddress(shown.back().address)), examples);
  co_return examples;
}

}  // namespace koya::service
