#include "api/providers/mirror_page_data.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/mirror_urls.h"
#include "api/common/page_answer.h"
#include "api/providers/provider_page_data.h"
#include "service/mirror/context.h"
#include "service/mirror/docs_mirror.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/mirror/provider_mirror.h"
#include "service/mirror/pull_policy.h"
#include "service/mirror/verdict_listing.h"
#include "web/common/page_frame.h"
#include "web/mirror/mirror_pages.h"
#include "web/providers/provider_pages.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

using web::PlatformState;

constexpr std::string_view kContentsHash = "h1:";

const Version& NewestOf(const std::vector<MirroredVersion>& versions) {
  auto release = std::ranges::find_if(
      versions, [](const MirroredVersion& each) { return !each.version.is_prerelease(); });
  return release == versions.end() ? versions.front().version : release->version;
}

// What its registry wrote, as far as it can be read.
std::vector<MirroredVersion> ReadListed(const wire::ProviderVersions& document) {
  std::vector<MirroredVersion> versions;
  versions.reserve(document.versions.size());
  for (const wire::ProviderVersion& each : document.versions) {
    Result<Version> version = Version::Parse(each.version);
    if (!version) continue;
    MirroredVersion listed{*std::move(version), {}};
    for (const wire::PlatformName& name : each.platforms) {
      Result<Platform> platform = Platform::FromParts(name.os, name.arch);
      if (platform) listed.platforms.push_back(*std::move(platform));
    }
    std::ranges::sort(listed.platforms);
    versions.push_back(std::move(listed));
  }
  std::ranges::sort(versions, std::ranges::greater(), &MirroredVersion::version);
  return versions;
}

std::vector<Version> VersionsOf(const MirroredView& view) {
  std::vector<Version> versions;
  versions.reserve(view.versions.size());
  for (const MirroredVersion& each : view.versions) versions.push_back(each.version);
  return versions;
}

web::ShownRelease ShownOf(const MirroredView& view, const Version& version) {
  return {.version = version.ToString(),
          .published_at = 0,
          .is_latest = version == view.latest,
          .is_deprecated = false};
}

// For a pinned release, which packages are here; for others, which ones its registry offers.
PlatformState StateOf(const MirroredVersion& version, const UpstreamRelease* release,
                      const Platform& platform) {
  if (release != nullptr) {
    auto package = std::ranges::find(release->packages, platform, &UpstreamPackage::platform);
    if (package == release->packages.end()) return PlatformState::kNotBuilt;
    return package->held ? PlatformState::kHere : PlatformState::kElsewhere;
  }
  const bool offered = std::ranges::binary_search(version.platforms, platform);
  return offered ? PlatformState::kElsewhere : PlatformState::kNotBuilt;
}

// A version of the matrix, and its pinned release.
struct MatrixLine {
  const MirroredVersion* version;
  std::optional<UpstreamRelease> release;
};

Task<std::optional<UpstreamRelease>> FindPinned(Call& call, UpstreamProvider provider,
                                                Version version) {
  Result<UpstreamRelease> found =
      co_await call.services.mirror.inventory.FindRelease(std::move(provider), std::move(version));
  if (found) co_return std::optional(*std::move(found));
  if (found.error().kind == ErrorKind::kNotFound) co_return std::optional<UpstreamRelease>();
  co_return Failure(std::move(found).error());
}

void AddMatrix(const MirroredView& view, const std::vector<MatrixLine>& lines,
               web::ProviderPage& page) {
  std::set<Platform> platforms;
  for (const MatrixLine& line : lines) {
    platforms.insert(line.version->platforms.begin(), line.version->platforms.end());
    if (!line.release) continue;
    for (const UpstreamPackage& package : line.release->packages) {
      platforms.insert(package.platform);
    }
  }
  std::vector<Platform> columns;
  for (const Platform& platform : platforms) {
    if (columns.size() == web::ProviderPage::kMostColumns) break;
    columns.push_back(platform);
    page.platforms.push_back(platform.ToString());
  }
  page.more_platforms = platforms.size() - columns.size();
  for (const MatrixLine& line : lines) {
    web::MatrixRow row{.release = ShownOf(view, line.version->version), .states = {}};
    if (line.release) row.release.published_at = line.release->seen_at;
    const UpstreamRelease* release = line.release ? &*line.release : nullptr;
    for (const Platform& column : columns) {
      row.states.push_back(StateOf(*line.version, release, column));
    }
    page.rows.push_back(std::move(row));
  }
}

