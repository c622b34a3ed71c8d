#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/common/usage_documents.h"
#include "api/providers/mirror_page_data.h"
#include "api/providers/provider_page_data.h"
#include "domain/topic.h"
#include "domain/usage_record.h"
#include "service/modules/module_comparison.h"
#include "service/providers/provider_comparison.h"
#include "service/usage/usage.h"
#include "web/providers/provider_history_pages.h"
#include "wire/comparison.h"

namespace koya::api {
namespace {

// ---- changes

// The version before another one; "" where there is none.
std::string Before(const ProviderView& view, const std::string& version) {
  auto found = std::ranges::find(
      view.releases, version, [](const ReleaseSummary& each) { return each.version.ToString(); });
  if (found == view.releases.end() || found + 1 == view.releases.end()) return {};
  return (found + 1)->version.ToString();
}

Result<Version> ComparedVersion(std::string_view text, std::string_view what) {
  Result<Version> version = Version::ParseLookup(text);
  if (version) return version;
  return Fail(ErrorKind::kInvalid,
              std::string(what) + " isn't valid: " + std::move(version).error().message);
}

// Problems with the query are shown on the page; the status reflects them, too.
Task<unsigned> FillChanges(Call& call, const ProviderView& view, web::ProviderChangesPage& page) {
  if (page.from.empty() || page.to.empty()) co_return 200U;
  Result<Version> from = ComparedVersion(page.from, "the first version");
  Result<Version> to = ComparedVersion(page.to, "the second version");
  if (!from || !to) {
    page.problem = web::Refusal::Of(from ? to.error() : from.error(), web::Typed::kVersion);
    co_return 400U;
  }
  Result<service::SharedComparison> compared =
      co_await call.services.providers.comparison.Compare(view.address, *from, *to, call.reading);
  if (compared) {
    page.compared = **compared;
    page.is_judged = *from < *to;
    co_return 200U;
  }
  const ErrorKind kind = compared.error().kind;
  if (kind != ErrorKind::kNotFound && kind != ErrorKind::kGone) {
    co_return Failure(std::move(compared).error());
  }
  page.problem = web::Refusal::Of(compared.error());
  co_return StatusFor(kind);
}

// ---- usage

Task<http::Response> AnswerUsage(Call& call, PageAnswer& answer, web::ProviderHead head,
                                 UsageItem item, std::vector<Version> versions) {
  const std::string path = web::ProviderPath(head.name);
  web::ProviderUsagePage page{.head = std::move(head),
                              .used = {.used = {}, .package = path, .path = path + "/usage"}};
  if (item.kind == UsageKind::kProvider) page.used.command = "koya usage used-by " + item.address;
  service::UsageQuestion question{
      .kind = item.kind, .address = item.address, .ns = item.ns, .days = page.used.days};
  PageRequest part{.offset = 0, .limit = web::UsedByPage::kMostRows};
  ASSIGN_OR_CO_RETURN(part.offset, ReadPartOffset(call, part.limit));
  ASSIGN_OR_CO_RETURN(page.used.used,
                      co_await ReadUsedBy(call, std::move(question), std::move(versions), part));
  web::PlaceProviderPage(answer.frame, page.head, "");
  // It changes by the minute and depends on the caller.
  co_return co_await answer.SendUnkept(web::RenderProviderUsage(answer.frame, page));
}

Task<http::Response> ShowProviderChanges(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> from,
                      QueryParameter(call.request().query, "from"));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> to, QueryParameter(call.request().query, "to"));
  ASSIGN_OR_CO_RETURN(ProviderView view,
                      co_await ReadProviderView(call, std::move(address), std::nullopt));
  web::ProviderChangesPage page{.head = HeadOf(view, call.services.clock.Now())};
  page.to = to && !to->empty() ? *std::move(to) : view.latest.ToString();
  page.from = from && !from->empty() ? *std::move(from) : Before(view, page.to);
  ASSIGN_OR_CO_RETURN(unsigned status, co_await FillChanges(call, view, page));
  web::PlaceProviderPage(answer.frame, page.head, web::ProviderPath(page.head.name) + "/changes");
  std::string html = web::RenderProviderChanges(answer.frame, page);
  if (status != 200) co_return co_await answer.SendUnkept(std::move(html), status);
  co_return co_await answer.Send(std::move(html), ProviderTopic(view.address));
}

Task<http::Response> ShowProviderUsage(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(ProviderView view,
                      co_await ReadProviderView(call, std::move(address), std::nullopt));
  web::ProviderHead head = HeadOf(view, call.services.clock.Now());
  co_return co_await AnswerUsage(call, answer, std::move(head), UsageItem::OfAll(view.address),
                                 VersionsIn(view.releases));
}

Task<http::Response> ShowMirroredUsage(Call& call) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(MirroredView view, co_await ReadMirroredView(call, provider, std::nullopt));
  co_return co_await AnswerUsage(call, answer, HeadOf(view), UsageItem::OfAll(provider),
                                 VersionsIn(view.versions));
}

}  // namespace

std::span<const Route> ProviderHistoryPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/providers/{namespace}/{type}/changes", Access::kBrowse,
                 ResourceScope::kNamespace, ShowProviderChanges,
                 "Show the changes between two provider versions", KeptPage),
      Route::Get("/providers/{namespace}/{type}/usage", Access::kBrowse, ResourceScope::kNamespace,
                 ShowProviderUsage, "Show the consumers of a provider"),
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}/usage", Access::kBrowse,
                 ResourceScope::kMirror, ShowMirroredUsage,
                 "Show the consumers of an upstream provider"),
  };
  return kRoutes;
}

}  // namespace koya::api
