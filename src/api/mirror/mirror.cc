#include "api/common/route.h"

#include <utility>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/fetches.h"
#include "api/common/mirror_urls.h"
#include "api/common/package_urls.h"
#include "api/common/reply.h"
#include "blobs/blob_store.h"
#include "domain/topic.h"
#include "service/mirror/provider_mirror.h"
#include "service/providers/providers.h"
#include "wire/mirror.h"

namespace koya::api {
namespace {

constexpr std::string_view kJson = ".json";

// ---- index.json

std::string EncodeIndex(const std::vector<std::string>& versions) {
  return wire::EncodeMirrorIndex(versions);
}

Task<Rendering> RenderOwnIndex(Call& call, ProviderAddress address) {
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await call.services.providers.published.ListVersions(std::move(address)));
  std::vector<std::string> versions;
  versions.reserve(releases.size());
  for (const ReleaseSummary& release : releases) versions.push_back(release.version.ToString());
  rendering.weight = versions.size();
  rendering.encode = [versions = std::move(versions)](const Links& /*links*/) {
    return EncodeIndex(versions);
  };
  co_return rendering;
}

Task<Rendering> RenderIndex(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  if (call.services.IsOwn(provider.host)) {
    co_return co_await RenderOwnIndex(call, std::move(provider.address));
  }
  Rendering rendering{.topic = MirrorTopic(provider)};
  ASSIGN_OR_CO_RETURN(service::MirroredVersions list,
                      co_await call.services.mirror.providers.ListVersions(std::move(provider)));
  MarkAge(
      call.services,
      {list.stale, list.checked_at, call.services.mirror.providers.freshness(), list.changes_at},
      rendering);
  std::vector<std::string> versions;
  for (const wire::ProviderVersion& version : list.document->versions) {
    versions.push_back(version.version);
  }
  rendering.weight = versions.size();
  rendering.encode = [versions = std::move(versions)](const Links& /*links*/) {
    return EncodeIndex(versions);
  };
  co_return rendering;
}

// ---- VERSION.json

std::string EncodeMirrorVersion(wire::MirrorVersion document, const Links& links) {
  for (auto& [platform, archive] : document.archives) archive.url = links(std::move(archive.url));
  return wire::EncodeMirrorVersion(document);
}

Task<Rendering> RenderOwnVersion(Call& call, ProviderAddress address, Version version) {
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await call.services.providers.published.FindVersion(std::move(address),
                                                                             std::move(version)));
  wire::MirrorVersion document;
  for (const ProviderPackage& package : release.packages) {
    wire::MirrorArchive archive{ReleaseFileUrl(call.services.url, release, package.filename),
                                package.h1};
    archive.hashes.push_back("zh:" + package.digest.hex());
    document.archives.emplace(package.platform.ToString(), std::move(archive));
  }
  rendering.options.counted_as = CountedAs(release.address, release.version);
  rendering.encode = [document = std::move(document)](const Links& links) {
    return EncodeMirrorVersion(document, links);
  };
  co_return rendering;
}

Task<Rendering> RenderMirrorVersion(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  std::string_view file = call.path("file");
  auto version = Version::ParseLookup(file.substr(0, file.size() - kJson.size()));
  if (!version) co_return Fail(ErrorKind::kNotFound, std::move(version.error().message));
  if (call.services.IsOwn(provider.host)) {
    co_return co_await RenderOwnVersion(call, std::move(provider.address), *std::move(version));
  }
  Rendering rendering{.topic = MirrorTopic(provider)};
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await call.services.mirror.providers.FindRelease(
                          std::move(provider), *std::move(version), std::nullopt));
  wire::MirrorVersion document;
  for (const UpstreamPackage& package : release.packages) {
    // A platform that is listed and cannot be had would keep clients from their other sources.
    if (!call.services.mirror.providers.CanServe(release, package)) continue;
    wire::MirrorArchive archive{MirrorFileUrl(call.services.url, release, package.filename),
                                package.hashes};
    archive.hashes.push_back("zh:" + package.digest.hex());
    document.archives.emplace(package.platform.ToString(), std::move(archive));
  }
  // Without archives one document is like another, and kept once for all.
  if (!document.archives.empty()) {
    rendering.options.counted_as = CountedAsMirrored(release.provider, release.version);
  }
  rendering.encode = [document = std::move(document)](const Links& links) {
    return EncodeMirrorVersion(document, links);
  };
  co_return rendering;
}

