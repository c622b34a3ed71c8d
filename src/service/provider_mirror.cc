#include "service/provider_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/run_task.h"
#include "base/text.h"
#include "domain/release_file.h"

namespace koya::service {
namespace {

constexpr unsigned kRetryAfter = 15;  // seconds

std::string VersionsKey(const UpstreamProvider& provider) {
  return "provider-versions:" + provider.Key();
}

Failure NotHere(const UpstreamProvider& provider) {
  return Fail(ErrorKind::kNotFound,
              fmt::format("{} is not mirrored here, and its registry is not one that may be pulled "
                          "from (upstream.hosts)",
                          provider.Key()));
}

Result<MirroredVersions> Decode(const HeldList& list) {
  ASSIGN_OR_RETURN(wire::ProviderVersions document, wire::DecodeProviderVersions(list.body));
  return MirroredVersions{std::move(document), list.stale, list.checked_at};
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
  Result<HeldList> list = Fail(ErrorKind::kNotFound, "");
  if (MayPull(provider.host)) {
    ListRequest request{.key = VersionsKey(provider),
                        .topic = MirrorTopic(provider),
                        .name = provider.Key(),
                        .fetch = [this, provider](const upstream::Validators& held) {
                          return FetchVersions(provider, held);
                        }};
    list = co_await lists_.Read(std::move(request));
  } else {
    list = co_await lists_.ReadHeld(VersionsKey(provider));
    if (!list && list.error().kind == ErrorKind::kNotFound) list = NotHere(provider);
  }
  if (list) co_return Decode(*list);
  co_return co_await ListPinned(std::move(provider), std::move(list).error());
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

// Blocks.
Result<FetchedList> ProviderMirror::FetchVersions(const UpstreamProvider& provider,
                                                  const upstream::Validators& held) {
  ASSIGN_OR_RETURN(upstream::FetchedVersions fetched,
                   source_.Versions(provider.host, provider.address, held, {}));
  if (fetched.skipped > 0) {
    log_.Warn("upstream lists versions that no client would take; they are left out",
              {{"provider", provider.Key()}, {"skipped", fetched.skipped}});
  }
  return FetchedList{.unchanged = fetched.unchanged,
                     .body = wire::EncodeProviderVersions(fetched.document),
                     .validators = std::move(fetched.validators)};
}

// A release is described platform by platform; any one leads to the sums of all.
Task<Platform> ProviderMirror::ChoosePlatform(UpstreamProvider provider, Version version,
                                              std::optional<Platform> wanted, Time deadline) {
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListBy(provider, deadline));
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
  CO_RETURN_IF_ERROR(context_.policy.CheckHost(provider.host, provider.Key()));
  ASSIGN_OR_CO_RETURN(Platform platform,
                      co_await ChoosePlatform(provider, version, std::move(wanted), deadline));
  ReleaseWish wish{std::move(provider), std::move(version), std::move(platform), PinMode::kFirst};
  co_return co_await fetch_.FetchRelease(std::move(wish), ended, deadline);
}

// Whoever imported the release may have had its zips only. Nobody is kept from what is here when
// its registry cannot be asked, or says otherwise: then it stays without documents.
Task<UpstreamRelease> ProviderMirror::FindSigned(UpstreamProvider provider, Version version,
                                                 Platform wanted) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release, co_await FindRelease(provider, version, wanted));
  if (release.signature || !MayPull(provider.host)) co_return release;
  std::string key = fmt::format("{}@{} documents", provider.Key(), version.ToString());
  std::function<Result<UpstreamRelease>()> fetch = [this, provider, version, wanted] {
    return fetch_.FetchRelease(provider, version, wanted, PinMode::kComplete);
  };
  Result<UpstreamRelease> fetched = co_await releases_.Do(std::move(key), std::move(fetch));
  if (fetched) co_return fetched;
  log_.Failure("an imported release stays without its author's documents", fetched.error());
  co_return release;
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
  co_return MirroredFile{digest, std::move(blob)};
}

Task<MirroredFile> ProviderMirror::OpenPackage(UpstreamRelease release, UpstreamPackage package) {
  if (package.held) {
    Result<std::shared_ptr<Blob>> blob = co_await blobs_.Open(package.digest);
    if (blob) {
      UnixSeconds now = clock_.Now();
      Status noted = co_await catalog_.TouchHeld(package.digest, now);
      uses_.Settle(noted, now);
      co_return MirroredFile{package.digest, *std::move(blob), nullptr};
    }
    // It was removed behind our back; the same bytes can be fetched again.
    if (blob.error().kind != ErrorKind::kNotFound) {
      co_return std::unexpected(std::move(blob).error());
    }
  }
  if (!MayPull(release.provider.host)) co_return NotHere(release.provider);
  std::shared_ptr<Fill> fill = fetch_.FetchPackage(release, package);
  Error late{ErrorKind::kUnavailable,
             fmt::format("{} of {} is still on its way from its registry; ask again in {} seconds",
                         package.filename, release.provider.Key(), kRetryAfter),
             {}};
  late.retry_after = kRetryAfter;
  auto deadline = std::chrono::steady_clock::now() + options_.patience;
  ASSIGN_OR_CO_RETURN(Fill::Opened opened, co_await fill->Open(deadline, std::move(late)));
  co_return MirroredFile{opened.digest, std::move(opened.blob)};
}

}  // namespace koya::service