void AddPackages(const UpstreamRelease& release, web::ProviderPage& page) {
  for (const UpstreamPackage& package : release.packages) {
    web::ShownPackage shown{.platform = package.platform.ToString(),
                            .size = package.size,
                            .h1 = {},
                            .sha256 = package.digest.hex(),
                            .is_here = package.held};
    std::ranges::copy_if(package.hashes, std::back_inserter(shown.h1),
                         [](const std::string& hash) { return hash.starts_with(kContentsHash); });
    page.packages.push_back(std::move(shown));
  }
}

// With several keys, the one that signed is unknown here.
std::optional<web::ShownKey> KeyOf(const UpstreamRelease& release) {
  if (release.keys.empty()) return std::nullopt;
  Result<std::vector<wire::SigningKey>> keys = wire::DecodeSigningKeys(release.keys);
  if (!keys || keys->size() != 1) return std::nullopt;
  web::ShownKey key;
  key.record.key_id = keys->front().key_id;
  return key;
}

// Where the page of a provider is; "": it has none.
std::string PagePathOf(const UpstreamSummary& summary, bool is_module) {
  const std::size_t slash = summary.address.find('/');
  if (is_module || slash == std::string::npos) return {};
  return web::ProviderPath(web::ProviderName{summary.host.ascii(), summary.address.substr(0, slash),
                                             summary.address.substr(slash + 1)});
}

}  // namespace

Task<web::MirrorHead> ReadMirrorHead(Call& call) {
  const MirrorServices& mirror = call.services.mirror;
  ASSIGN_OR_CO_RETURN(UpstreamCounts counts, co_await mirror.inventory.Counts());
  const auto policy = co_await mirror.context.gate.ReadPolicy();
  // A stored policy that cannot be read leaves those of the settings.
  if (!policy && policy.error().kind != ErrorKind::kInternal) co_return Failure(policy.error());
  co_return web::MirrorHead{
      .providers = counts.providers,
      .modules = counts.modules,
      .packages = counts.providers + counts.modules,
      .upstreams = mirror.policy.hosts().size(),
      .rules = policy ? (*policy)->policy.rules().size() : mirror.policy.Rules().size()};
}

web::PageFrame& PlaceMirrorPage(PageAnswer& answer, const Call& call, std::string path) {
  answer.frame.current = web::Section::kMirror;
  if (call.visibility == Visibility::kPublic) answer.frame.canonical = std::move(path);
  return answer.frame;
}

web::ShownVerdict VerdictOf(const service::PullVerdict& verdict, bool may_pull) {
  using Kind = service::PullVerdict::Kind;
  switch (verdict.kind) {
    case Kind::kDenied:
      return web::ShownVerdict::kDenied;
    case Kind::kNotListed:
      return web::ShownVerdict::kNotListed;
    case Kind::kAllowed:
      break;
  }
  return may_pull ? web::ShownVerdict::kAllowed : web::ShownVerdict::kStoredOnly;
}

UnixSeconds FreshSince(const Call& call) {
  return call.services.clock.Now() - call.services.mirror.providers.freshness().count() + 1;
}

web::MirrorRow MirrorRowOf(const service::VerdictSummary& judged, bool is_module,
                           UnixSeconds fresh_since) {
  const UpstreamSummary& summary = judged.summary;
  return {.host = summary.host.display(),
          .address = summary.address,
          .path = PagePathOf(summary, is_module),
          .verdict = VerdictOf(judged.verdict.policy, judged.verdict.may_pull),
          .rule = judged.verdict.policy.rule,
          .versions = summary.versions,
          .held = summary.held,
          .held_bytes = summary.held_bytes,
          .last_version = summary.last_version,
          .last_seen_at = summary.last_seen_at,
          .checked_at = summary.checked_at,
          .is_fresh = summary.checked_at != 0 && summary.checked_at >= fresh_since};
}

