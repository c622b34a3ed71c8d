#include "api/route_tables.h"

#include <utility>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/fetches.h"
#include "api/common/links.h"
#include "api/common/mirror_urls.h"
#include "api/common/mirrored_fetches.h"
#include "api/common/module_location.h"
#include "api/common/module_urls.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/mirror/module_mirror.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

Task<Rendering> RenderOriginModuleVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  Rendering rendering{.topic = MirrorTopic(module)};
  service::ModuleMirror& mirror = call.services.mirror.modules;
  ASSIGN_OR_CO_RETURN(service::MirroredModuleVersions list, co_await mirror.ListVersions(module));
  MarkAge(call.services, {list.stale, list.checked_at, mirror.freshness()}, rendering);
  wire::ModuleVersions document{.source = module.address.ToString(),
                                .versions = std::move(list.versions)};
  rendering.weight = document.versions.size();
  rendering.encode = [document = std::move(document)](const Links& /*links*/) {
    return wire::EncodeModuleVersions(document);
  };
  co_return rendering;
}

Task<Rendering> RenderOriginModuleDownload(Call& call, std::string_view variant) {
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion pinned,
                      co_await call.services.mirror.modules.FindVersion(module, version));
  Rendering rendering = LocationRendering(
      variant, MirroredModuleLocation(call.services.url, pinned), MirrorTopic(module));
  rendering.options.counted_as = CountedAsMirrored(module, pinned.version);
  co_return rendering;
}

Task<Rendering> RenderOriginModuleDownloadJson(Call& call) {
  co_return co_await RenderOriginModuleDownload(call, kLocationInJson);
}

Task<Rendering> RenderOriginModuleDownloadField(Call& call) {
  co_return co_await RenderOriginModuleDownload(call, kLocationInField);
}

Result<ArchiveKind> KindFromPath(Call& call, const ModuleAddress& address, const Version& version) {
  for (ArchiveKind kind : {ArchiveKind::kTarGz, ArchiveKind::kZip}) {
    if (EqualsIgnoreCase(call.path("file"), ArchiveFileName(address, version, kind))) return kind;
  }
  return Fail(ErrorKind::kNotFound, "this version's archive has another name");
}

Task<http::Response> ListOriginModuleVersions(Call& call) {
  co_return co_await CachedDocument(call, "", RenderOriginModuleVersions);
}

// Fetches the module when it was never asked for before.
Task<http::Response> GetOriginModuleDownload(Call& call) {
  std::string_view variant = LocationVariant(call.request());
  Preparation prepare =
      variant == kLocationInJson ? RenderOriginModuleDownloadJson : RenderOriginModuleDownloadField;
  co_return co_await CachedLinks(call, variant, prepare);
}

std::optional<http::Response> KeptOriginModuleDownload(const http::Exchange& exchange,
                                                       Services& services) {
  return KeptDocument(exchange, services, LocationVariant(exchange.request));
}

Task<http::Response> GetOriginModuleArchive(Call& call) {
  ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(ArchiveKind kind, KindFromPath(call, module.address, version));
  Result<service::OpenMirroredModule> open =
      co_await call.services.mirror.modules.OpenArchive(module, std::move(version), kind);
  if (!open) co_return KeptArchiveOr(call, std::move(open).error());
  auto counted_as = CountedAsMirrored(module, open->record.version, open->blob->size());
  OpenedArchive archive{std::move(open->blob), open->record.digest,
                        std::string(MediaType(open->record.kind)), std::move(counted_as)};
  co_return co_await KeepMirroredArchive(call, ticket, MirrorTopic(module), std::move(archive));
}

}  // namespace

std::span<const Route> OriginModuleRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/versions",
                 Access::kRead, ResourceScope::kHost, ListOriginModuleVersions,
                 "List the versions of an upstream module", KeptDocument),
      Route::Get("/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/download",
                 Access::kRead, ResourceScope::kHost, GetOriginModuleDownload,
                 "Get the download URL of an upstream module", KeptOriginModuleDownload),
      Route::Get("/origin/{hostname}/v1/modules/{namespace}/{name}/{system}/{version}/{file}",
                 Access::kSignedUrl, ResourceScope::kHost, GetOriginModuleArchive,
                 "Download a mirrored module's archive", KeptArchive),
  };
  return kRoutes;
}

}  // namespace koya::api
