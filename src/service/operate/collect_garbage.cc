#include "service/operate/collect_garbage.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "blobs/blob_store.h"
#include "catalog/provider_catalog.h"
#include "catalog/storage_catalog.h"

namespace koya::service {
namespace {

// One question to the catalog for so many blobs, whose names are all that is kept in memory.
constexpr std::size_t kPage = 1000;
// Number of blobs that one step of the store removes: it locks their rows meanwhile, and a publish
// of one of them waits.
constexpr std::size_t kAtOnce = 100;

void NoteMarked(const BlobInfo& info, GarbageReport& report, GarbageTotals* totals) {
  ++report.removed;
  report.removed_bytes += info.size;
  if (totals == nullptr) return;
  ++totals->marked;
  totals->marked_bytes += info.size;
}

Task<void> RemoveGarbage(BlobStore& blobs, std::vector<BlobInfo> unneeded, GarbageOptions options,
                         GarbageReport& report) {
  std::vector<Digest> digests;
  digests.reserve(unneeded.size());
  for (const BlobInfo& info : unneeded) digests.push_back(info.digest);
  // Between the question and the removal a publish or an upload may have committed the same bytes:
  // that renewed the blob's age, and it is left.
  ASSIGN_OR_CO_RETURN(std::vector<Digest> removed,
                      co_await blobs.RemoveAllIfOlder(std::move(digests), options.grace));
  std::ranges::sort(removed);
  for (const BlobInfo& info : unneeded) {
    if (std::ranges::binary_search(removed, info.digest)) NoteMarked(info, report, options.totals);
  }
  co_return Status();
}

// Removes what nothing needs of one page.
Task<void> CollectPage(BlobReferences& references, BlobStore& blobs, std::vector<BlobInfo> page,
                       GarbageOptions options, GarbageReport& report) {
  std::vector<Digest> digests;
  digests.reserve(page.size());
  for (const BlobInfo& info : page) digests.push_back(info.digest);
  report.examined += page.size();
  if (options.totals != nullptr) options.totals->examined += page.size();
  ASSIGN_OR_CO_RETURN(std::vector<Digest> unreferenced,
                      co_await references.FindUnreferenced(std::move(digests)));
  std::ranges::sort(unreferenced);
  std::erase_if(page, [&unreferenced](const BlobInfo& info) {
    return !std::ranges::binary_search(unreferenced, info.digest);
  });
  while (!page.empty() && !options.stop) {
    const auto rest = page.begin() + static_cast<std::ptrdiff_t>(std::min(kAtOnce, page.size()));
    std::vector<BlobInfo> some(page.begin(), rest);
    page.erase(page.begin(), rest);
    CO_RETURN_IF_ERROR(co_await RemoveGarbage(blobs, std::move(some), options, report));
  }
  co_return Status();
}

}  // namespace

Task<GarbageReport> CollectGarbage(DraftCatalog& drafts, BlobReferences& references,
                                   BlobStore& blobs, GarbageOptions options) {
  GarbageReport report;
  if (options.stop) co_return report;
  ASSIGN_OR_CO_RETURN(report.drafts, co_await drafts.RemoveExpiredDrafts(
                                         options.now - options.draft_leeway.count()));
  if (options.totals != nullptr) options.totals->drafts += report.drafts;
  std::optional<Digest> after;
  while (!options.stop) {
    ASSIGN_OR_CO_RETURN(std::vector<BlobInfo> page, co_await blobs.List(after, kPage));
    if (page.empty()) break;
    after = page.back().digest;
    CO_RETURN_IF_ERROR(co_await CollectPage(references, blobs, std::move(page), options, report));
  }
  co_return report;
}

}  // namespace koya::service
