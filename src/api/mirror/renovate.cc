#include "api/mirror/renovate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/admission.h"
#include "api/common/call.h"
#include "api/common/mirror_urls.h"
#include "api/common/paging.h"
#include "api/common/reply.h"
#include "api/common/repository_url.h"
#include "base/clock.h"
#include "domain/host_name.h"
#include "domain/module_record.h"
#include "domain/provider_record.h"
#include "domain/upstream_record.h"
#include "service/access/namespaces.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/provider_mirror.h"
#include "service/modules/modules.h"
#include "service/providers/providers.h"
#include "wire/discovery.h"
#include "wire/providers.h"
#include "wire/renovate.h"

namespace koya::api {
namespace {

std::string_view BareHost(std::string_view host) { return host.substr(0, host.find(':')); }

// Whether {hostname} is a name of this server, with its port or without.
Result<bool> NamesThisServer(const Call& call) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  if (!host) return Fail(ErrorKind::kNotFound, std::move(host.error().message));
  return std::ranges::any_of(call.services.Names(), [&](const HostName& own) {
    return own == *host || (!host->has_port() && BareHost(own.ascii()) == host->ascii());
  });
}

// Hidden things and ones that do not exist are answered alike.
Failure UnknownPackage() {
  return FailNotFound("no such module or provider here: check the spelling, or sign in");
}

// The newest that is not a prerelease, else the newest.
std::string LatestListed(const std::vector<std::string>& versions) {
  std::optional<Version> latest;
  for (const std::string& text : versions) {
    Result<Version> each = Version::Parse(text);
    if (!each) continue;
    const bool steadier = latest && latest->is_prerelease() && !each->is_prerelease();
    const bool shakier = latest && !latest->is_prerelease() && each->is_prerelease();
    if (!latest || steadier || (!shakier && *latest < *each)) latest = *std::move(each);
  }
  return latest ? latest->ToString() : std::string();
}

// The page with the changes of a version; "" without pages.
std::string ChangesPageUrl(const Services& services, std::string_view path) {
  return services.site.enabled ? fmt::format("{}{}", services.url, path) : std::string();
}

void SetSource(const std::optional<SourceRepository>& source, wire::RenovatePackage& package) {
  package.source_url = UrlOf(source);
  package.source_directory = DirectoryOf(source);
}

wire::RenovatePackage PackageOf(const Services& services,
                                const std::vector<ModuleVersionRecord>& records) {
  wire::RenovatePackage package;
  for (const ModuleVersionRecord& each : records) {
    const std::string version = each.version.ToString();
    const std::optional<SourceRepository> source = SourceOf(each);
    package.releases.push_back(
        {.version = version,
         .release_timestamp = FormatRfc3339(each.published_at),
         .is_deprecated = !each.deprecation.empty(),
         .changelog_url = ChangesPageUrl(
             services, fmt::format("/modules/{}/{}/changes", each.address.ToString(), version)),
         .source_url = UrlOf(source),
         .source_directory = DirectoryOf(source),
         .digest = each.digest.ToString()});
  }
  const ModuleVersionRecord& latest = service::Latest(records);
  SetSource(SourceOf(latest), package);
  package.latest = latest.version.ToString();
  return package;
}

wire::RenovatePackage PackageOf(const Services& services, const ProviderAddress& address,
                                const std::vector<ReleaseSummary>& releases) {
  wire::RenovatePackage package;
  for (const ReleaseSummary& each : releases) {
    const std::string version = each.version.ToString();
    package.releases.push_back(
        {.version = version,
         .release_timestamp = FormatRfc3339(each.published_at),
         .is_deprecated = !each.deprecation.empty(),
         .changelog_url = ChangesPageUrl(
             services, fmt::format("/providers/{}/changes?to={}", address.ToString(), version)),
         .source_url = UrlOf(each.source),
         .source_directory = DirectoryOf(each.source),
         .digest = {}});
  }
  package.latest = service::Latest(releases).version.ToString();
  return package;
}

wire::RenovatePackage MirroredVersionsOf(const std::vector<std::string>& versions,
                                         const ReleaseTimes& times,
                                         const std::optional<SourceRepository>& source) {
  wire::RenovatePackage package;
  SetSource(source, package);
  for (const std::string& version : versions) {
    const std::optional<UnixSeconds> time = times.FindTime(version);
    package.releases.push_back(
        {.version = version, .release_timestamp = time ? FormatRfc3339(*time) : std::string()});
  }
  package.latest = LatestListed(versions);
  return package;
}

Task<wire::RenovatePackage> OwnModule(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, std::string(address.ns())));
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.published.ListVersions(std::move(address)));
  co_return PackageOf(call.services, records);
}

