#include "service/provider_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/run_task.h"
#include "base/text.h"
#include "domain/release_file.h"

namespace koya::service {
namespace {

std::string VersionsKey(const UpstreamProvider& provider) {
  return "provider-versions:" + provider.Key();
}

Failure NotHere(const UpstreamProvider& provider) {
  return Fail(ErrorKind::kNotFound,
              fmt::format("{} is not mirrored here, and its registry is not one that may be pulled "
                          "from (upstream.hosts)",
                          provider.Key()));
}

// What upstream said, out of our own encoding of it.
Result<MirroredVersions> Decode(const HeldDocument& held, bool stale) {
  ASSIGN_OR_RETURN(wire::ProviderVersions document, wire::DecodeProviderVersions(held.body));
  return MirroredVersions{std::move(document), stale, held.checked_at};
}

bool Offers(const wire::ProviderVersion& offered, const Platform& platform) {
  return std::ranges::any_of(offered.platforms, [&](const wire::PlatformName& each) {
    return each.os == platform.os() && each.arch == platform.arch();
  });
}

}  // namespace

bool ProviderMirror::MayPull(const HostName& host) const {
  return std::ranges::find(options_.hosts, host) != options_.hosts.end();
}

Task<MirroredVersions> ProviderMirror::ListVersions(UpstreamProvider provider) {
  CO_RETURN_IF_ERROR(policy_.Check(provider));
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListOffered(provider));
  co_return co_await AddHeld(std::move(provider), std::move(list));
}

Task<MirroredVersions> ProviderMirror::ListOffered(UpstreamProvider provider) {
  Result<HeldDocument> found = co_await catalog_.FindDocument(VersionsKey(provider));
  if (!found && found.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(std::move(found).error());
  }
  std::optional<HeldDocument> held;
  if (found) held = *std::move(found);
  bool fresh = held && clock_.Now() - held->checked_at < options_.freshness.count();
  if (fresh) co_return Decode(*held, false);
  if (!MayPull(provider.host)) {
    if (held) co_return Decode(*held, false);
    Error why = NotHere(provider).error();
    co_return co_await ListPinned(std::move(provider), std::move(why));
  }
  co_return co_await Refresh(std::move(provider), std::move(held));
}

Task<MirroredVersions> ProviderMirror::Refresh(UpstreamProvider provider,
                                               std::optional<HeldDocument> held) {
  std::function<Result<HeldDocument>()> fetch = [this, provider, held] {
    return FetchVersions(provider, held);
  };
  Result<HeldDocument> fetched = co_await versions_.Do(VersionsKey(provider), std::move(fetch));
  if (fetched) co_return Decode(*fetched, false);
  if (held) {
    log_.Warn("upstream fails; what is held is served",
              {{"provider", provider.Key()},
               {"held_for_s", clock_.Now() - held->checked_at},
               {"detail", fetched.error().message}});
    co_return Decode(*held, true);
  }
  co_return co_await ListPinned(std::move(provider), std::move(fetched).error());
}

// The release with the platforms that can be had of it.
wire::ProviderVersion ProviderMirror::Listed(const UpstreamRelease& release) const {
  wire::ProviderVersion listed{
      .version = release.version.ToString(), .protocols = release.protocols, .platforms = {}};
  for (const UpstreamPackage& package : release.packages) {
    if (!CanServe(release, package)) continue;
    listed.platforms.push_back({package.platform.os(), package.platform.arch()});
  }
  return listed;
}

// Providers whose list was never seen, but of which releases are kept: imported ones, mostly.
Task<MirroredVersions> ProviderMirror::ListPinned(UpstreamProvider provider, Error why) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await catalog_.ListUpstreamVersions(provider));
  MirroredVersions list{.stale = why.kind != ErrorKind::kNotFound};
  for (const Version& version : versions) {
    ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                        co_await catalog_.FindUpstreamRelease(provider, version));
    wire::ProviderVersion listed = Listed(release);
    if (!listed.platforms.empty()) list.document.versions.push_back(std::move(listed));
  }
  if (list.document.versions.empty()) co_return Failure(std::move(why));
  co_return list;
}

// What was imported need not be listed upstream, and what upstream removed stays installable.
Task<MirroredVersions> ProviderMirror::AddHeld(UpstreamProvider provider, MirroredVersions list) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await catalog_.ListUpstreamVersions(provider));
  for (const Version& version : versions) {
    std::string spelled = version.ToString();
    auto& offered = list.document.versions;
    if (std::ranges::find(offered, spelled, &wire::ProviderVersion::version) != offered.end()) {
      continue;
    }
    ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                        co_await catalog_.FindUpstreamRelease(provider, version));
    if (std::ranges::any_of(release.packages, &UpstreamPackage::held)) {
      offered.push_back(Listed(release));
    }
  }
  co_return list;
}

