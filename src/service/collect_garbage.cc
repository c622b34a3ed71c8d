#include "service/collect_garbage.h"

#include <vector>

namespace koya::service {

Task<GarbageReport> CollectGarbage(DraftCatalog& drafts, BlobReferences& references,
                                   BlobStore& blobs, GarbageOptions options) {
  GarbageReport report;
  if (options.stop) co_return report;
  ASSIGN_OR_CO_RETURN(report.drafts, co_await drafts.RemoveExpiredDrafts(
                                         options.now - options.draft_leeway.count()));
  std::vector<BlobInfo> found;
  std::function<bool(const BlobInfo&)> remember = [&found](const BlobInfo& info) {
    found.push_back(info);
    return true;
  };
  CO_RETURN_IF_ERROR(co_await blobs.Visit(std::move(remember)));
  for (const BlobInfo& info : found) {
    if (options.stop) break;
    ++report.examined;
    ASSIGN_OR_CO_RETURN(bool referenced, co_await references.IsBlobReferenced(info.digest));
    if (referenced) continue;
    // Between the question and the removal a publish or an upload may have committed the same
    // bytes: that renewed the blob's age, and RemoveIfOlder leaves it.
    ASSIGN_OR_CO_RETURN(bool removed, co_await blobs.RemoveIfOlder(info.digest, options.grace));
    if (!removed) continue;
    ++report.removed;
    report.removed_bytes += info.size;
  }
  co_return report;
}

}  // namespace koya::service
