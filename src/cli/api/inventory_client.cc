#include "cli/api/inventory_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace koya::cli {
namespace {

// Every page of a list, as one. Ends even when a server's pages go in circles.
template <class Page, class Item>
Result<std::vector<Item>> EveryPage(ApiClient& api, const wire::Endpoint<void, Page>& endpoint,
                                    std::vector<Item> Page::* items) {
  constexpr std::size_t kMostItems = 5'000'000;
  std::vector<Item> all;
  std::string after;
  while (true) {
    ASSIGN_OR_RETURN(Page page, api.Send(At(endpoint).With("after", after)));
    for (Item& item : page.*items) all.push_back(std::move(item));
    bool more = !page.next.empty() && page.next != after && all.size() < kMostItems;
    if (!more) return all;
    after = std::move(page.next);
  }
}

// Uploads to an endpoint; false: the server already had the same.
template <class Line>
Result<bool> Upload(ApiClient& api, const Line& line, std::string media_type,
                    http::FileUpload upload) {
  http::ClientRequest request;
  request.fields.emplace_back("Content-Type", std::move(media_type));
  request.upload = std::move(upload);
  ASSIGN_OR_RETURN(http::ClientResponse response, api.Call(line, std::move(request)));
  return response.status == 201;
}

http::ClientRequest DownloadTo(ByteSink sink) {
  http::ClientRequest request;
  request.max_body = std::numeric_limits<std::int64_t>::max();
  request.sink = std::move(sink);
  return request;
}

// Something large may have to be read, or fetched again, before the server answers.
constexpr std::chrono::milliseconds kLong = std::chrono::minutes(30);

void AppendParts(std::vector<std::string>& parts, std::string_view text, char separator) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view CheckPattern(const wire::StoredArtifact& thing) {
  const bool is_mirrored = !thing.hostname.empty();
  if (thing.kind == "module") {
    return is_mirrored ? wire::kCheckMirroredModule.pattern : wire::kCheckModule.pattern;
  }
  if (thing.kind == "docs") return wire::kCheckProviderDocs.pattern;
  if (thing.kind == "schema") return wire::kCheckProviderSchema.pattern;
  if (thing.platform.empty()) {
    return is_mirrored ? wire::kCheckMirroredDocuments.pattern
                       : wire::kCheckProviderDocuments.pattern;
  }
  return is_mirrored ? wire::kCheckMirroredPackage.pattern : wire::kCheckProviderPackage.pattern;
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
  RETURN_IF_ERROR(Get(At(wire::kListStored).With("of", "mirror").path));
  return {};
}

Result<std::vector<wire::InventoryRelease>> InventoryClient::ListReleases() {
  return EveryPage(*this, wire::kListMirroredReleases, &wire::InventoryReleases::releases);
}

Result<std::vector<wire::InventoryModule>> InventoryClient::ListModules() {
  return EveryPage(*this, wire::kListMirroredModules, &wire::InventoryModules::modules);
}

Result<bool> InventoryClient::ImportPackage(const MirroredRelease& release,
                                            const Platform& platform, http::FileUpload upload) {
  return Upload(*this, At(wire::kImportPackage, release, platform), "application/zip",
                std::move(upload));
}

Result<bool> InventoryClient::ImportDocuments(const MirroredRelease& release,
                                              const wire::ReleaseDocuments& documents) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   Call(At(wire::kImportDocuments, release), documents));
  return response.status == 201;
}

Result<bool> InventoryClient::ImportModule(const MirroredModule& module, const std::string& source,
                                           http::FileUpload upload) {
  return Upload(*this, At(wire::kImportModule, module).With("source", source),
                "application/octet-stream", std::move(upload));
}

Status InventoryClient::DownloadPackage(const MirroredRelease& release, const std::string& filename,
                                        ByteSink sink) {
  constexpr wire::Endpoint<void, wire::Bytes, 5> kDownload{
      "GET", "/mirror/{hostname}/{namespace}/{type}/{version}/{file}"};
  RETURN_IF_ERROR(Call(At(kDownload, release, filename), DownloadTo(std::move(sink))));
  return {};
}

Status InventoryClient::DownloadModule(const MirroredModule& module, ByteSink sink) {
  RETURN_IF_ERROR(Call(At(wire::kGetMirroredModule, module), DownloadTo(std::move(sink))));
  return {};
}

Result<wire::CheckOutcome> CheckStored(ApiClient& api, const wire::StoredArtifact& thing,
                                       const wire::VerifyRequest& wish) {
  if (thing.kind == "draft" || thing.kind == "record") {
    // The object itself is read as the artifact that it holds.
    const wire::VerifyRequest asked{.quick = wish.quick || thing.kind == "record",
                                    .repair = wish.repair};
    const std::string size = std::to_string(thing.size);
    return api.Send(At(wire::kCheckBlob, thing.digest).With("size", size), asked);
  }
  std::vector<std::string> parts;
  if (!thing.hostname.empty()) parts.push_back(thing.hostname);
  AppendParts(parts, thing.address, '/');
  parts.push_back(thing.version);
  AppendParts(parts, thing.platform, '_');
  ASSIGN_OR_RETURN(std::string path, FillPattern(CheckPattern(thing), parts));
  http::ClientRequest request;
  request.method = "POST";
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::Encode(wish);
  request.total_timeout = kLong;
  ASSIGN_OR_RETURN(http::ClientResponse response, api.Call(std::move(request), path));
  return wire::Decode<wire::CheckOutcome>(response.body);
}

}  // namespace koya::cli
