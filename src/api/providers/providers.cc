#include "api/common/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/common/archives.h"
#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/fetches.h"
#include "api/common/package_urls.h"
#include "api/providers/attachments.h"
#include "base/text.h"
#include "domain/release_file.h"
#include "domain/signing_key_record.h"
#include "domain/topic.h"
#include "service/providers/providers.h"
#include "service/providers/signing_keys.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

// ---- versions

constexpr std::size_t kMostWarnings = 20;
constexpr std::size_t kMostNamed = 10;  // versions in one warning

// Clients print every warning at each init, whichever version they take: versions that share a
// message share a line, so that a long history of deprecations does not flood the output.
std::vector<std::string> Warnings(const ProviderAddress& address,
                                  const std::vector<ReleaseSummary>& releases) {
  std::vector<std::string> messages;  // in order of the newest version
  std::map<std::string, std::vector<std::string>> versions;
  for (const ReleaseSummary& release : releases) {
    if (release.deprecation.empty()) continue;
    auto [entry, first] = versions.try_emplace(release.deprecation);
    if (first) messages.push_back(release.deprecation);
    entry->second.push_back(release.version.ToString());
  }
  std::vector<std::string> warnings;
  for (const std::string& message : messages) {
    if (warnings.size() == kMostWarnings) {
      warnings.push_back(fmt::format("more versions of {} are deprecated: koya show provider {}",
                                     address.ToString(), address.ToString()));
      break;
    }
    const std::vector<std::string>& named = versions[message];
    warnings.push_back(fmt::format("{} {} {} deprecated: {}", address.ToString(),
                                   Listed(named, kMostNamed), named.size() == 1 ? "is" : "are",
                                   message));
  }
  return warnings;
}

std::string EncodeVersions(const ProviderAddress& address,
                           const std::vector<ReleaseSummary>& releases) {
  wire::ProviderVersions document{
      .id = address.ToString(), .versions = {}, .warnings = Warnings(address, releases)};
  document.versions.reserve(releases.size());
  for (const ReleaseSummary& release : releases) {
    wire::ProviderVersion version{.version = release.version.ToString(),
                                  .protocols = release.protocols,
                                  .platforms = {},
                                  .discovered = FormatRfc3339(release.published_at)};
    for (const Platform& platform : release.platforms) {
      version.platforms.push_back({platform.os(), platform.arch()});
    }
    document.versions.push_back(std::move(version));
  }
  return wire::Encode(document);
}

Task<Rendering> RenderProviderVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await call.services.providers.published.ListVersions(address));
  for (const ReleaseSummary& release : releases)
    rendering.weight += 1 + release.platforms.size() / 4;
  rendering.encode = [address = std::move(address), releases = std::move(releases)](
                         const Links& /*links*/) { return EncodeVersions(address, releases); };
  co_return rendering;
}

// ---- download

// What lets a client lock every platform at once. A client that finds one digest under two
// platforms may crash (wire facts §3.6): then nothing is said.
std::map<std::string, wire::PackageHashes> Hashes(const ProviderRelease& release) {
  std::map<std::string, wire::PackageHashes> hashes;
  std::set<Digest> seen;
  for (const ProviderPackage& package : release.packages) {
    if (!seen.insert(package.digest).second) return {};
    wire::PackageHashes entry{.hashes = {"zh:" + package.digest.hex()},
                              .package_size = package.size};
    entry.hashes.insert(entry.hashes.end(), package.h1.begin(), package.h1.end());
    hashes.emplace(package.platform.ToString(), std::move(entry));
  }
  return hashes;
}

wire::ProviderDownload DownloadDocument(const Services& services, const ProviderRelease& release,
                                        const ProviderPackage& package,
                                        const SigningKeyRecord& key) {
  auto url = [&](std::string_view file) { return ReleaseFileUrl(services.url, release, file); };
  return {.protocols = release.protocols,
          .os = package.platform.os(),
          .arch = package.platform.arch(),
          .filename = package.filename,
          .download_url = url(package.filename),
          .shasums_url = url(SumsFileName(release.address, release.version)),
          .shasums_signature_url = url(SignatureFileName(release.address, release.version)),
          .shasum = package.digest.hex(),
          .keys = {{.key_id = key.key_id,
                    .ascii_armor = key.armor,
                    .trust_signature = "",
                    .source = key.ns,
                    .source_url = ""}},
          .packages = Hashes(release)};
}

Failure NoPackage(const ProviderRelease& release, std::string_view os, std::string_view arch) {
  std::string have;
  for (const ProviderPackage& package : release.packages) {
    have += (have.empty() ? "" : ", ") + package.platform.ToString();
  }
  return FailNotFound("{} {} has no package for {}_{}; available: {}", release.address.ToString(),
                      release.version.ToString(), Printable(os, 40), Printable(arch, 40), have);
}

Task<Rendering> RenderProviderDownload(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  Rendering rendering{.topic = ProviderTopic(address)};
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await call.services.providers.published.FindVersion(std::move(address),
                                                                             std::move(version)));
  std::string_view os = call.path("os");
  std::string_view arch = call.path("arch");
  auto package = std::ranges::find_if(release.packages, [&](const ProviderPackage& each) {
    return each.platform.os() == os && each.platform.arch() == arch;
  });
  if (package == release.packages.end()) co_return NoPackage(release, os, arch);
  ASSIGN_OR_CO_RETURN(SigningKeyRecord key, co_await call.services.providers.signing_keys.FindKey(
                                                release.address.ns(), release.key_fingerprint));
  rendering.options.counted_as = CountedAs(release.address, release.version);
  wire::ProviderDownload document = DownloadDocument(call.services, release, *package, key);
  ASSIGN_OR_CO_RETURN(document.attachments,
                      co_await ListAttachments(call, {release.address, release.version}));
  rendering.encode = [document = std::move(document)](const Links& links) {
    return wire::EncodeProviderDownload(WithLinks(document, links));
  };
  co_return rendering;
}

Task<http::Response> ListProviderVersions(Call& call) {
  co_return co_await CachedDocument(call, "", RenderProviderVersions);
}

Task<http::Response> GetProviderDownload(Call& call) {
  co_return co_await CachedLinks(call, "", RenderProviderDownload);
}

Task<http::Response> GetProviderFile(Call& call) {
  ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  std::string file(call.path("file"));
  ASSIGN_OR_CO_RETURN(service::OpenReleaseFile open,
                      co_await call.services.providers.published.OpenFile(address, version, file));
  OpenedArchive archive{std::move(open.blob), open.digest, ReleaseMediaType(file)};
  if (IsPackage(file)) archive.counted_as = CountedAs(address, version);
  co_return co_await KeepArchive(call, ticket, ProviderTopic(address), std::move(archive));
}

}  // namespace

// The provider registry protocol, and the files it points at.
std::span<const Route> ProviderRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/v1/providers/{namespace}/{type}/versions", Access::kRead,
                 ResourceScope::kNamespace, ListProviderVersions, "List all versions of a provider",
                 KeptDocument),
      Route::Get("/v1/providers/{namespace}/{type}/{version}/download/{os}/{arch}", Access::kRead,
                 ResourceScope::kNamespace, GetProviderDownload,
                 "Get a platform's download URLs, checksum and signing keys", KeptDocument),
      Route::Get("/download/providers/{namespace}/{type}/{version}/{file}", Access::kSignedUrl,
                 ResourceScope::kNamespace, GetProviderFile, "Download a file of a release",
                 KeptArchive),
  };
  return kRoutes;
}

}  // namespace koya::api