// Unknown, withdrawn and denied look alike, and leave the field to a client's other sources.
bool IsAbsence(const Error& error) {
  return error.kind == ErrorKind::kNotFound || error.kind == ErrorKind::kGone ||
         error.kind == ErrorKind::kForbidden;
}

// VERSION.json is never 404: clients would give up on their other sources.
Task<http::Response> GetMirrorDocument(Call& call) {
  std::string_view file = call.path("file");
  if (!file.ends_with(kJson)) {
    co_return FailNotFound("a mirror has only index.json and VERSION.json here");
  }
  if (file == "index.json") {
    Result<http::Response> reply = co_await CachedDocument(call, "", RenderIndex);
    if (!reply && reply.error().kind == ErrorKind::kForbidden) {
      co_return Fail(ErrorKind::kNotFound, std::move(reply.error().message));
    }
    co_return reply;
  }
  Result<http::Response> reply = co_await CachedLinks(call, "", RenderMirrorVersion);
  if (reply || !IsAbsence(reply.error())) co_return reply;
  http::Response none = JsonReply(200, wire::EncodeMirrorVersion({}));
  none.log_detail = reply.error().message;
  co_return none;
}

Task<http::Response> GetAbsentMirrorDocument(Call& call) {
  std::string_view file = call.path("file");
  if (file.ends_with(kJson) && file != "index.json") {
    co_return JsonReply(200, wire::EncodeMirrorVersion({}));
  }
  co_return FailNotFound("no such provider here");
}

Task<http::Response> GetMirrorFile(Call& call) {
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  std::string file(call.path("file"));
  ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  if (call.services.IsOwn(provider.host)) {
    ASSIGN_OR_CO_RETURN(
        service::OpenReleaseFile open,
        co_await call.services.providers.published.OpenFile(provider.address, version, file));
    OpenedArchive archive{std::move(open.blob), open.digest, ReleaseMediaType(file)};
    if (IsPackage(file)) archive.counted_as = CountedAs(provider.address, version);
    co_return co_await ArchiveReply(call, std::move(archive));
  }
  Result<service::MirroredFile> open =
      co_await call.services.mirror.providers.OpenFile(provider, version, file);
  if (!open) co_return KeptArchiveOr(call, std::move(open).error());
  const std::uint64_t size = open->blob->size();
  OpenedArchive archive{std::move(open->blob), open->digest, ReleaseMediaType(file)};
  // Of packages alone it is noted that they are in use.
  if (!IsPackage(file)) {
    co_return co_await KeepArchive(call, ticket, MirrorTopic(provider), std::move(archive));
  }
  archive.counted_as = CountedAsMirrored(provider, version, size);
  co_return co_await KeepMirroredArchive(call, ticket, MirrorTopic(provider), std::move(archive));
}

}  // namespace

// The provider network mirror. This server's own providers and, pulled through, other registries'.
std::span<const Route> MirrorRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/mirror/{hostname}/{namespace}/{type}/{file}", Access::kRead,
                 ResourceScope::kHost, GetMirrorDocument,
                 "Get a document of the provider network mirror", KeptDocument,
                 GetAbsentMirrorDocument),
      Route::Get("/mirror/{hostname}/{namespace}/{type}/{version}/{file}", Access::kSignedUrl,
                 ResourceScope::kHost, GetMirrorFile, "Download a mirrored file", KeptArchive),
  };
  return kRoutes;
}

}  // namespace koya::api
