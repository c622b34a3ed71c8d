#include "api/common/mirror_urls.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "api/common/module_urls.h"
#include "domain/host_name.h"
#include "domain/provider_address.h"
#include "domain/upstream_record.h"
#include "http/server/message.h"
#include "http/url.h"

namespace koya::api {
namespace {

// While upstream fails it is asked again after so long at the soonest, whatever is asked here.
constexpr std::int64_t kStaleSeconds = 5;

}  // namespace

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