Task<wire::RenovatePackage> MirroredModule(Call& call) {
  CO_RETURN_IF_ERROR(AdmitToMirror(call));
  ASSIGN_OR_CO_RETURN(UpstreamModule module, MirroredModuleFromPath(call));
  ASSIGN_OR_CO_RETURN(service::MirroredModuleVersions list,
                      co_await call.services.mirror.modules.ListVersions(std::move(module)));
  co_return MirroredVersionsOf(list.versions, list.times, list.source);
}

Task<wire::RenovatePackage> OwnProvider(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, call.ProviderFromPath());
  CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, std::string(address.ns())));
  service::Providers& providers = call.services.providers.published;
  ASSIGN_OR_CO_RETURN(std::vector<ReleaseSummary> releases,
                      co_await providers.ListVersions(address));
  wire::RenovatePackage package = PackageOf(call.services, address, releases);
  Version latest = service::Latest(releases).version;
  ASSIGN_OR_CO_RETURN(ProviderRelease release,
                      co_await providers.FindVersion(std::move(address), std::move(latest)));
  SetSource(SourceOf(release), package);
  co_return package;
}

Task<wire::RenovatePackage> MirroredProvider(Call& call) {
  CO_RETURN_IF_ERROR(AdmitToMirror(call));
  ASSIGN_OR_CO_RETURN(UpstreamProvider provider, MirroredProviderFromPath(call));
  ASSIGN_OR_CO_RETURN(service::MirroredVersions list,
                      co_await call.services.mirror.providers.ListVersions(std::move(provider)));
  std::vector<std::string> versions;
  for (const wire::ProviderVersion& each : list.document->versions) {
    versions.push_back(each.version);
  }
  co_return MirroredVersionsOf(versions, list.times, list.source);
}

using FindPackage = Task<wire::RenovatePackage> (*)(Call&);

Task<http::Response> RenovateReply(Call& call, FindPackage find_own, FindPackage find_mirrored) {
  ASSIGN_OR_CO_RETURN(const bool own, NamesThisServer(call));
  Result<wire::RenovatePackage> package = co_await (own ? find_own(call) : find_mirrored(call));
  const bool denied = !package && package.error().kind == ErrorKind::kForbidden;
  if (denied) package = wire::RenovatePackage();  // a policy offers no version of it
  if (!package && own && package.error().kind == ErrorKind::kNotFound) co_return UnknownPackage();
  if (!package) co_return Failure(std::move(package).error());
  co_return PageReply(call, wire::EncodeRenovatePackage(*package));
}

}  // namespace

Task<http::Response> GetRenovateModule(Call& call) {
  co_return co_await RenovateReply(call, OwnModule, MirroredModule);
}

Task<http::Response> GetRenovateProvider(Call& call) {
  co_return co_await RenovateReply(call, OwnProvider, MirroredProvider);
}

Task<http::Response> GetOriginDiscovery(Call& call) {
  Result<HostName> host = HostName::ParseWire(call.path("hostname"));
  if (!host) co_return Fail(ErrorKind::kNotFound, std::move(host.error().message));
  const std::string base = call.services.IsOwn(*host)
                               ? call.services.url
                               : fmt::format("{}/origin/{}", call.services.url, host->ascii());
  co_return JsonReply(200, wire::EncodeDiscovery({{"modules.v1", base + "/v1/modules/"},
                                                  {"providers.v1", base + "/v1/providers/"}}));
}

}  // namespace koya::api
