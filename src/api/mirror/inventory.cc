#include "api/mirror/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/archives.h"
#include "api/common/audience.h"
#include "api/common/call.h"
#include "api/common/paging.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "obs/log.h"
#include "service/mirror/import.h"
#include "service/mirror/inventory.h"
#include "service/mirror/policies.h"
#include "service/mirror/verdict_listing.h"

namespace koya::api {
namespace {

constexpr std::uint64_t kPage = 100;

// "HOST/NAMESPACE/TYPE@1.0.0", "HOST/NAMESPACE/NAME/SYSTEM@1.0.0": where a page begins.
struct Place {
  HostName host;
  std::string address;
  Version version;
};

Result<std::optional<Place>> ReadPlace(const Call& call) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(call.request().query, "after"));
  if (!text || text->empty()) return std::optional<Place>();
  std::size_t slash = text->find('/');
  std::size_t at = text->rfind('@');
  if (slash == std::string::npos || at == std::string::npos || at < slash) {
    return FailInvalid("\"after\" must be \"next\" of the previous page: HOST/ADDRESS@VERSION");
  }
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(text->substr(0, slash)));
  ASSIGN_OR_RETURN(Version version, Version::Parse(text->substr(at + 1)));
  return Place{std::move(host), text->substr(slash + 1, at - slash - 1), std::move(version)};
}

Result<std::uint64_t> ReadLimit(const Call& call) {
  ASSIGN_OR_RETURN(std::uint64_t limit, QueryNumber(call.request().query, "limit", kPage));
  return std::clamp<std::uint64_t>(limit, 1, kPage);
}

Result<UpstreamProvider> ProviderOf(const Call& call) {
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(call.path("hostname")));
  ASSIGN_OR_RETURN(ProviderAddress address,
                   ProviderAddress::FromParts(call.path("namespace"), call.path("type")));
  return UpstreamProvider{std::move(host), std::move(address)};
}

http::Response Done(Call& call, const std::string& what) {
  call.services.log.Info(
      "mirrored bytes deleted",
      {{"request_id", call.request().request_id}, {"by", call.principal.name}, {"of", what}});
  http::Response reply;
  reply.status = 204;
  return reply;
}

wire::VersionVerdict WireVerdictOf(service::VersionVerdict verdict) {
  return {.verdict = std::string(policy::VerdictName(verdict.verdict)),
          .until = verdict.until ? FormatRfc3339(*verdict.until) : "",
          .rules = std::move(verdict.rules),
          .is_admitted = verdict.is_admitted};
}

// Fills in the verdicts on a page of records, in which those of one subject stand together.
template <class Record, class Subject, class Item>
Task<void> AddVerdicts(const Call& call, const std::vector<Record>& records,
                       Subject Record::* subject, std::vector<Item>& items) {
  for (std::size_t at = 0; at < records.size();) {
    Subject of = records[at].*subject;
    std::vector<Version> versions;
    for (std::size_t i = at; i < records.size() && records[i].*subject == of; ++i) {
      versions.push_back(records[i].version);
    }
    ASSIGN_OR_CO_RETURN(std::vector<service::VersionVerdict> verdicts,
                        co_await service::JudgeVersions(call.services.mirror.context, std::move(of),
                                                        std::move(versions)));
    for (service::VersionVerdict& each : verdicts)
      items[at++].verdict = WireVerdictOf(std::move(each));
  }
  co_return Status();
}

// Everything that is pinned, page by page.
Task<http::Response> ListInventoryReleases(Call& call) {
  ASSIGN_OR_CO_RETURN(std::uint64_t limit, ReadLimit(call));
  ASSIGN_OR_CO_RETURN(std::optional<Place> place, ReadPlace(call));
  std::optional<std::pair<UpstreamProvider, Version>> after;
  if (place) {
    ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderAddress::Parse(place->address));
    after.emplace(UpstreamProvider{place->host, std::move(address)}, place->version);
  }
  ASSIGN_OR_CO_RETURN(
      std::vector<UpstreamRelease> releases,
      co_await call.services.mirror.inventory.ListReleases(std::move(after), limit));
  wire::InventoryReleases page;
  for (const UpstreamRelease& release : releases) page.releases.push_back(ToWire(release));
  CO_RETURN_IF_ERROR(
      co_await AddVerdicts(call, releases, &UpstreamRelease::provider, page.releases));
  if (releases.size() == limit) {
    const UpstreamRelease& last = releases.back();
    page.next = fmt::format("{}@{}", last.provider.Key(), last.version.ToString());
  }
  co_return PageReply(call, wire::Encode(page));
}

