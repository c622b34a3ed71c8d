#include "api/common/module_urls.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/documents.h"
#include "base/text.h"
#include "http/server/message.h"
#include "wire/modules.h"

namespace koya::api {

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

std::string_view LocationVariant(const http::Request& request) {
  std::string_view agent = request.Get("User-Agent");
  constexpr std::string_view kOpenTofu = "OpenTofu/";
  bool opentofu = agent.size() >= kOpenTofu.size() &&
                  EqualsIgnoreCase(agent.substr(0, kOpenTofu.size()), kOpenTofu);
  bool json = AsciiLower(request.Get("Accept")).find("application/json") != std::string::npos;
  return opentofu || json ? kLocationInJson : kLocationInField;
}

Rendering LocationRendering(std::string_view variant, std::string location, std::string topic) {
  Rendering rendering{.topic = std::move(topic)};
  // The answer depends on who asks.
  rendering.options.vary = "Accept-Encoding, User-Agent, Accept";
  rendering.location = location;
  if (variant == kLocationInJson) {
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

}  // namespace koya::api
