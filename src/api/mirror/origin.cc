#include <algorithm>
#include <set>
#include <utility>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/fetches.h"
#include "api/common/mirror_urls.h"
#include "api/common/package_urls.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "api/mirror/renovate.h"
#include "base/clock.h"
#include "base/text.h"
#include "blobs/blob_store.h"
#include "domain/attachment.h"
#include "domain/release_file.h"
#include "domain/topic.h"
#include "http/server/router.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/package_words.h"
#include "service/mirror/provider_mirror.h"
#include "wire/modules.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

// ---- versions

Task<Rendering> RenderOriginVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  Rendering rendering{.topic = MirrorTopic(provider)};
  ASSIGN_OR_CO_RETURN(service::MirroredVersions list,
                      co_await call.services.mirror.providers.ListVersions(std::move(provider)));
  MarkAge(
      call.services,
      {list.stale, list.checked_at, call.services.mirror.providers.freshness(), list.changes_at},
      rendering);
  rendering.weight = list.document->versions.size();
  rendering.encode = [list = std::move(list)](const Links& /*links*/) {
    wire::ProviderVersions document = *list.document;
    std::ranges::copy(list.notes, std::back_inserter(document.warnings));
    for (wire::ProviderVersion& each : document.versions) {
      if (auto time = list.times.FindTime(each.version)) each.discovered = FormatRfc3339(*time);
    }
    return wire::Encode(document);
  };
  co_return rendering;
}

// ---- download

// As upstream reports them, and more exactly where the bytes are held. Left out unless they are
// complete and no two platforms share a zip: clients fail on the one and may crash on the other.
std::map<std::string, wire::PackageHashes> Hashes(const UpstreamRelease& release) {
  std::map<std::string, wire::PackageHashes> hashes;
  std::set<Digest> seen;
  for (const UpstreamPackage& package : release.packages) {
    if (package.size == 0 || !seen.insert(package.digest).second) return {};
    wire::PackageHashes entry{.hashes = {"zh:" + package.digest.hex()},
                              .package_size = package.size};
    entry.hashes.insert(entry.hashes.end(), package.hashes.begin(), package.hashes.end());
    hashes.emplace(package.platform.ToString(), std::move(entry));
  }
  return hashes;
}

Result<wire::ProviderDownload> DownloadDocument(const Services& services,
                                                const UpstreamRelease& release,
                                                const UpstreamPackage& package) {
  auto url = [&](std::string_view file) { return MirrorFileUrl(services.url, release, file); };
  const ProviderAddress& address = release.provider.address;
  wire::ProviderDownload document{
      .protocols = release.protocols,
      .os = package.platform.os(),
      .arch = package.platform.arch(),
      .filename = package.filename,
      .download_url = url(package.filename),
      .shasums_url = url(SumsFileName(address, release.version)),
      .shasums_signature_url = url(SignatureFileName(address, release.version)),
      .shasum = package.digest.hex(),
      .keys = {},
      .packages = Hashes(release),
      .attachments = ListAttachments(services.url, release)};
  ASSIGN_OR_RETURN(document.keys, wire::DecodeSigningKeys(release.keys));
  return document;
}

Task<Rendering> RenderOriginDownload(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  auto platform = Platform::FromParts(call.path("os"), call.path("arch"));
  if (!platform) co_return Fail(ErrorKind::kNotFound, std::move(platform.error().message));
  Rendering rendering{.topic = MirrorTopic(provider)};
  ASSIGN_OR_CO_RETURN(UpstreamRelease release, co_await call.services.mirror.providers.FindSigned(
                                                   provider, std::move(version), *platform));
  auto package = std::ranges::find(release.packages, *platform, &UpstreamPackage::platform);
  if (package == release.packages.end()) {
    co_return FailNotFound("{} {} has no package for {}", provider.Key(),
                           release.version.ToString(), platform->ToString());
  }
  CO_RETURN_IF_ERROR(service::CheckFitForOrigin(release));
  rendering.options.counted_as = CountedAsMirrored(provider, release.version);
  ASSIGN_OR_CO_RETURN(wire::ProviderDownload document,
                      DownloadDocument(call.services, release, *package));
  rendering.encode = [document = std::move(document)](const Links& links) {
    return wire::EncodeProviderDownload(WithLinks(document, links));
  };
  co_return rendering;
}

Task<http::Response> ListOriginVersions(Call& call) {
  Result<http::Response> reply = co_await CachedDocument(call, "", RenderOriginVersions);
  if (reply || reply.error().kind != ErrorKind::kForbidden) co_return reply;
  // No versions, and the reason where clients print it. Not kept: each refusal is counted.
  wire::ProviderVersions none{.id = "", .versions = {}, .warnings = {reply.error().message}};
  co_return JsonReply(200, wire::Encode(none));
}

