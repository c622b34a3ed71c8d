#include "service/mirror_bound.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace koya::service {
namespace {

constexpr std::uint64_t kAtOnce = 50;
// A publish of the same bytes may have committed the blob and be about to name it.
constexpr std::chrono::seconds kGrace(60);

}  // namespace

Task<EvictionReport> EnforceMirrorBound(Catalog& catalog, BlobStore& blobs,
                                        std::uint64_t max_bytes) {
  EvictionReport report;
  if (max_bytes == 0) co_return report;
  ASSIGN_OR_CO_RETURN(std::uint64_t held, co_await catalog.HeldBytes());
  while (held > max_bytes) {
    ASSIGN_OR_CO_RETURN(std::vector<HeldArchive> oldest, co_await catalog.LeastUsed(kAtOnce));
    if (oldest.empty()) break;
    for (const HeldArchive& archive : oldest) {
      if (held <= max_bytes) break;
      ASSIGN_OR_CO_RETURN(std::uint64_t named, co_await catalog.ReleaseHeld(archive.digest));
      if (named == 0) continue;  // it went with another that had the same bytes
      ++report.packages;
      report.bytes += archive.size;
      held -= std::min(held, archive.size);
      ASSIGN_OR_CO_RETURN(bool needed, co_await catalog.IsBlobReferenced(archive.digest));
      // What is too young now is left to the collection of garbage.
      if (!needed) CO_RETURN_IF_ERROR(co_await blobs.RemoveIfOlder(archive.digest, kGrace));
    }
    ASSIGN_OR_CO_RETURN(held, co_await catalog.HeldBytes());
  }
  co_return report;
}

}  // namespace koya::service
