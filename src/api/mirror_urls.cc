#include "api/mirror_urls.h"

#include <fmt/format.h>

#include <utility>

#include "api/module_urls.h"
#include "api/query.h"

namespace koya::api {
namespace {

// While upstream fails it is asked again after so long at the soonest, whatever is asked here.
constexpr std::int64_t kStaleSeconds = 5;

}  // namespace

Result<UpstreamProvider> MirroredProviderFromPath(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.parameter(0));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host.error().message));
  auto address = ProviderAddress::FromParts(call.parameter(1), call.parameter(2));
  if (!address) return Fail(ErrorKind::kNotFound, std::move(address.error().message));
  return UpstreamProvider{*std::move(host), *std::move(address)};
}

Result<UpstreamModule> MirroredModuleFromPath(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.parameter(0));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host.error().message));
  auto address = ModuleAddress::FromParts(call.parameter(1), call.parameter(2), call.parameter(3));
  if (!address) return Fail(ErrorKind::kNotFound, std::move(address.error().message));
  return UpstreamModule{*std::move(host), *std::move(address)};
}

std::string MirroredModuleLocation(std::string_view base_url,
                                   const UpstreamModuleVersion& version) {
  const ModuleAddress& address = version.module.address;
  return fmt::format(
      "{}/origin/{}/v1/modules/{}/{}/{}?checksum={}", base_url,
      EncodeQueryValue(version.module.host.ascii()), address.ToString(), version.version.ToString(),
      ArchiveFileName(address, version.version, version.kind), version.digest.ToString());
}

std::string MirrorFileUrl(std::string_view base_url, const UpstreamRelease& release,
                          std::string_view file) {
  const UpstreamProvider& provider = release.provider;
  return fmt::format("{}/mirror/{}/{}/{}/{}/{}", base_url, EncodeQueryValue(provider.host.ascii()),
                     EncodeQueryValue(provider.address.ns()),
                     EncodeQueryValue(provider.address.type()),
                     EncodeQueryValue(release.version.ToString()), EncodeQueryValue(file));
}

void MarkAge(const Services& services, const ListAge& age, http::DocumentOptions& options) {
  if (age.stale) {
    options.fresh_until = services.clock.Now() + kStaleSeconds;
    options.fields.emplace_back("Warning", "110 koya \"Response is Stale\"");
  } else if (age.checked_at != 0) {
    options.fresh_until = age.checked_at + age.freshness.count();
  }
}

}  // namespace koya::api