Task<http::Response> GetOriginDownload(Call& call) {
  co_return co_await CachedLinks(call, "", RenderOriginDownload);
}

Task<http::Response> GetOriginAttachment(Call& call) {
  const ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  std::string topic = MirrorTopic(provider);
  std::string name(call.path("file"));
  Result<service::ProviderMirror::OpenAttachment> open =
      co_await call.services.mirror.providers.FindAttachment(std::move(provider),
                                                             std::move(version), std::move(name));
  if (!open) co_return KeptArchiveOr(call, std::move(open).error());
  ASSIGN_OR_CO_RETURN(const AttachmentKind kind, ParseAttachmentName(open->attachment.name));
  OpenedArchive archive{std::move(open->blob), open->attachment.digest,
                        std::string(MediaType(kind))};
  co_return co_await KeepArchive(call, ticket, std::move(topic), std::move(archive));
}

// ---- modules

Task<Rendering> RenderOriginModuleVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  Rendering rendering{.topic = MirrorTopic(module)};
  service::ModuleMirror& mirror = call.services.mirror.modules;
  ASSIGN_OR_CO_RETURN(service::MirroredModuleVersions list, co_await mirror.ListVersions(module));
  MarkAge(call.services, {list.stale, list.checked_at, mirror.freshness(), list.changes_at},
          rendering);
  wire::ModuleVersions document{.source = module.address.ToString(),
                                .versions = std::move(list.versions)};
  for (const std::string& version : document.versions) {
    auto time = list.times.FindTime(version);
    if (time) document.discovered.emplace(version, FormatRfc3339(*time));
  }
  rendering.weight = document.versions.size();
  rendering.encode = [document = std::move(document)](const Links& /*links*/) {
    return wire::EncodeModuleVersions(document);
  };
  co_return rendering;
}

Task<Rendering> RenderOriginModuleDownload(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion pinned,
                      co_await call.services.mirror.modules.FindVersion(module, version));
  Rendering rendering = LocationRendering(call, MirroredModuleLocation(call.services.url, pinned),
                                          pinned.size, MirrorTopic(module));
  rendering.options.counted_as = CountedAsMirrored(module, pinned.version);
  co_return rendering;
}

Result<ArchiveKind> KindFromPath(Call& call, const ModuleAddress& address, const Version& version) {
  for (ArchiveKind kind : {ArchiveKind::kTarGz, ArchiveKind::kZip}) {
    if (EqualsIgnoreCase(call.path("file"), ArchiveFileName(address, version, kind))) return kind;
  }
  return FailNotFound("this version's archive has another name");
}

Task<http::Response> ListOriginModuleVersions(Call& call) {
  co_return co_await CachedDocument(call, "", RenderOriginModuleVersions);
}

// Fetches the module when it was never asked for before.
Task<http::Response> GetOriginModuleDownload(Call& call) {
  co_return co_await CachedLinks(call,
                                 LocationVariant(call.request(), call.services.module_location),
                                 RenderOriginModuleDownload);
}

std::optional<http::Response> KeptOriginModuleDownload(const http::Exchange& exchange,
                                                       Services& services) {
  return KeptDocument(exchange, services,
                      LocationVariant(exchange.request, services.module_location));
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

// Other registries under their own protocols, every byte from here. For clients' `host
// "registry.opentofu.org" {}` blocks; and their versions, with this server's own, for updaters.
std::span<const Route> OriginRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/origin/{hostname}/.well-known/terraform.json", Access::kOpen,
                 ResourceScope::kNone, GetOriginDiscovery,
                 "Discover the services of an upstream registry behind this one"),
      Route::Get("/api/v1/renovate/modules/{hostname}/{namespace}/{name}/{system}", Access::kRead,
                 ResourceScope::kListing, GetRenovateModule,
                 "List the versions of a module for Renovate"),
      Route::Get("/api/v1/renovate/providers/{hostname}/{namespace}/{type}", Access::kRead,
                 ResourceScope::kListing, GetRenovateProvider,
                 "List the versions of a provider for Renovate"),
      Route::Get("/origin/{hostname}/v1/providers/{namespace}/{type}/versions", Access::kRead,
                 ResourceScope::kHost, ListOriginVersions,
                 "List the versions of an upstream provider", KeptDocument),
      Route::Get(
          "/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}",
          Access::kRead, ResourceScope::kHost, GetOriginDownload,
          "Get the download URLs of an upstream provider", KeptDocument),
      Route::Get("/origin/{hostname}/v1/providers/{namespace}/{type}/{version}/attachments/{file}",
                 Access::kSignedUrl, ResourceScope::kHost, GetOriginAttachment,
                 "Download an attachment of an upstream provider", KeptArchive),
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
