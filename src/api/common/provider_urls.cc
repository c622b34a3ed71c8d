#include "api/common/provider_urls.h"
#include "api/common/documents.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "http/url.h"

#include <fmt/format.h>

namespace koya::api {

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
