// /-/mirror/packages: the stored packages of other registries, a page at a time.
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/mirror_urls.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/route.h"
#include "api/providers/mirror_page_data.h"
#include "domain/page.h"
#include "domain/usage_record.h"
#include "service/mirror/provider_mirror.h"
#include "service/mirror/verdict_listing.h"
#include "service/usage/usage.h"
#include "service/usage/usage_counter.h"
#include "web/mirror/mirror_pages.h"
#include "web/providers/provider_pages.h"

namespace koya::api {
namespace {

using service::StoredState;
using service::VerdictSummary;
using web::MirrorPackagesPage;
using web::ShownVerdict;

struct PackagesQuestion {
  bool of_modules = false;
  std::string query;
  std::optional<StoredState> verdict;
  MirrorPackagesPage::Freshness freshness = MirrorPackagesPage::Freshness::kAny;
  std::uint64_t number = 1;
};

// As the parameter "verdict" has them.
struct NamedState {
  std::string_view name;
  StoredState state;
  ShownVerdict shown;
};
constexpr NamedState kNamedStates[] = {
    {"allowed", StoredState::kAllowed, ShownVerdict::kAllowed},
    {"denied", StoredState::kDenied, ShownVerdict::kDenied},
    {"not-listed", StoredState::kNotListed, ShownVerdict::kNotListed},
    {"kept-only", StoredState::kStoredOnly, ShownVerdict::kStoredOnly}};

const NamedState& NamedStateOf(StoredState state) {
  for (const NamedState& each : kNamedStates) {
    if (each.state == state) return each;
  }
  return kNamedStates[0];
}

Result<std::optional<StoredState>> ReadVerdict(const http::Request& request) {
  ASSIGN_OR_RETURN(std::optional<std::string> name, QueryParameter(request.query, "verdict"));
  if (!name || name->empty() || *name == "any") return std::optional<StoredState>();
  for (const NamedState& each : kNamedStates) {
    if (each.name == *name) return std::optional(each.state);
  }
  return FailInvalid(
      "the parameter \"verdict\" must be any, allowed, denied, not-listed or kept-only");
}

Result<MirrorPackagesPage::Freshness> ReadFreshness(const http::Request& request) {
  using Freshness = MirrorPackagesPage::Freshness;
  ASSIGN_OR_RETURN(std::optional<std::string> state, QueryParameter(request.query, "state"));
  if (!state || state->empty() || *state == "any") return Freshness::kAny;
  if (*state == "fresh") return Freshness::kFresh;
  if (*state == "stale") return Freshness::kStale;
  return FailInvalid("the parameter \"state\" must be any, fresh or stale");
}

Result<PackagesQuestion> ReadPackagesQuestion(const http::Request& request) {
  constexpr std::size_t kLongestQuery = 200;
  ASSIGN_OR_RETURN(std::optional<std::string> query, QueryParameter(request.query, "q"));
  ASSIGN_OR_RETURN(std::optional<std::string> kind, QueryParameter(request.query, "kind"));
  PackagesQuestion question{
      .of_modules = kind == "modules", .query = query.value_or(""), .verdict = {}};
  ASSIGN_OR_RETURN(question.number, ReadPageNumber(request));
  ASSIGN_OR_RETURN(question.verdict, ReadVerdict(request));
  ASSIGN_OR_RETURN(question.freshness, ReadFreshness(request));
  if (kind && !kind->empty() && *kind != "modules" && *kind != "providers") {
    return FailInvalid("the parameter \"kind\" must be providers or modules");
  }
  if (question.query.size() > kLongestQuery) {
    return FailInvalid("the parameter \"q\" is too long: use a part of the address");
  }
  return question;
}

std::string PathOf(const PackagesQuestion& question) {
  std::string path = "/-/mirror/packages";
  if (!question.query.empty()) path = web::PathWith(path, "q", question.query);
  if (question.of_modules) path = web::PathWith(path, "kind", "modules");
  if (question.verdict) path = web::PathWith(path, "verdict", NamedStateOf(*question.verdict).name);
  switch (question.freshness) {
    case MirrorPackagesPage::Freshness::kFresh:
      return web::PathWith(path, "state", "fresh");
    case MirrorPackagesPage::Freshness::kStale:
      return web::PathWith(path, "state", "stale");
    case MirrorPackagesPage::Freshness::kAny:
      break;
  }
  return path;
}

UpstreamFilter FilterOf(const PackagesQuestion& question, UnixSeconds fresh_since) {
  UpstreamFilter filter{.query = question.query, .checked_since = {}, .checked_before = {}};
  if (question.freshness == MirrorPackagesPage::Freshness::kFresh) {
    filter.checked_since = fresh_since;
  }
  if (question.freshness == MirrorPackagesPage::Freshness::kStale) {
    filter.checked_before = fresh_since;
  }
  return filter;
}

// One question for all rows.
Task<void> AddFetches(Call& call, const std::vector<VerdictSummary>& items,
                      MirrorPackagesPage& page) {
  page.counts_fetches = call.services.usage.counter.on();
  if (!page.counts_fetches || items.empty()) co_return Status();
  std::vector<std::string> addresses;
  addresses.reserve(items.size());
  for (const VerdictSummary& each : items) addresses.push_back(each.verdict.counted_as.address);
  const UsageKind kind =
      page.of_modules ? UsageKind::kMirroredModule : UsageKind::kMirroredProvider;
  using Downloads = std::map<std::string, std::uint64_t>;
  ASSIGN_OR_CO_RETURN(Downloads downloads,
                      co_await call.services.usage.reports.Downloads(kind, std::move(addresses)));
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto found = downloads.find(items[i].verdict.counted_as.address);
    if (found != downloads.end()) page.rows[i].fetches = found->second;
  }
  co_return Status();
}

Task<void> FillPackagesPage(Call& call, const PackagesQuestion& question,
                            MirrorPackagesPage& page) {
  constexpr std::uint64_t kRows = MirrorPackagesPage::kMostRows;
  const UnixSeconds fresh_since = FreshSince(call);
  const PageRequest wanted{.offset = (question.number - 1) * kRows, .limit = kRows};
  UpstreamFilter filter = FilterOf(question, fresh_since);
  const auto sort =
      question.of_modules ? service::StoredSort::kModules : service::StoredSort::kProviders;
  ASSIGN_OR_CO_RETURN(service::VerdictPage found, co_await service::BrowseVerdicts(
                                                      call.services.mirror.context, sort,
                                                      std::move(filter), question.verdict, wanted));
  for (const VerdictSummary& each : found.page.items) {
    page.rows.push_back(MirrorRowOf(each, question.of_modules, fresh_since));
    std::string address = each.summary.host.ascii() + "/" + each.summary.address;
    ASSIGN_OR_CO_RETURN(page.rows.back().hold,
                        co_await FindHold(call, question.of_modules, std::move(address),
                                          each.summary.last_version));
  }
  page.is_cut = found.is_cut;
  page.part = {.offset = wanted.offset,
               .shown = page.rows.size(),
               .size = kRows,
               .total = 0,
               .more = found.page.more};
  co_return co_await AddFetches(call, found.page.items, page);
}

Task<http::Response> ShowMirrorPackages(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(PackagesQuestion question, ReadPackagesQuestion(call.request()));
  MirrorPackagesPage page{.of_modules = question.of_modules,
                          .query = question.query,
                          .verdict = {},
                          .freshness = question.freshness,
                          .fresh_for = call.services.mirror.providers.freshness(),
                          .path = PathOf(question),
                          .now = call.services.clock.Now()};
  if (question.verdict) page.verdict = NamedStateOf(*question.verdict).shown;
  ASSIGN_OR_CO_RETURN(page.head, co_await ReadMirrorHead(call));
  CO_RETURN_IF_ERROR(co_await FillPackagesPage(call, question, page));
  const web::PageFrame& frame = PlaceMirrorPage(answer, call, "/-/mirror/packages");
  co_return co_await answer.SendBriefly(web::RenderMirrorPackages(frame, page));
}

}  // namespace

std::span<const Route> MirrorPackagesPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/mirror/packages", Access::kBrowse, ResourceScope::kMirror, ShowMirrorPackages,
                 "Show mirrored packages", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