Task<http::Response> ListInventoryModules(Call& call) {
  ASSIGN_OR_CO_RETURN(std::uint64_t limit, ReadLimit(call));
  ASSIGN_OR_CO_RETURN(std::optional<Place> place, ReadPlace(call));
  std::optional<std::pair<UpstreamModule, Version>> after;
  if (place) {
    ASSIGN_OR_CO_RETURN(ModuleAddress address, ModuleAddress::Parse(place->address));
    after.emplace(UpstreamModule{place->host, std::move(address)}, place->version);
  }
  ASSIGN_OR_CO_RETURN(std::vector<UpstreamModuleVersion> modules,
                      co_await call.services.mirror.inventory.ListModules(std::move(after), limit));
  wire::InventoryModules page;
  for (const UpstreamModuleVersion& module : modules) page.modules.push_back(ToWire(module));
  CO_RETURN_IF_ERROR(
      co_await AddVerdicts(call, modules, &UpstreamModuleVersion::module, page.modules));
  if (modules.size() == limit) {
    const UpstreamModuleVersion& last = modules.back();
    page.next = fmt::format("{}@{}", last.module.Key(), last.version.ToString());
  }
  co_return PageReply(call, wire::Encode(page));
}

Task<http::Response> GetInventoryDocuments(Call& call) {
  ASSIGN_OR_CO_RETURN(InventoryReleaseId id, InventoryReleaseFromPath(call));
  ASSIGN_OR_CO_RETURN(service::ReleaseDocuments documents,
                      co_await call.services.mirror.inventory.ReadDocuments(std::move(id.provider),
                                                                            std::move(id.version)));
  wire::ReleaseDocuments out{.protocols = std::move(documents.protocols),
                             .shasums = std::move(documents.sums),
                             .signature = std::move(documents.signature),
                             .keys = std::move(documents.keys)};
  co_return JsonReply(200, wire::Encode(out));
}

// Its keys, and the releases that they signed.
Task<http::Response> ListNamespaceSigners(Call& call) {
  ASSIGN_OR_CO_RETURN(MirroredNamespace of, MirroredNamespaceFromPath(call));
  wire::NamespaceSigners out{.hostname = of.host.ascii(), .ns = of.ns, .keys = {}};
  ASSIGN_OR_CO_RETURN(
      std::vector<NamespaceSigner> signers,
      co_await call.services.mirror.policies.ListSigners(std::move(of.host), std::move(of.ns)));
  for (NamespaceSigner& each : signers) {
    wire::NamespaceSigner key{.fingerprint = std::move(each.key),
                              .has_signature = each.is_signed,
                              .is_known = each.is_known,
                              .releases = each.releases,
                              .first_seen = FormatRfc3339(each.first_seen_at),
                              .last_seen = FormatRfc3339(each.last_seen_at),
                              .newest = {}};
    for (const NamespaceSigner::Release& release : each.newest) {
      key.newest.push_back({release.provider.address.type(), release.version.ToString(),
                            FormatRfc3339(release.seen_at)});
    }
    out.keys.push_back(std::move(key));
  }
  co_return JsonRepresentationReply(wire::Encode(out));
}

Task<http::Response> GetInventoryModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModuleId id, InventoryModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(service::Inventory::OpenModule open,
                      co_await call.services.mirror.inventory.OpenModuleArchive(std::move(id)));
  OpenedArchive archive{std::move(open.blob), open.version.digest,
                        std::string(MediaType(open.version.kind))};
  co_return co_await ArchiveReply(call, std::move(archive));
}

// Deletes the bytes; the package stays pinned.
Task<http::Response> ReleaseInventoryPackage(Call& call) {
  ASSIGN_OR_CO_RETURN(service::PackageId id, InventoryPackageFromPath(call));
  CO_RETURN_IF_ERROR(
      co_await call.services.mirror.inventory.ReleasePackage(call.principal.actor, id));
  co_return Done(call, id.ToString());
}

Task<http::Response> ReleaseInventoryModule(Call& call) {
  ASSIGN_OR_CO_RETURN(service::ModuleId id, InventoryModuleFromPath(call));
  CO_RETURN_IF_ERROR(
      co_await call.services.mirror.inventory.ReleaseModule(call.principal.actor, id));
  co_return Done(call, id.ToString());
}

// ---- import

// Rejects packages of this server's own name: they would never be served from the mirror.
Status CheckForeign(const Services& services, const HostName& host) {
  if (!services.IsOwn(host)) return {};
  return FailInvalid(
      "{} is this server's own name: publish there, with koya publish; only "
      "other registries' providers and modules can be imported",
      host.display());
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
  co_return JsonReply(imported.created ? 201 : 200, wire::Encode(out));
}

Task<http::Response> ImportRelease(Call& call) {
  ASSIGN_OR_CO_RETURN(InventoryReleaseId id, InventoryReleaseFromPath(call));
  CO_RETURN_IF_ERROR(CheckForeign(call.services, id.provider.host));
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body, kReleaseBody));
  ASSIGN_OR_CO_RETURN(wire::ReleaseDocuments documents, wire::Decode<wire::ReleaseDocuments>(body));
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
  co_return JsonReply(imported.created ? 201 : 200, wire::Encode(ToWire(release)));
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
  co_return JsonReply(imported.created ? 201 : 200, wire::Encode(ToWire(version)));
}

}  // namespace

