// Docs of other registries' providers.
#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/mirror_urls.h"
#include "api/common/route.h"
#include "api/providers/provider_documents.h"
#include "domain/provider_docs_record.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "service/mirror/docs_mirror.h"
#include "service/providers/provider_docs.h"
#include "wire/provider_docs.h"

namespace koya::api {
namespace {

constexpr std::size_t kBytesOfDoc = 128;  // of HTML, to weigh it as records are

struct DocsOf {
  UpstreamProvider provider;
  Version version;
};

Result<DocsOf> DocsFromPath(const Call& call) {
  ASSIGN_OR_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  ASSIGN_OR_RETURN(Version version, call.VersionFromPath());
  if (!call.services.IsOwn(provider.host)) return DocsOf{std::move(provider), std::move(version)};
  return FailNotFound(
      "{} is this registry itself: find the docs of its "
      "providers below /api/v1/providers/{}/{}/docs",
      provider.host.display(), provider.address.ToString(), version.ToString());
}

void MarkDocsAge(const Call& call, const service::DocsAge& age, Rendering& rendering) {
  MarkAge(call.services, {age.stale, age.checked_at, age.freshness}, rendering);
}

Task<Rendering> RenderMirroredDocs(Call& call) {
  ASSIGN_OR_CO_RETURN(DocsOf docs, DocsFromPath(call));
  Rendering rendering{.topic = service::DocsMirror::Topic(docs.provider, docs.version)};
  ASSIGN_OR_CO_RETURN(
      service::MirroredDocList found,
      co_await call.services.mirror.docs.List(std::move(docs.provider), std::move(docs.version)));
  MarkDocsAge(call, found.age, rendering);
  rendering.weight = 1 + found.list.pages.size();
  wire::DocList list = DocListOf(std::move(found.list));
  rendering.encode = [list = std::move(list)](const Links& /*links*/) {
    return wire::Encode(list);
  };
  co_return rendering;
}

Task<Rendering> RenderMirroredDocPage(Call& call) {
  ASSIGN_OR_CO_RETURN(DocsOf docs, DocsFromPath(call));
  ASSIGN_OR_CO_RETURN(std::string language, ReadDocLanguage(call.request()));
  Rendering rendering{.topic = service::DocsMirror::Topic(docs.provider, docs.version)};
  DocName name{.language = std::move(language),
               .kind = std::string(call.path("kind")),
               .name = std::string(call.path("name"))};
  ASSIGN_OR_CO_RETURN(service::MirroredDocPage found,
                      co_await call.services.mirror.docs.Page(
                          std::move(docs.provider), std::move(docs.version), std::move(name)));
  MarkDocsAge(call, found.age, rendering);
  rendering.weight = 1 + found.page.html.size() / kBytesOfDoc;
  rendering.encode = [page = DocPageOf(std::move(found.page))](const Links& /*links*/) {
    return wire::EncodeDocPage(page, "");
  };
  co_return rendering;
}

Task<http::Response> ListMirroredProviderDocs(Call& call) {
  co_return co_await CachedDocument(call, "", RenderMirroredDocs);
}

// KeptProviderDoc finds its cached page, as it finds pages of providers that are published here.
Task<http::Response> GetMirroredProviderDoc(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string language, ReadDocLanguage(call.request()));
  co_return co_await CachedDocument(call, language, RenderMirroredDocPage);
}

}  // namespace

// Docs of other registries' providers.
std::span<const Route> MirrorDocsRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListMirroredDocs, Access::kRead, ResourceScope::kMirror,
                 ListMirroredProviderDocs, "List the documentation pages of a mirrored provider",
                 KeptDocument),
      Route::Get(
          "/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/docs/{kind}/{name}",
          Access::kRead, ResourceScope::kMirror, GetMirroredProviderDoc,
          "Get a documentation page of a mirrored provider", KeptProviderDoc),
  };
  return kRoutes;
}

}  // namespace koya::api
