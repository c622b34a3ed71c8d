#include "api/provider_urls.h"
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

std::string SourceAddress(std::string_view host, const ProviderAddress& address) {
  return fmt::format("{}/{}", host, address.ToString());
}

}  // namespace koya::api
