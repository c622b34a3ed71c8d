#include "service/mirror_bound.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace koya::service {
namespace {

constexpr std::uint64_t kAtOnce = 50;
// A publish of the same bytes may have committed the blob and be about to name it.
constexpr std::chrono::seconds kGrace(60);

bool CanComeBack(const HeldArchive& archive, const std::vector<HostName>& hosts) {
  const HostName& host = archive.provider ? archive.provider->host : archive.module->host;
  return std::ranges::find(hosts, host) != hosts.end();
}

// Returns how many bytes went.
Task<std::uint64_t> LetGo(Catalog& catalog, BlobStore& blobs, HeldArchive archive) {
  ASSIGN_OR_CO_RETURN(std::uint64_t named, co_await catalog.ReleaseHeld(archive.digest));
  if (named == 0) co_return 0U;  // it went with another that had the same bytes
  ASSIGN_OR_CO_RETURN(bool needed, co_await catalog.IsBlobReferenced(archive.digest));
  // What is too young now is left to the collection of garbage.
  if (!needed) CO_RETURN_IF_ERROR(co_await blobs.RemoveIfOlder(archive.digest, kGrace));
  co_return archive.size;
}

}  // namespace

Task<EvictionReport> EnforceMirrorBound(Catalog& catalog, BlobStore& blobs, MirrorBound bound) {
  EvictionReport report;
  if (bound.max_bytes == 0) co_return report;
  ASSIGN_OR_CO_RETURN(std::uint64_t held, co_await catalog.HeldBytes());
  std::optional<std::pair<UnixSeconds, Digest>> after;
  while (held > bound.max_bytes) {
    ASSIGN_OR_CO_RETURN(std::vector<HeldArchive> oldest,
                        co_await catalog.LeastUsed(after, kAtOnce));
    if (oldest.empty()) break;
    after = {oldest.back().used_at, oldest.back().digest};
    for (const HeldArchive& archive : oldest) {
      if (held <= bound.max_bytes) break;
      if (!CanComeBack(archive, bound.hosts)) continue;
      ASSIGN_OR_CO_RETURN(std::uint64_t bytes, co_await LetGo(catalog, blobs, archive));
      report.packages += bytes > 0 ? 1 : 0;
      report.bytes += bytes;
      held -= std::min(held, bytes);
    }
  }
  co_return report;
}

}  // namespace koya::service