// Inventory of the packages of other registries, for administrators.
std::span<const Route> InventoryRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListMirroredReleases, Access::kRead, ResourceScope::kMirror,
                 ListInventoryReleases, "List mirrored providers"),
      Route::For(wire::kGetReleaseDocuments, Access::kRead, ResourceScope::kMirror,
                 GetInventoryDocuments, "Get the author's documents of a mirrored release"),
      Route::For(wire::kListNamespaceSigners, Access::kRead, ResourceScope::kMirror,
                 ListNamespaceSigners, "List the keys that signed a namespace's releases"),
      Route::For(wire::kReleasePackage, Access::kAdmin, BodyLimit::kNone, ReleaseInventoryPackage,
                 "Delete the stored bytes of a mirrored package"),
      Route::For(wire::kListMirroredModules, Access::kRead, ResourceScope::kMirror,
                 ListInventoryModules, "List mirrored modules"),
      Route::For(wire::kGetMirroredModule, Access::kRead, ResourceScope::kMirror,
                 GetInventoryModule, "Download a mirrored module's archive"),
      Route::For(wire::kReleaseModule, Access::kAdmin, BodyLimit::kNone, ReleaseInventoryModule,
                 "Delete the stored bytes of a mirrored module"),
  };
  return kRoutes;
}

Result<MirroredNamespace> MirroredNamespaceFromPath(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  Result<std::string> ns = NormalizeProviderNamespace(call.path("namespace"));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host).error().message);
  if (!ns) return Fail(ErrorKind::kNotFound, std::move(ns).error().message);
  return MirroredNamespace{*std::move(host), *std::move(ns)};
}

Result<InventoryReleaseId> InventoryReleaseFromPath(const Call& call) {
  ASSIGN_OR_RETURN(UpstreamProvider provider, ProviderOf(call));
  ASSIGN_OR_RETURN(Version version, Version::Parse(call.path("version")));
  return InventoryReleaseId{std::move(provider), std::move(version)};
}

Result<service::PackageId> InventoryPackageFromPath(const Call& call) {
  ASSIGN_OR_RETURN(InventoryReleaseId release, InventoryReleaseFromPath(call));
  ASSIGN_OR_RETURN(Platform platform, Platform::FromParts(call.path("os"), call.path("arch")));
  return service::PackageId{std::move(release.provider), std::move(release.version),
                            std::move(platform)};
}

Result<service::ModuleId> InventoryModuleFromPath(const Call& call) {
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(call.path("hostname")));
  ASSIGN_OR_RETURN(
      ModuleAddress address,
      ModuleAddress::FromParts(call.path("namespace"), call.path("name"), call.path("system")));
  ASSIGN_OR_RETURN(Version version, Version::Parse(call.path("version")));
  return service::ModuleId{{std::move(host), std::move(address)}, std::move(version)};
}

wire::InventoryRelease ToWire(const UpstreamRelease& release) {
  wire::InventoryRelease out{.hostname = release.provider.host.ascii(),
                             .ns = release.provider.address.ns(),
                             .type = release.provider.address.type(),
                             .version = release.version.ToString(),
                             .protocols = release.protocols,
                             .has_signature = release.sums && release.signature,
                             .seen = FormatRfc3339(release.seen_at),
                             .packages = {}};
  for (const UpstreamPackage& package : release.packages) {
    out.packages.push_back({.platform = package.platform.ToString(),
                            .filename = package.filename,
                            .digest = package.digest.ToString(),
                            .size = package.size,
                            .hashes = package.hashes,
                            .held = package.held,
                            .used = package.held ? FormatRfc3339(package.used_at) : ""});
  }
  return out;
}

wire::InventoryModule ToWire(const UpstreamModuleVersion& version) {
  return {.hostname = version.module.host.ascii(),
          .ns = version.module.address.ns(),
          .name = version.module.address.name(),
          .system = version.module.address.system(),
          .version = version.version.ToString(),
          .kind = std::string(ArchiveKindName(version.kind)),
          .digest = version.digest.ToString(),
          .size = version.size,
          .source = version.source,
          .held = version.held,
          .seen = FormatRfc3339(version.seen_at),
          .used = version.held ? FormatRfc3339(version.used_at) : ""};
}

// Bringing bytes of other registries into the mirror.
std::span<const Route> MirrorImportRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kImportDocuments, Access::kAdmin, BodyLimit::kRelease, ImportRelease,
                 "Import a release's documents"),
      Route::For(wire::kImportPackage, Access::kAdmin, BodyLimit::kProviderFile, ImportPackage,
                 "Import a provider's package"),
      Route::For(wire::kImportModule, Access::kAdmin, BodyLimit::kModuleArchive, ImportModule,
                 "Import a module version"),
  };
  return kRoutes;
}

}  // namespace koya::api
