#include "api/mirror_urls.h"

#include <fmt/format.h>

#include <utility>

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

std::string MirrorFileUrl(std::string_view base_url, const UpstreamRelease& release,
                          std::string_view file) {
  const UpstreamProvider& provider = release.provider;
  return fmt::format("{}/mirror/{}/{}/{}/{}/{}", base_url, EncodeQueryValue(provider.host.ascii()),
                     EncodeQueryValue(provider.address.ns()),
                     EncodeQueryValue(provider.address.type()),
                     EncodeQueryValue(release.version.ToString()), EncodeQueryValue(file));
}

void MarkAge(const Services& services, const service::MirroredVersions& list,
             http::DocumentOptions& options) {
  if (list.stale) {
    options.fresh_until = services.clock.Now() + kStaleSeconds;
    options.fields.emplace_back("Warning", "110 koya \"Response is Stale\"");
  } else if (list.checked_at != 0) {
    options.fresh_until = list.checked_at + services.mirror->freshness().count();
  }
}

}  // namespace koya::api
