#include "api/common/route.h"

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/fetches.h"
#include "api/common/package_urls.h"
#include "base/clock.h"
#include "base/text.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/modules/modules.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

std::string EncodeVersions(const std::vector<ModuleVersionRecord>& records) {
  wire::ModuleVersions document;
  document.source = records.front().address.ToString();
  document.versions.reserve(records.size());
  for (const auto& record : records) {
    std::string version = record.version.ToString();
    document.discovered.emplace(version, FormatRfc3339(record.published_at));
    document.versions.push_back(std::move(version));
  }
  return wire::EncodeModuleVersions(document);
}

Task<Rendering> RenderModuleVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  Rendering rendering{.topic = ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.published.ListVersions(std::move(address)));
  rendering.weight = records.size();
  rendering.encode = [records = std::move(records)](const Links& /*links*/) {
    return EncodeVersions(records);
  };
  co_return rendering;
}

Task<ModuleVersionRecord> FindFromPath(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  co_return co_await call.services.modules.published.FindVersion(std::move(address),
                                                                 std::move(version));
}

Task<Rendering> RenderModuleDownload(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record, co_await FindFromPath(call));
  Rendering rendering = LocationRendering(call, ArchiveLocation(call.services.url, record),
                                          record.size, ModuleTopic(record.address));
  rendering.options.counted_as = CountedAs(record.address, record.version);
  co_return rendering;
}

Task<http::Response> ListModuleVersions(Call& call) {
  co_return co_await CachedDocument(call, "", RenderModuleVersions);
}

// 200 with {"location"} for OpenTofu and clients that accept JSON, 204 for all others;
// X-Terraform-Get in both.
Task<http::Response> GetModuleDownload(Call& call) {
  co_return co_await CachedLinks(
      call, LocationVariant(call.request(), call.services.module_location), RenderModuleDownload);
}

std::optional<http::Response> KeptModuleDownload(const http::Exchange& exchange,
                                                 Services& services) {
  return KeptDocument(exchange, services,
                      LocationVariant(exchange.request, services.module_location));
}

Task<http::Response> GetModuleArchive(Call& call) {
  ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(
      service::OpenArchive open,
      co_await call.services.modules.published.OpenVersion(std::move(address), std::move(version)));
  const ModuleVersionRecord& record = open.record;
  if (!EqualsIgnoreCase(call.path("file"),
                        ArchiveFileName(record.address, record.version, record.kind))) {
    co_return FailNotFound("this version's archive has another name");
  }
  OpenedArchive archive{std::move(open.blob), record.digest, std::string(MediaType(record.kind)),
                        CountedAs(record.address, record.version)};
  co_return co_await KeepArchive(call, ticket, ModuleTopic(record.address), std::move(archive));
}

}  // namespace

// The module registry protocol, and the archives it points at.
std::span<const Route> ModuleRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/v1/modules/{namespace}/{name}/{system}/versions", Access::kRead,
                 ResourceScope::kNamespace, ListModuleVersions, "List all versions of a module",
                 KeptDocument),
      Route::Get("/v1/modules/{namespace}/{name}/{system}/{version}/download", Access::kRead,
                 ResourceScope::kNamespace, GetModuleDownload,
                 "Get the download URL of a module version", KeptModuleDownload),
      Route::Get("/download/modules/{namespace}/{name}/{system}/{version}/{file}",
                 Access::kSignedUrl, ResourceScope::kNamespace, GetModuleArchive,
                 "Download a module's archive", KeptArchive),
  };
  return kRoutes;
}

}  // namespace koya::api
