// Search and lists of modules and providers, as pages.
#include "web/site/search_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/listed_hits.h"
#include "api/common/mirror_urls.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/search/search.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "domain/module_record.h"
#include "domain/name_rules.h"
#include "domain/provider_record.h"
#include "domain/search_query.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "service/search/search.h"
#include "web/common/page_paths.h"
#include "web/site/manual_search.h"

namespace koya::api {
namespace {

using web::SearchQuestion;
using web::SearchScope;

Result<SearchKind> KindNamed(const std::string& name) {
  if (std::optional<SearchKind> kind = ParseSearchKind(name)) return *kind;
  return FailInvalid("unknown kind \"{}\": use {}", Printable(name), kSearchKindNames);
}

std::string_view WithoutBlanks(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = text.find_last_not_of(' ') + 1;
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

// "" where there is none.
Result<std::string> TextAsked(const Call& call, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, name));
  return text ? std::string(WithoutBlanks(*text)) : std::string();
}

Result<SearchQuestion> QuestionAsked(const Call& call, SearchScope scope) {
  SearchQuestion question{.scope = scope};
  ASSIGN_OR_RETURN(question.text, TextAsked(call, "q"));
  ASSIGN_OR_RETURN(question.ns, TextAsked(call, "ns"));
  if (!question.ns.empty()) {
    ASSIGN_OR_RETURN(question.ns, ParseNamespaceName(question.ns));
  }
  ASSIGN_OR_RETURN(std::string kind, TextAsked(call, "kind"));
  if (!kind.empty()) {
    ASSIGN_OR_RETURN(question.kind, KindNamed(kind));
  }
  ASSIGN_OR_RETURN(std::string order, TextAsked(call, "sort"));
  question.order = question.text.empty() ? SearchOrder::kAddress : SearchOrder::kBest;
  if (!order.empty()) {
    ASSIGN_OR_RETURN(question.order, SearchOrderNamed(order));
  }
  ASSIGN_OR_RETURN(question.offset, ReadPartOffset(call, question.size));
  return question;
}

// In the language of searches.
std::string WholeText(const SearchQuestion& question) {
  std::string text = question.text;
  if (!question.ns.empty()) text += " ns:" + question.ns;
  if (question.kind) text += fmt::format(" kind:{}", SearchKindName(*question.kind));
  if (question.scope == SearchScope::kModules) text += " kind:module";
  if (question.scope == SearchScope::kProviders) text += " kind:provider";
  return text;
}

template <typename Summary>
SearchPage ListedPageOf(const Page<Summary>& list) {
  SearchPage found;
  found.more = list.more;
  found.items = HitsOf(list.items);
  return found;
}

// The whole list in order of address: the index is not asked, which knows the last few thousand.
Task<SearchPage> ListInOrder(Call& call, SearchQuestion question) {
  const PageRequest page{.offset = question.offset, .limit = question.size};
  if (question.scope == SearchScope::kModules) {
    ModuleFilter filter;
    filter.ns = question.ns;
    filter.readable = call.Readable();
    ASSIGN_OR_CO_RETURN(Page<ModuleSummary> list,
                        co_await call.services.modules.published.List(std::move(filter), page));
    co_return ListedPageOf(list);
  }
  ProviderFilter filter;
  filter.ns = question.ns;
  filter.readable = call.Readable();
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> list,
                      co_await call.services.providers.published.List(std::move(filter), page));
  co_return ListedPageOf(list);
}

// Marks the versions of other registries that the policy stops.
Task<void> AddHolds(Call& call, web::FoundPage& page) {
  for (const SearchHit& hit : page.found.items) {
    std::string key = hit.address + " " + hit.version;
    if (hit.host.empty() || page.holds.contains(key)) continue;
    ASSIGN_OR_CO_RETURN(
        std::optional<web::ShownHold> hold,
        co_await FindHold(call, hit.subject_kind == SearchKind::kModule, hit.address, hit.version));
    if (hold) page.holds.emplace(std::move(key), *std::move(hold));
  }
  co_return Status();
}

// Fails: as the catalog; problems with the text are in the result.
Task<web::FoundPage> FindAnswer(Call& call, SearchQuestion question) {
  web::FoundPage page{.asked = question};
  const bool everywhere = question.scope == SearchScope::kEverything;
  const bool asked = !question.text.empty() || !question.ns.empty() || question.kind;
  if (everywhere && !asked) co_return page;
  if (!everywhere && question.text.empty() && question.order == SearchOrder::kAddress) {
    ASSIGN_OR_CO_RETURN(page.found, co_await ListInOrder(call, question));
    CO_RETURN_IF_ERROR(co_await AddBadges(call, page.found.items));
    co_return page;
  }
  const PageRequest part{.offset = question.offset, .limit = question.size};
  Result<service::SearchAnswer> answer =
      co_await FindWithManual(call, WholeText(question), part, question.order);
  if (!answer && answer.error().kind == ErrorKind::kInvalid) {
    page.problem = web::Refusal::Of(answer.error(), web::Typed::kSearch);
    co_return page;
  }
  if (!answer) co_return Failure(std::move(answer).error());
  page.found = std::move(answer->page);
  page.total = answer->total;
  if (everywhere && !question.kind && question.offset == 0 && call.services.site.enabled) {
    ASSIGN_OR_CO_RETURN(const SearchQuery query, SearchQuery::Parse(WholeText(question)));
    page.manual = web::SearchManual(query, {.limit = web::FoundPage::kMostManual}).items;
  }
  CO_RETURN_IF_ERROR(co_await AddHolds(call, page));
  CO_RETURN_IF_ERROR(co_await AddBadges(call, page.found.items));
  co_return page;
}

