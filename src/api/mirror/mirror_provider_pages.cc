#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/common/page_answer.h"
#include "api/common/page_number.h"
#include "api/common/representations.h"
#include "api/common/version_filter.h"
#include "api/providers/mirror_page_data.h"
#include "api/providers/provider_page_data.h"
#include "api/route_tables.h"
#include "service/mirror/inventory.h"
#include "web/providers/provider_pages.h"

namespace koya::api {
namespace {

Task<http::Response> AnswerMirrored(Call& call, UpstreamProvider provider, std::string wanted,
                                    Representation twin) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(std::optional<Version> version, VersionOfPage(wanted));
  ASSIGN_OR_CO_RETURN(MirroredView view,
                      co_await ReadMirroredView(call, std::move(provider), std::move(version)));
  ASSIGN_OR_CO_RETURN(web::ProviderPage page, co_await OverviewOf(call, view));
  if (twin == Representation::kMarkdown) {
    co_return MarkdownReply(web::ProviderMarkdown(page, call.services.url));
  }
  web::PlaceProviderPage(answer.frame, page.head, "");
  co_return co_await answer.SendBriefly(web::RenderProvider(answer.frame, page));
}

Task<http::Response> ShowMirroredProvider(Call& call) {
  const RepresentationName asked = ReadRepresentation(call.path("type"));
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderOfPage(call, asked.name));
  co_return co_await AnswerMirrored(call, std::move(provider), "", asked.twin);
}

Task<http::Response> ShowMirroredVersion(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderOfPage(call, call.path("type")));
  const RepresentationName asked = ReadRepresentation(call.path("version"));
  co_return co_await AnswerMirrored(call, std::move(provider), std::string(asked.name), asked.twin);
}

Task<http::Response> ShowMirroredVersions(Call& call) {
  constexpr std::uint64_t kRows = web::ProviderVersionsPage::kMostRows;
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(VersionFilter filter, VersionFilter::Read(call.request()));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(call.request()));
  ASSIGN_OR_CO_RETURN(MirroredView view, co_await ReadMirroredView(call, provider, std::nullopt));
  ASSIGN_OR_CO_RETURN(std::vector<Version> pinned,
                      co_await call.services.mirror.inventory.ListVersions(std::move(provider)));
  web::ProviderVersionsPage page{
      .head = HeadOf(view), .filter = filter.text(), .checked_at = view.checked_at};
  std::vector<const MirroredVersion*> found;
  for (const MirroredVersion& each : view.versions) {
    if (filter.Takes(each.version)) found.push_back(&each);
  }
  page.part = PartOf(found.size(), number, kRows);
  for (std::uint64_t i = page.part.offset; i < page.part.offset + page.part.shown; ++i) {
    const MirroredVersion& each = *found[i];
    page.rows.push_back(
        {.release = {.version = each.version.ToString(), .is_latest = each.version == view.latest},
         .platforms = each.platforms.size(),
         .is_here = std::ranges::find(pinned, each.version) != pinned.end()});
  }
  const std::string path = web::ProviderPath(page.head.name) + "/versions";
  page.path = filter.text().empty() ? path : web::PathWith(path, "filter", filter.text());
  web::PlaceProviderPage(answer.frame, page.head, "");
  co_return co_await answer.SendBriefly(web::RenderProviderVersions(answer.frame, page));
}

}  // namespace

std::span<const Route> MirrorProviderPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}", Access::kBrowse,
                 ResourceScope::kMirror, ShowMirroredProvider, "Show an upstream provider",
                 KeptPage),
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}/{version}", Access::kBrowse,
                 ResourceScope::kMirror, ShowMirroredVersion,
                 "Show a version of an upstream provider", KeptPage),
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}/versions", Access::kBrowse,
                 ResourceScope::kMirror, ShowMirroredVersions,
                 "Show the versions of an upstream provider", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
