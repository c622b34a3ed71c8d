#include "api/route_tables.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/request_body.h"
#include "api/common/services.h"
#include "api/mirror/inventory.h"
#include "obs/log.h"
#include "service/mirror/import.h"
#include "service/mirror/inventory.h"

namespace koya::api {
namespace {

// Rejects packages of this server's own name: they would never be served from the mirror.
Status CheckForeign(const Services& services, const HostName& host) {
  if (!services.IsOwn(host)) return {};
  return Fail(ErrorKind::kInvalid,
              fmt::format("{} is this server's own name: publish there, with koya publish; only "
                          "other registries' providers and modules can be imported",
                          host.display()));
}

void LogImported(Call& call, const std::string& what, const Digest& digest, std::uint64_t size) {
  call.services.log.Info("imported into the mirror", {{"request_id", call.request().request_id},
                                                      {"by", call.principal.name},
                                                      {"what", what},
                                                      {"digest", digest.ToString()},
                                                      {"size", size}});
}

Task<http::Response> ImportPackage(Call& call) {
  ASSIGN_OR_CO_RETURN(service::PackageId id, InventoryPackageFromPath(call));
  CO_RETURN_IF_ERROR(CheckForeign(call.services, id.provider.host));
  ASSIGN_OR_CO_RETURN(
      service::ImportedPackage imported,
      co_await call.services.mirror.import.Package(call.principal.actor, id, call.exchange.body));
  const UpstreamPackage& package = imported.package;
  if (imported.created) LogImported(call, id.ToString(), package.digest, package.size);
  wire::InventoryPackage out{.platform = package.platform.ToString(),
                             .filename = package.filename,
                             .digest = package.digest.ToString(),
                             .size = package.size,
                             .hashes = package.hashes,
                             .held = package.held,
                             .used = FormatRfc3339(package.used_at)};
  co_return JsonReply(imported.created ? 201 : 200, wire::EncodeInventoryPackage(out));
}

Task<http::Response> ImportRelease(Call& call) {
  ASSIGN_OR_CO_RETURN(InventoryReleaseId id, InventoryReleaseFromPath(call));
  CO_RETURN_IF_ERROR(CheckForeign(call.services, id.provider.host));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body, kReleaseBody));
  ASSIGN_OR_CO_RETURN(wire::InventoryDocuments documents, wire::DecodeInventoryDocuments(body));
  service::ReleaseDocuments brought{.protocols = std::move(documents.protocols),
                                    .sums = std::move(documents.shasums),
                                    .signature = std::move(documents.signature),
                                    .keys = std::move(documents.keys)};
  ASSIGN_OR_CO_RETURN(
      service::ImportedRelease imported,
      co_await call.services.mirror.import.Release(call.principal.actor, std::move(id.provider),
                                                   std::move(id.version), std::move(brought)));
  const UpstreamRelease& release = imported.release;
  if (imported.created) {
    std::string what =
        fmt::format("{} {} SHA256SUMS", release.provider.Key(), release.version.ToString());
    LogImported(call, what, release.sums->digest, release.sums->size);
  }
  co_return JsonReply(imported.created ? 201 : 200, wire::EncodeInventoryRelease(ToWire(release)));
}

Task<http::Response> ImportModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModuleId id, InventoryModuleFromPath(call));
  CO_RETURN_IF_ERROR(CheckForeign(call.services, id.module.host));
  ASSIGN_OR_CO_RETURN(std::optional<std::string> source,
                      QueryParameter(call.request().query, "source"));
  ASSIGN_OR_CO_RETURN(
      service::ImportedModule imported,
      co_await call.services.mirror.import.Module(
          call.principal.actor, id, std::move(source).value_or(""), call.exchange.body));
  const UpstreamModuleVersion& version = imported.version;
  if (imported.created) LogImported(call, id.ToString(), version.digest, version.size);
  co_return JsonReply(imported.created ? 201 : 200, wire::EncodeInventoryModule(ToWire(version)));
}

}  // namespace

// Bringing bytes of other registries into the mirror.
std::span<const Route> MirrorImportRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Put("/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/release",
                 Access::kAdmin, BodyLimit::kRelease, ImportRelease,
                 "Import a release's documents"),
      Route::Put("/api/v1/mirror/providers/{hostname}/{namespace}/{type}/{version}/{os}/{arch}",
                 Access::kAdmin, BodyLimit::kProviderFile, ImportPackage,
                 "Import a provider's package"),
      Route::Put("/api/v1/mirror/modules/{hostname}/{namespace}/{name}/{system}/{version}",
                 Access::kAdmin, BodyLimit::kModuleArchive, ImportModule,
                 "Import a module version"),
  };
  return kRoutes;
}

}  // namespace koya::api
