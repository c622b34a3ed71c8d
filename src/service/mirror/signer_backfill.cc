#include "service/mirror/signer_backfill.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/offload.h"
#include "catalog/upstream_catalog.h"
#include "domain/upstream_record.h"
#include "obs/log.h"
#include "service/mirror/inventory.h"
#include "upstream/provider_source.h"
#include "upstream/verification.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kReleasesAtOnce = 100;

}  // namespace

Task<SignerBackfill::Report> SignerBackfill::Run(const std::atomic<bool>& stop) {
  Report report;
  std::optional<std::pair<UpstreamProvider, Version>> after;
  while (!stop) {
    ASSIGN_OR_CO_RETURN(const std::vector<UpstreamRelease> releases,
                        co_await context_.catalog.ListUnknownSigners(
                            std::exchange(after, std::nullopt), kReleasesAtOnce));
    if (releases.empty()) break;
    for (const UpstreamRelease& release : releases) {
      if (stop) break;
      const Status recorded = co_await RecordSigner(release);
      ++(recorded ? report.recorded : report.unknown);
      if (recorded) continue;
      context_.log.Failure(fmt::format("it is not known who signed {} {}", release.provider.Key(),
                                       release.version.ToString()),
                           recorded.error());
    }
    after.emplace(releases.back().provider, releases.back().version);
  }
  co_return report;
}

Task<void> SignerBackfill::RecordSigner(const UpstreamRelease& release) {
  ASSIGN_OR_CO_RETURN(ReleaseDocuments documents,
                      co_await inventory_.ReadDocuments(release.provider, release.version));
  const upstream::FetchedDownload download{.sums = std::move(documents.sums),
                                           .signature = std::move(documents.signature),
                                           .keys = std::move(documents.keys)};
  auto find = [&] { return upstream::FindSigner(download, release.seen_at); };
  ASSIGN_OR_CO_RETURN(std::string signer, co_await Offload(context_.pools.workers, find));
  co_return co_await context_.catalog.RecordSigner(release.provider, release.version,
                                                   std::move(signer));
}

}  // namespace koya::service