// Blocks. One exchange with upstream, and what is kept of it.
Result<HeldDocument> ProviderMirror::FetchVersions(const UpstreamProvider& provider,
                                                   const std::optional<HeldDocument>& held) {
  // Another flight may have landed since the catalog was asked: upstream is not asked twice.
  Result<HeldDocument> landed = RunTask(catalog_.FindDocument(VersionsKey(provider)));
  if (landed && clock_.Now() - landed->checked_at < options_.freshness.count()) return landed;
  upstream::Validators validators;
  if (held) validators = {held->etag, held->last_modified};
  ASSIGN_OR_RETURN(upstream::FetchedVersions fetched,
                   source_.Versions(provider.host, provider.address, validators));
  UnixSeconds now = clock_.Now();
  if (fetched.unchanged && held) {
    RETURN_IF_ERROR(RunTask(catalog_.ConfirmDocument(held->key, now)));
    HeldDocument confirmed = *held;
    confirmed.checked_at = now;
    return confirmed;
  }
  if (fetched.skipped > 0) {
    log_.Warn("upstream lists versions that no client would take; they are left out",
              {{"provider", provider.Key()}, {"skipped", fetched.skipped}});
  }
  HeldDocument document{.key = VersionsKey(provider),
                        .body = wire::EncodeProviderVersions(fetched.document),
                        .etag = std::move(fetched.validators.etag),
                        .last_modified = std::move(fetched.validators.last_modified),
                        .checked_at = now,
                        .changed_at = now};
  bool changed = !held || held->body != document.body;
  RETURN_IF_ERROR(RunTask(catalog_.PutDocument(document)));
  if (changed) changes_.Announce(MirrorTopic(provider));
  return document;
}

// A release is described platform by platform; any one leads to the sums of all.
Task<Platform> ProviderMirror::ChoosePlatform(UpstreamProvider provider, Version version,
                                              std::optional<Platform> wanted) {
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListVersions(provider));
  std::string spelled = version.ToString();
  auto offered =
      std::ranges::find(list.document.versions, spelled, &wire::ProviderVersion::version);
  if (offered == list.document.versions.end()) {
    co_return Fail(ErrorKind::kNotFound,
                   fmt::format("{} has no version {}", provider.Key(), spelled));
  }
  if (wanted && (offered->platforms.empty() || Offers(*offered, *wanted))) co_return *wanted;
  Platform usual = *Platform::Parse("linux_amd64");
  if (offered->platforms.empty() || Offers(*offered, usual)) co_return usual;
  for (const wire::PlatformName& each : offered->platforms) {
    Result<Platform> platform = Platform::FromParts(each.os, each.arch);
    if (platform) co_return platform;
  }
  co_return Fail(ErrorKind::kNotFound,
                 fmt::format("{} {} is for no platform that is known", provider.Key(), spelled));
}

Task<UpstreamRelease> ProviderMirror::FindRelease(UpstreamProvider provider, Version version,
                                                  std::optional<Platform> wanted) {
  CO_RETURN_IF_ERROR(policy_.Check(provider));
  Result<UpstreamRelease> pinned = co_await catalog_.FindUpstreamRelease(provider, version);
  if (pinned || pinned.error().kind != ErrorKind::kNotFound) co_return pinned;
  if (!MayPull(provider.host)) co_return NotHere(provider);
  ASSIGN_OR_CO_RETURN(Platform platform, co_await ChoosePlatform(provider, version, wanted));
  std::string key = fmt::format("{}@{}", provider.Key(), version.ToString());
  std::function<Result<UpstreamRelease>()> fetch = [this, provider, version,
                                                    platform]() -> Result<UpstreamRelease> {
    // Another flight may have landed since the catalog was asked: upstream is not asked twice.
    Result<UpstreamRelease> landed = RunTask(catalog_.FindUpstreamRelease(provider, version));
    if (landed) return landed;
    return fetch_.FetchRelease(provider, version, platform);
  };
  co_return co_await releases_.Do(std::move(key), std::move(fetch));
}

Task<MirroredFile> ProviderMirror::Open(UpstreamProvider provider, Version version,
                                        std::string file) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await FindRelease(provider, version, std::nullopt));
  const ProviderAddress& address = provider.address;
  if (release.sums && file == SumsFileName(address, version)) {
    co_return co_await OpenDocument(release.sums->digest);
  }
  if (release.signature && file == SignatureFileName(address, version)) {
    co_return co_await OpenDocument(release.signature->digest);
  }
  auto package = std::ranges::find(release.packages, file, &UpstreamPackage::filename);
  if (package == release.packages.end()) {
    co_return Fail(ErrorKind::kNotFound, fmt::format("{} {} has no file \"{}\"", provider.Key(),
                                                     version.ToString(), Printable(file)));
  }
  UpstreamPackage chosen = *package;
  co_return co_await OpenPackage(std::move(release), std::move(chosen));
}

Task<MirroredFile> ProviderMirror::OpenDocument(Digest digest) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<Blob> blob, co_await blobs_.Open(digest));
  co_return MirroredFile{digest, std::move(blob), nullptr};
}

Task<MirroredFile> ProviderMirror::OpenPackage(UpstreamRelease release, UpstreamPackage package) {
  if (package.held) {
    Result<std::shared_ptr<Blob>> blob = co_await blobs_.Open(package.digest);
    if (blob) {
      CO_RETURN_IF_ERROR(co_await catalog_.TouchHeld(package.digest, clock_.Now()));
      co_return MirroredFile{package.digest, *std::move(blob), nullptr};
    }
    // It was removed behind our back; the same bytes can be fetched again.
    if (blob.error().kind != ErrorKind::kNotFound) {
      co_return std::unexpected(std::move(blob).error());
    }
  }
  if (!MayPull(release.provider.host)) co_return NotHere(release.provider);
  co_return MirroredFile{package.digest, nullptr, fetch_.FetchPackage(release, package)};
}

}  // namespace koya::service
