#include "api/provider_urls.h"

#include <fmt/format.h>

#include "api/query.h"

namespace koya::api {

std::string ReleaseFileUrl(std::string_view base_url, const ProviderRelease& release,
                           std::string_view file) {
  return fmt::format("{}/download/providers/{}/{}/{}/{}", base_url,
                     EncodeQueryValue(release.address.ns()),
                     EncodeQueryValue(release.address.type()),
                     EncodeQueryValue(release.version.ToString()), EncodeQueryValue(file));
}

std::string ProviderSource(std::string_view host, const ProviderAddress& address) {
  return fmt::format("{}/{}", host, address.ToString());
}

}  // namespace koya::api
