// Pages of other registries' providers, and of their documentation, which is fetched on first read.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/common/audience.h"
#include "api/common/mirror_urls.h"
#include "api/common/page_answer.h"
#include "api/common/paging.h"
#include "api/common/route.h"
#include "api/common/version_query.h"
#include "api/providers/mirror_page_data.h"
#include "api/providers/provider_page_data.h"
#include "base/text.h"
#include "markup/fragment.h"
#include "service/mirror/docs_mirror.h"
#include "service/mirror/inventory.h"
#include "service/providers/docs_pages.h"
#include "web/providers/provider_docs_pages.h"
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
  std::vector<Version> shown;
  for (std::uint64_t i = 0; i < page.part.shown; ++i) {
    shown.push_back(found[page.part.offset + i]->version);
  }
  ASSIGN_OR_CO_RETURN(ShownHolds holds, co_await FindHolds(call, view.provider, std::move(shown)));
  for (std::size_t i = 0; i < page.rows.size(); ++i) page.rows[i].hold = std::move(holds[i]);
  const std::string path = web::ProviderPath(page.head.name) + "/versions";
  page.path = filter.text().empty() ? path : web::PathWith(path, "filter", filter.text());
  web::PlaceProviderPage(answer.frame, page.head, "");
  co_return co_await answer.SendBriefly(web::RenderProviderVersions(answer.frame, page));
}

constexpr std::size_t kMostWantedName = 200;

// True if there are no docs, which the page says; it must not hide other upstream errors.
bool IsNoDocs(const Error& error) {
  return error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kForbidden;
}

Task<void> FillMirrored(Call& call, const MirroredView& view, const DocName& name,
                        const DocsQuestion& question, web::ProviderDocsPage& page) {
  service::DocsMirror& docs = call.services.mirror.docs;
  Result<service::MirroredDocList> list = co_await docs.List(view.provider, view.shown);
  if (!list && IsNoDocs(list.error())) co_return Status();
  if (!list) co_return Failure(std::move(list).error());
  const std::string& type = view.provider.address.type();
  const std::string docs_path =
      web::ProviderVersionPath(page.head.name, page.head.version) + "/docs";
  const web::DocQuery wish{.docs_path = docs_path,
                           .page_path = page.path,
                           .type = type,
                           .kind = name.kind,
                           .name = name.name,
                           .filter = question.filter,
                           .group = question.group};
  page.listing = web::ListDocs(EntriesOf(service::IndexDocs(list->list.pages, {}, type)), wish);
  Result<service::MirroredDocPage> found = co_await docs.Page(view.provider, view.shown, name);
  if (found) {
    page.title = found->page.record.title;
    page.is_deprecated = found->page.record.deprecated;
    page.html = markup::Fragment::Kept(std::move(found->page.html));
    page.contents = std::move(found->page.contents);
    co_return Status();
  }
  if (!IsNoDocs(found.error())) co_return Failure(std::move(found).error());
  page.is_missing = name.kind != "overview";
  page.wanted = Printable(name.kind + "/" + name.name, kMostWantedName);
  if (!page.is_missing) co_return Status();
  DocName start{.language = "", .kind = "overview", .name = "index"};
  found = co_await docs.Page(view.provider, view.shown, std::move(start));
  if (found) page.html = markup::Fragment::Kept(std::move(found->page.html));
  co_return Status();
}

Task<http::Response> AnswerMirroredDocs(Call& call, DocName name) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderOfPage(call, call.path("type")));
  ASSIGN_OR_CO_RETURN(DocsQuestion question, ReadDocsQuestion(call));
  ASSIGN_OR_CO_RETURN(std::optional<Version> version, VersionOfPage(call.path("version")));
  ASSIGN_OR_CO_RETURN(MirroredView view,
                      co_await ReadMirroredView(call, std::move(provider), std::move(version)));
  web::ProviderDocsPage page{.head = HeadOf(view)};
  page.head.menu_end = EndOf(name);
  page.filter = question.filter;
  page.is_list_open = question.IsAboutList();
  page.path = web::ProviderVersionPath(page.head.name, page.head.version) + page.head.menu_end;
  CO_RETURN_IF_ERROR(co_await FillMirrored(call, view, name, question, page));
  if (page.html && !page.is_missing) {
    std::string used = UsedTypeOf(name, "", view.provider.address.type());
    CO_RETURN_IF_ERROR(co_await FillUsers(call, std::move(used), page));
  }
  web::PlaceProviderPage(answer.frame, page.head, "");
  std::string html = web::RenderProviderDocs(answer.frame, page);
  const bool is_nothing = !page.html && page.listing.groups.empty() && question.filter.empty();
  if (page.is_missing || is_nothing) co_return co_await answer.SendUnkept(std::move(html), 404);
  co_return co_await answer.SendBriefly(std::move(html));
}

Task<http::Response> ShowMirroredDocs(Call& call) {
  DocName overview{.language = "", .kind = "overview", .name = "index"};
  co_return co_await AnswerMirroredDocs(call, std::move(overview));
}

Task<http::Response> ShowMirroredDoc(Call& call) {
  DocName name = DocNameOf(call, call.path("name"));
  co_return co_await AnswerMirroredDocs(call, std::move(name));
}

Task<http::Response> ShowMirroredDocInLanguage(Call& call) {
  DocName name{.language = std::string(call.path("language")),
               .kind = std::string(call.path("kind")),
               .name = std::string(call.path("name"))};
  co_return co_await AnswerMirroredDocs(call, std::move(name));
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
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs",
                 Access::kBrowse, ResourceScope::kMirror, ShowMirroredDocs,
                 "Show a mirrored provider's documentation", KeptPage),
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}",
                 Access::kBrowse, ResourceScope::kMirror, ShowMirroredDoc,
                 "Show a page of a mirrored provider's documentation", KeptPage),
      Route::Get("/-/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/cdktf/"
                 "{language}/{kind}/{name}",
                 Access::kBrowse, ResourceScope::kMirror, ShowMirroredDocInLanguage,
                 "Show a page of a mirrored provider's documentation for CDKTF", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