Result<UpstreamProvider> MirroredProviderOfPage(const Call& call, std::string_view type) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host).error().message);
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderOfPage(call, type));
  return UpstreamProvider{*std::move(host), std::move(address)};
}

Task<MirroredView> ReadMirroredView(Call& call, UpstreamProvider provider,
                                    std::optional<Version> version) {
  ASSIGN_OR_CO_RETURN(service::MirroredVersions list,
                      co_await call.services.mirror.providers.ListKept(provider));
  std::vector<MirroredVersion> versions = ReadListed(*list.document);
  const auto is_shown = [&version](const MirroredVersion& each) {
    return version && each.version == *version;
  };
  if (versions.empty() || (version && std::ranges::none_of(versions, is_shown))) {
    co_return FailNotFound("this version isn't known here");
  }
  Version latest = NewestOf(versions);
  Version shown = version.value_or(latest);
  ASSIGN_OR_CO_RETURN(std::optional<UpstreamRelease> release,
                      co_await FindPinned(call, provider, shown));
  std::vector<Version> one{shown};
  ASSIGN_OR_CO_RETURN(ShownHolds holds, co_await FindHolds(call, provider, std::move(one)));
  co_return MirroredView{std::move(provider),
                         std::move(versions),
                         std::move(latest),
                         std::move(shown),
                         std::move(release),
                         list.checked_at,
                         call.services.mirror.docs.on(),
                         std::move(holds.front())};
}

web::ProviderHead HeadOf(const MirroredView& view) {
  web::ProviderHead head{.name = {.host = view.provider.host.display(),
                                  .ns = view.provider.address.ns(),
                                  .type = view.provider.address.type()},
                         .version = view.shown.ToString(),
                         .latest = view.latest.ToString(),
                         .is_prerelease = view.shown.is_prerelease(),
                         .versions = view.versions.size(),
                         .hold = view.hold};
  constexpr std::size_t kMostOfMenu = 8;
  for (std::size_t place : FewOf(VersionsOf(view), view.shown, kMostOfMenu)) {
    head.menu.push_back(ShownOf(view, view.versions[place].version));
  }
  if (view.has_docs) head.docs = 0;
  if (view.release) {
    head.published_at = view.release->seen_at;
    head.protocols = view.release->protocols;
    if (view.release->signature) head.signature = web::ShownSignature::kUpstream;
  } else {
    head.signature = web::ShownSignature::kUnknown;
  }
  return head;
}

Task<web::ProviderPage> OverviewOf(Call& call, const MirroredView& view) {
  web::ProviderPage page{
      .head = HeadOf(view),
      .source = view.provider.host.display() + "/" + view.provider.address.ToString(),
      .constraint = ConstraintFor(view.shown, view.shown == view.latest),
      .now = call.services.clock.Now()};
  std::vector<MatrixLine> lines;
  for (std::size_t place : FewOf(VersionsOf(view), view.shown, web::ProviderPage::kMostRows)) {
    const MirroredVersion& version = view.versions[place];
    ASSIGN_OR_CO_RETURN(std::optional<UpstreamRelease> release,
                        co_await FindPinned(call, view.provider, version.version));
    lines.push_back({&version, std::move(release)});
  }
  AddMatrix(view, lines, page);
  if (view.release) {
    AddPackages(*view.release, page);
    page.key = KeyOf(*view.release);
    const Links links = Links::For(call);
    for (wire::Attachment& each : ListAttachments(call.services.url, *view.release)) {
      page.attachments.push_back({std::move(each.name), links(std::move(each.url)), each.size});
    }
  }
  co_return page;
}

}  // namespace koya::api
