#include "api/modules.h"

#include "api/documents.h"
#include "api/module_urls.h"
#include "base/text.h"
#include "wire/modules.h"

namespace koya::api {
namespace {

Task<Rendered> RenderVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.AddressFromPath());
  std::string topic = service::ModuleTopic(address);
  ASSIGN_OR_CO_RETURN(std::vector<ModuleVersionRecord> records,
                      co_await call.services.modules.ListVersions(std::move(address)));
  wire::ModuleVersions document;
  document.source = records.front().address.ToString();
  for (const auto& record : records) document.versions.push_back(record.version.ToString());
  std::string body = wire::EncodeModuleVersions(document);
  http::DocumentOptions options;
  co_return Rendered{http::MakeDocument(std::move(body), std::move(options)), std::move(topic)};
}

Task<ModuleVersionRecord> FindFromPath(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.AddressFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  co_return co_await call.services.modules.FindVersion(std::move(address), std::move(version));
}

http::DocumentOptions DownloadOptions(const std::string& location) {
  http::DocumentOptions options;
  options.vary = "Accept-Encoding, User-Agent, Accept";
  options.fields = {{"X-Terraform-Get", location}};
  return options;
}

Task<Rendered> RenderDownloadJson(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record, co_await FindFromPath(call));
  std::string location = ArchiveLocation(call.services.url, record);
  http::DocumentOptions options = DownloadOptions(location);
  co_return Rendered{http::MakeDocument(wire::EncodeModuleLocation(location), std::move(options)),
                     service::ModuleTopic(record.address)};
}

Task<Rendered> RenderDownloadHeader(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleVersionRecord record, co_await FindFromPath(call));
  http::DocumentOptions options = DownloadOptions(ArchiveLocation(call.services.url, record));
  options.status = 204;
  options.content_type.clear();
  co_return Rendered{http::MakeDocument("", std::move(options)),
                     service::ModuleTopic(record.address)};
}

// OpenTofu reads the body of a 200; Terraform and Dependabot want a 204.
bool WantsJson(const http::Request& request) {
  std::string_view agent = request.Get("User-Agent");
  constexpr std::string_view kOpenTofu = "OpenTofu/";
  if (agent.size() >= kOpenTofu.size() &&
      EqualsIgnoreCase(agent.substr(0, kOpenTofu.size()), kOpenTofu)) {
    return true;
  }
  return AsciiLower(request.Get("Accept")).find("application/json") != std::string::npos;
}

Task<std::shared_ptr<const ServedArchive>> OpenArchive(Call& call, std::string key) {
  ArchiveCache::Ticket ticket = call.services.archives.TakeTicket();
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.AddressFromPath());
  ASSIGN_OR_CO_RETURN(Version version, call.VersionFromPath());
  ASSIGN_OR_CO_RETURN(service::OpenArchive open,
                      co_await call.services.modules.Open(std::move(address), std::move(version)));
  if (!EqualsIgnoreCase(call.parameter(4), ArchiveFileName(open.record))) {
    co_return Fail(ErrorKind::kNotFound, "this version's archive has another name");
  }
  auto archive = std::make_shared<ServedArchive>();
  archive->descriptor = open.blob->file_descriptor().value_or(-1);
  archive->blob = std::move(open.blob);
  archive->etag = "\"" + open.record.digest.hex() + "\"";
  archive->media_type = MediaType(open.record.kind);
  std::shared_ptr<const ServedArchive> served = std::move(archive);
  // An entry's cost stands for the descriptor it keeps open: the cache is bounded by their number.
  call.services.archives.Put(ticket, std::move(key), service::ModuleTopic(open.record.address),
                             served, kArchiveCost);
  co_return served;
}

http::Response ArchiveReply(std::shared_ptr<const ServedArchive> archive) {
  http::Response reply;
  reply.etag = archive->etag;
  reply.fields = {{"Content-Type", archive->media_type},
                  {"Cache-Control", "public, max-age=31536000, immutable"}};
  int descriptor = archive->descriptor;
  std::uint64_t size = archive->blob->size();
  reply.body = http::FileBody{std::move(archive), descriptor, size};
  return reply;
}

}  // namespace

Task<http::Response> ListModuleVersions(Call& call) {
  co_return co_await CachedDocument(call, "", RenderVersions);
}

Task<http::Response> GetModuleDownload(Call& call) {
  if (WantsJson(call.request())) {
    co_return co_await CachedDocument(call, "json", RenderDownloadJson);
  }
  co_return co_await CachedDocument(call, "", RenderDownloadHeader);
}

Task<http::Response> GetModuleArchive(Call& call) {
  std::string key(call.request().path);
  std::shared_ptr<const ServedArchive> archive = call.services.archives.Find(key);
  if (!archive) {
    ASSIGN_OR_CO_RETURN(archive, co_await OpenArchive(call, std::move(key)));
  }
  co_return ArchiveReply(std::move(archive));
}

}  // namespace koya::api
