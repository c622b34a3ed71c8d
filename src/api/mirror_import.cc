#include "api/handlers.h"

#include <fmt/format.h>

#include <utility>

#include "api/inventory.h"
#include "api/query.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "service/mirror/import.h"

namespace koya::api {
namespace {

// What is published here is not mirrored: it would never be served.
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

}  // namespace

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

}  // namespace koya::api