// The same of a provider that is kept of another registry: "registry.example.org/acme/demo".
Task<std::string> PathOfMirrored(Call& call, std::string text) {
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  Result<HostName> host = HostName::ParseWire(std::string_view(text).substr(0, slash));
  Result<ProviderAddress> provider =
      ProviderAddress::Parse(std::string_view(text).substr(slash + 1));
  if (!host || !provider) co_return std::string();
  auto found = co_await call.services.search.index.FindUncounted(
      call.Readable(),
      fmt::format("host:{} ns:{} kind:provider {}", host->ascii(), provider->ns(),
                  provider->type()),
      {.offset = 0, .limit = 100});
  if (!found && found.error().kind == ErrorKind::kInvalid) co_return std::string();
  if (!found) co_return Failure(std::move(found).error());
  const std::string address = host->ascii() + "/" + provider->ToString();
  auto hit = std::ranges::find(found->page.items, address, &SearchHit::address);
  co_return hit == found->page.items.end() ? std::string() : web::PackagePath(*hit);
}

// The page of what the text is the whole address of; "": of nothing that the reader may know of.
Task<std::string> PathOfAddress(Call& call, std::string text) {
  if (text.find('.') < text.find('/')) {
    ASSIGN_OR_CO_RETURN(std::string path, co_await PathOfMirrored(call, text));
    if (!path.empty()) co_return path;
  }
  if (Result<ModuleAddress> module = ModuleAddress::Parse(text)) {
    ModuleFilter filter{.ns = module->ns(),
                        .name = module->name(),
                        .system = module->system(),
                        .query = {},
                        .after = {},
                        .readable = call.Readable()};
    ASSIGN_OR_CO_RETURN(Page<ModuleSummary> list, co_await call.services.modules.published.List(
                                                      std::move(filter), {.limit = 1}));
    if (list.items.empty()) co_return std::string();
    co_return web::ModulePath(list.items.front().address.ToString());
  }
  Result<ProviderAddress> provider = ProviderAddress::Parse(text);
  if (!provider) co_return std::string();
  ProviderFilter filter{
      .ns = provider->ns(), .query = provider->type(), .after = {}, .readable = call.Readable()};
  ASSIGN_OR_CO_RETURN(Page<ProviderSummary> list, co_await call.services.providers.published.List(
                                                      std::move(filter), {.limit = 100}));
  auto found = std::ranges::find(list.items, *provider, &ProviderSummary::address);
  if (found == list.items.end()) co_return std::string();
  co_return web::ProviderPath(found->address.ToString());
}

Task<http::Response> ShowFound(Call& call, SearchScope scope, PageAnswer& page,
                               SearchQuestion question) {
  ScopedTimer timer("search");
  ASSIGN_OR_CO_RETURN(web::FoundPage found, co_await FindAnswer(call, std::move(question)));
  timer.Stop();
  // The page's own box takes the place of the header's.
  page.frame.has_search = false;
  if (scope != SearchScope::kEverything && found.asked.text.empty()) {
    page.frame.canonical = web::SearchPath({.scope = scope, .order = SearchOrder::kAddress});
  }
  const bool wrong = !found.problem.empty();
  std::string html = web::RenderSearch(page.frame, found);
  if (wrong) co_return co_await page.SendUnkept(std::move(html), 400);
  ASSIGN_OR_CO_RETURN(http::Response reply, co_await page.SendBriefly(std::move(html)));
  // The duration would reveal to anonymous callers how much there is that they may not read.
  if (!page.frame.account.empty() || !call.principal.is_anonymous()) timer.AddField(reply);
  co_return reply;
}

Task<http::Response> ShowSearch(Call& call) {
  PageAnswer page(call);
  ASSIGN_OR_CO_RETURN(SearchQuestion question, QuestionAsked(call, SearchScope::kEverything));
  const bool plain = !question.kind && question.ns.empty() && question.offset == 0;
  if (plain && question.text.contains('/')) {
    ASSIGN_OR_CO_RETURN(std::string path, co_await PathOfAddress(call, question.text));
    if (!path.empty()) co_return page.GoTo(std::move(path));
  }
  co_return co_await ShowFound(call, SearchScope::kEverything, page, std::move(question));
}

Task<http::Response> ShowModules(Call& call) {
  PageAnswer page(call);
  page.frame.current = web::Section::kModules;
  ASSIGN_OR_CO_RETURN(SearchQuestion question, QuestionAsked(call, SearchScope::kModules));
  co_return co_await ShowFound(call, SearchScope::kModules, page, std::move(question));
}

Task<http::Response> ShowProviders(Call& call) {
  PageAnswer page(call);
  page.frame.current = web::Section::kProviders;
  ASSIGN_OR_CO_RETURN(SearchQuestion question, QuestionAsked(call, SearchScope::kProviders));
  co_return co_await ShowFound(call, SearchScope::kProviders, page, std::move(question));
}

}  // namespace

// The pages of the search and of the lists.
std::span<const Route> SearchPageRoutes() {
  web::PrepareManualSearch();  // before requests wait for it
  static constexpr Route kRoutes[] = {
      Route::Get("/search", Access::kBrowse, ResourceScope::kListing, ShowSearch,
                 "Show search results", KeptPage),
      Route::Get("/modules", Access::kBrowse, ResourceScope::kListing, ShowModules,
                 "Show the modules", KeptPage),
      Route::Get("/providers", Access::kBrowse, ResourceScope::kListing, ShowProviders,
                 "Show the providers", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
