#include "api/providers/provider_details.h"

#include "api/common/provenance.h"
#include "api/common/provider_urls.h"
#include "api/common/services.h"
#include "base/clock.h"
#include "domain/provider_record.h"

namespace koya::api {

wire::ProviderDetails DetailsOf(const Services& services, const ProviderRelease& release) {
  wire::ProviderDetails details{.ns = release.address.ns(),
                                .type = release.address.type(),
                                .version = release.version.ToString(),
                                .owner = release.published_by,
                                .source = SourceAddress(services.host(), release.address),
                                .published_at = FormatRfc3339(release.published_at),
                                .deprecation = release.deprecation,
                                .protocols = release.protocols,
                                .platforms = {},
                                .shasums_digest = release.sums.digest.ToString(),
                                .key_fingerprint = release.key_fingerprint,
                                .versions = {},
                                .provenance = ProvenanceToWire(release.provenance)};
  for (const ProviderPackage& package : release.packages) {
    details.platforms.push_back({package.platform.os(), package.platform.arch()});
  }
  return details;
}

}  // namespace koya::api
