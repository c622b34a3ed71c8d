#include "cli/api/inventory_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace koya::cli {
namespace {

constexpr std::string_view kProviders = "/api/v1/mirror/providers";
constexpr std::string_view kModules = "/api/v1/mirror/modules";

std::string Path(std::string_view base, std::initializer_list<std::string_view> parts) {
  std::string path(base);
  for (std::string_view part : parts) path += "/" + http::PercentEncode(part);
  return path;
}

std::string ReleasePath(const MirroredRelease& release) {
  return Path(kProviders, {release.host.ascii(), release.address.ns(), release.address.type(),
                           release.version.ToString()});
}

std::string PackagePath(const MirroredRelease& release, const Platform& platform) {
  return Path(ReleasePath(release), {platform.os(), platform.arch()});
}

std::string ModulePath(const MirroredModule& module) {
  return Path(kModules, {module.host.ascii(), module.address.ns(), module.address.name(),
                         module.address.system(), module.version.ToString()});
}

// Every page of a list, as one. Ends even when a server's pages go in circles.
template <class Page, class Item>
Result<std::vector<Item>> EveryPage(ApiClient& api, std::string_view path,
                                    Result<Page> (*decode)(std::string_view),
                                    std::vector<Item> Page::* items) {
  constexpr std::size_t kMostItems = 5'000'000;
  std::vector<Item> all;
  std::string after;
  while (true) {
    ASSIGN_OR_RETURN(std::string body,
                     api.Get(fmt::format("{}?after={}", path, http::PercentEncode(after))));
    ASSIGN_OR_RETURN(Page page, decode(body));
    for (Item& item : page.*items) all.push_back(std::move(item));
    bool more = !page.next.empty() && page.next != after && all.size() < kMostItems;
    if (!more) return all;
    after = std::move(page.next);
  }
}

// Something large may have to be read, or fetched again, before the server answers.
constexpr std::chrono::milliseconds kLong = std::chrono::minutes(30);

// Appends "/" and each of the parts that `text` has between separators.
void AppendParts(std::string& path, std::string_view text, char separator) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find(separator), text.size());
    path += "/" + http::PercentEncode(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string CheckPath(const wire::StoredArtifact& thing) {
  std::string path = thing.hostname.empty() ? "/api/v1" : "/api/v1/mirror";
  path += thing.kind == "module" ? "/modules" : "/providers";
  if (!thing.hostname.empty()) path += "/" + http::PercentEncode(thing.hostname);
  AppendParts(path, thing.address, '/');
  path += "/" + http::PercentEncode(thing.version);
  AppendParts(path, thing.platform, '_');
  if (thing.kind == "docs" || thing.kind == "schema") path += "/" + thing.kind;
  return path + "/verify";
}

}  // namespace

std::string MirroredRelease::ToString() const {
  return fmt::format("{}/{} {}", host.display(), address.ToString(), version.ToString());
}

std::string MirroredModule::ToString() const {
  return fmt::format("{}/{} {}", host.display(), address.ToString(), version.ToString());
}

Result<MirroredRelease> ParseInventory(const wire::InventoryRelease& release) {
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(release.hostname));
  ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::FromParts(release.ns, release.type));
  ASSIGN_OR_RETURN(Version version, Version::Parse(release.version));
  return MirroredRelease{std::move(host), std::move(address), std::move(version)};
}

Result<MirroredModule> ParseInventory(const wire::InventoryModule& module) {
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(module.hostname));
  ASSIGN_OR_RETURN(ModuleAddress address,
                   ModuleAddress::FromParts(module.ns, module.name, module.system));
  ASSIGN_OR_RETURN(Version version, Version::Parse(module.version));
  return MirroredModule{std::move(host), std::move(address), std::move(version)};
}

Status InventoryClient::RequireRightsToAll() {
  // A question that only they may ask who may import. One page is little to a server.
  RETURN_IF_ERROR(api_.Get("/api/v1/verify?of=mirror"));
  return {};
}

Result<std::vector<wire::InventoryRelease>> InventoryClient::ListReleases() {
  return EveryPage(api_, kProviders, wire::Decode<wire::InventoryReleases>,
                   &wire::InventoryReleases::releases);
}

Result<std::vector<wire::InventoryModule>> InventoryClient::ListModules() {
  return EveryPage(api_, kModules, wire::Decode<wire::InventoryModules>,
                   &wire::InventoryModules::modules);
}

Result<bool> InventoryClient::Put(const std::string& path, http::ClientRequest request) {
  request.method = "PUT";
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Call(std::move(request), path));
  return response.status == 201;
}

Result<bool> InventoryClient::ImportPackage(const MirroredRelease& release,
                                            const Platform& platform, http::FileUpload upload) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/zip");
  request.upload = std::move(upload);
  return Put(PackagePath(release, platform), std::move(request));
}

Result<bool> InventoryClient::ImportDocuments(const MirroredRelease& release,
                                              const wire::InventoryDocuments& documents) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::EncodeInventoryDocuments(documents);
  return Put(ReleasePath(release) + "/release", std::move(request));
}

Result<bool> InventoryClient::ImportModule(const MirroredModule& module, const std::string& source,
                                           http::FileUpload upload) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", "application/octet-stream");
  request.upload = std::move(upload);
  return Put(ModulePath(module) + "?source=" + http::PercentEncode(source), std::move(request));
}

Result<wire::InventoryDocuments> InventoryClient::GetDocuments(const MirroredRelease& release) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(ReleasePath(release) + "/release"));
  return wire::DecodeInventoryDocuments(body);
}

Status InventoryClient::Download(const std::string& path, ByteSink sink) {
  http::ClientRequest request;
  request.max_body = std::numeric_limits<std::int64_t>::max();
  request.sink = std::move(sink);
  RETURN_IF_ERROR(api_.Call(std::move(request), path));
  return {};
}

Status InventoryClient::DownloadPackage(const MirroredRelease& release, const std::string& filename,
                                        ByteSink sink) {
  return Download(Path("/mirror", {release.host.ascii(), release.address.ns(),
                                   release.address.type(), release.version.ToString(), filename}),
                  std::move(sink));
}

Status InventoryClient::DownloadModule(const MirroredModule& module, ByteSink sink) {
  return Download(ModulePath(module), std::move(sink));
}

Status InventoryClient::ReleasePackage(const MirroredRelease& release, const Platform& platform) {
  RETURN_IF_ERROR(api_.Send("DELETE", PackagePath(release, platform)));
  return {};
}

Status InventoryClient::ReleaseModule(const MirroredModule& module) {
  RETURN_IF_ERROR(api_.Send("DELETE", ModulePath(module)));
  return {};
}

Result<wire::ArtifactList> VerifyClient::List(const std::string& after, std::string_view of) {
  std::string path = "/api/v1/verify?after=" + http::PercentEncode(after);
  if (!of.empty()) path += fmt::format("&of={}", of);
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::Decode<wire::ArtifactList>(body);
}

Result<wire::CheckOutcome> VerifyClient::Check(const wire::StoredArtifact& thing,
                                               const wire::VerifyRequest& wish) {
  http::ClientRequest request;
  request.method = "POST";
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::Encode(wish);
  request.total_timeout = kLong;
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Call(std::move(request), CheckPath(thing)));
  return wire::Decode<wire::CheckOutcome>(response.body);
}

}  // namespace koya::cli
