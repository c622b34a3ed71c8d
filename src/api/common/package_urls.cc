#include "api/common/package_urls.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/call.h"
#include "api/common/documents.h"
#include "base/text.h"
#include "domain/module_record.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/usage_agent.h"
#include "http/server/message.h"
#include "http/url.h"
#include "wire/modules.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

constexpr std::string_view kInField = "";
constexpr std::string_view kInJson = "json";
constexpr std::string_view kDirect = "direct";
constexpr std::string_view kAutomatic = "auto";

bool KnowsDirectForm(std::string_view agent) {
  const UsageClient client = UsageAgent::Read(agent).client;
  return client >= UsageClient(UsageClient::Product::kOpenTofu, 1, 12) &&
         client.product() == UsageClient::Product::kOpenTofu;
}

}  // namespace

std::string ArchiveFileName(const ModuleAddress& address, const Version& version,
                            ArchiveKind kind) {
  return fmt::format("{}-{}-{}-{}{}", address.ns(), address.name(), address.system(),
                     version.ToString(), Suffix(kind));
}

std::string ArchivePath(const ModuleVersionRecord& record) {
  return fmt::format("/download/modules/{}/{}/{}", record.address.ToString(),
                     record.version.ToString(),
                     ArchiveFileName(record.address, record.version, record.kind));
}

std::string ArchiveLocation(std::string_view base_url, const ModuleVersionRecord& record) {
  return fmt::format("{}{}?checksum={}", base_url, ArchivePath(record), record.digest.ToString());
}

std::string_view LocationVariant(const http::Request& request, ModuleLocationForm form) {
  std::string_view agent = request.Get("User-Agent");
  constexpr std::string_view kOpenTofu = "OpenTofu/";
  bool opentofu = agent.size() >= kOpenTofu.size() &&
                  EqualsIgnoreCase(agent.substr(0, kOpenTofu.size()), kOpenTofu);
  if (opentofu && form != ModuleLocationForm::kIndirect && KnowsDirectForm(agent)) {
    return form == ModuleLocationForm::kAuto ? kAutomatic : kDirect;
  }
  bool json = AsciiLower(request.Get("Accept")).find("application/json") != std::string::npos;
  return opentofu || json ? kInJson : kInField;
}

Rendering LocationRendering(const Call& call, std::string location, std::uint64_t size,
                            std::string topic) {
  const std::string_view variant = LocationVariant(call.request(), call.services.module_location);
  Rendering rendering{.topic = std::move(topic)};
  // The answer depends on who asks.
  rendering.options.vary = "Accept-Encoding, User-Agent, Accept";
  rendering.location = location;
  if (variant == kDirect || (variant == kAutomatic && size <= kMostDirectBytes)) {
    // The client sends the query as it stands, and its right to read is in the URL.
    location = location.substr(0, location.find('?'));
    rendering.encode = [location = std::move(location)](const Links& links) {
      return wire::EncodeDirectModuleLocation(links(location));
    };
    return rendering;
  }
  if (variant != kInField) {
    rendering.encode = [location = std::move(location)](const Links& links) {
      return wire::EncodeModuleLocation(links(location));
    };
    return rendering;
  }
  rendering.options.status = 204;
  rendering.options.content_type.clear();
  rendering.encode = [](const Links& /*links*/) { return std::string(); };
  return rendering;
}

std::string ReleaseFileUrl(std::string_view base_url, const ProviderRelease& release,
                           std::string_view file) {
  return fmt::format("{}/download/providers/{}/{}/{}/{}", base_url,
                     http::PercentEncode(release.address.ns()),
                     http::PercentEncode(release.address.type()),
                     http::PercentEncode(release.version.ToString()), http::PercentEncode(file));
}

std::string AttachmentUrl(std::string_view base_url, std::string_view owner, const Version& version,
                          std::string_view name) {
  return fmt::format("{}/api/v1/{}/{}/attachments/{}", base_url, owner,
                     http::PercentEncode(version.ToString()), http::PercentEncode(name));
}

std::string SourceAddress(std::string_view host, const ProviderAddress& address) {
  return fmt::format("{}/{}", host, address.ToString());
}

wire::ProviderDownload WithLinks(wire::ProviderDownload document, const Links& links) {
  for (std::string* url :
       {&document.download_url, &document.shasums_url, &document.shasums_signature_url}) {
    *url = links(std::move(*url));
  }
  for (wire::Attachment& each : document.attachments) each.url = links(std::move(each.url));
  return document;
}

}  // namespace koya::api
