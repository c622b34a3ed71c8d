#include "api/common/mirror_urls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/package_urls.h"
#include "domain/host_name.h"
#include "domain/provider_address.h"
#include "domain/upstream_record.h"
#include "domain/version.h"
#include "http/server/message.h"
#include "http/url.h"
#include "service/mirror/context.h"
#include "service/mirror/verdict_listing.h"
#include "web/common/view.h"
#include "web/mirror/mirror_pages.h"

namespace koya::api {
namespace {

// While upstream fails it is asked again after so long at the soonest, whatever is asked here.
constexpr std::int64_t kStaleSeconds = 5;

template <class Subject>
Task<ShownHolds> FindHoldsOf(Call& call, Subject subject, std::vector<Version> versions) {
  const std::string key = subject.Key();
  ShownHolds holds(versions.size());
  std::vector<std::string> texts;
  for (const Version& each : versions) texts.push_back(each.ToString());
  ASSIGN_OR_CO_RETURN(std::vector<service::VersionVerdict> verdicts,
                      co_await service::JudgeVersions(call.services.mirror.context,
                                                      std::move(subject), std::move(versions)));
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (verdicts[i].verdict < policy::Verdict::kHold) continue;
    holds[i] = web::ShownHold{.is_refused = verdicts[i].verdict == policy::Verdict::kRefuse,
                              .until = verdicts[i].until.value_or(0),
                              .path = web::MirrorExplainPath(key, texts[i])};
  }
  co_return holds;
}

template <class Subject, class Address>
Task<std::optional<web::ShownHold>> FindHoldOf(Call& call, std::string address,
                                               std::string version) {
  const std::size_t slash = std::min(address.find('/'), address.size());
  Result<HostName> host = HostName::ParseWire(std::string_view(address).substr(0, slash));
  Result<Address> parsed = Address::Parse(std::string_view(address).substr(slash + 1));
  Result<Version> of = Version::Parse(version);
  if (!host || !parsed || !of) co_return std::optional<web::ShownHold>();
  std::vector<Version> one{*std::move(of)};
  Subject subject{*std::move(host), *std::move(parsed)};
  ASSIGN_OR_CO_RETURN(ShownHolds holds,
                      co_await FindHoldsOf(call, std::move(subject), std::move(one)));
  co_return std::move(holds.front());
}

}  // namespace

Task<ShownHolds> FindHolds(Call& call, UpstreamProvider provider, std::vector<Version> versions) {
  return FindHoldsOf(call, std::move(provider), std::move(versions));
}

Task<std::optional<web::ShownHold>> FindHold(Call& call, bool is_module, std::string address,
                                             std::string version) {
  return is_module ? FindHoldOf<UpstreamModule, ModuleAddress>(call, std::move(address),
                                                               std::move(version))
                   : FindHoldOf<UpstreamProvider, ProviderAddress>(call, std::move(address),
                                                                   std::move(version));
}

Result<UpstreamProvider> MirroredProviderFromPath(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host.error().message));
  auto address = ProviderAddress::FromParts(call.path("namespace"), call.path("type"));
  if (!address) return Fail(ErrorKind::kNotFound, std::move(address.error().message));
  return UpstreamProvider{*std::move(host), *std::move(address)};
}

Result<UpstreamModule> MirroredModuleFromPath(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host.error().message));
  auto address =
      ModuleAddress::FromParts(call.path("namespace"), call.path("name"), call.path("system"));
  if (!address) return Fail(ErrorKind::kNotFound, std::move(address.error().message));
  return UpstreamModule{*std::move(host), *std::move(address)};
}

std::string MirroredModuleLocation(std::string_view base_url,
                                   const UpstreamModuleVersion& version) {
  const ModuleAddress& address = version.module.address;
  return fmt::format("{}/origin/{}/v1/modules/{}/{}/{}?checksum={}", base_url,
                     http::PercentEncode(version.module.host.ascii()), address.ToString(),
                     version.version.ToString(),
                     ArchiveFileName(address, version.version, version.kind),
                     version.digest.ToString());
}

std::string MirrorFileUrl(std::string_view base_url, const UpstreamRelease& release,
                          std::string_view file) {
  const UpstreamProvider& provider = release.provider;
  return fmt::format(
      "{}/mirror/{}/{}/{}/{}/{}", base_url, http::PercentEncode(provider.host.ascii()),
      http::PercentEncode(provider.address.ns()), http::PercentEncode(provider.address.type()),
      http::PercentEncode(release.version.ToString()), http::PercentEncode(file));
}

std::vector<wire::Attachment> ListAttachments(std::string_view base_url,
                                              const UpstreamRelease& release) {
  const UpstreamProvider& provider = release.provider;
  std::vector<wire::Attachment> list;
  list.reserve(release.attachments.size());
  for (const auto& [file, platform] : release.attachments) {
    list.push_back({.name = file.name,
                    .url = fmt::format("{}/origin/{}/v1/providers/{}/{}/{}/attachments/{}",
                                       base_url, http::PercentEncode(provider.host.ascii()),
                                       http::PercentEncode(provider.address.ns()),
                                       http::PercentEncode(provider.address.type()),
                                       http::PercentEncode(release.version.ToString()),
                                       http::PercentEncode(file.name)),
                    .sha256 = file.digest.hex(),
                    .size = file.size});
  }
  return list;
}

void MarkAge(const Services& services, const ListAge& age, Rendering& rendering) {
  http::DocumentOptions& options = rendering.options;
  rendering.stale = age.stale;
  if (age.stale) {
    options.fresh_until = services.clock.Now() + kStaleSeconds;
    options.fields.emplace_back("Warning", "110 koya \"Response is Stale\"");
  } else if (age.checked_at != 0) {
    options.fresh_until = age.checked_at + age.freshness.count();
  }
  if (age.changes_at && (options.fresh_until == 0 || *age.changes_at < options.fresh_until)) {
    options.fresh_until = *age.changes_at;
  }
}

}  // namespace koya::api
