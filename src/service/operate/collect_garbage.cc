#include "service/operate/collect_garbage.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "auth/principal.h"
#include "auth/token.h"
#include "catalog/catalog.h"
#include "domain/provider_record.h"
#include "domain/replica_record.h"

namespace koya::service {
namespace {

// One question to the catalog for so many blobs, whose names are all that is kept in memory.
constexpr std::size_t kPage = 1000;
// Number of blobs that one step of the store removes: it locks their rows meanwhile, and a publish
// of one of them waits.
constexpr std::size_t kAtOnce = 100;
// Pages of one part of a plan.
constexpr std::size_t kPlannedPages = 5;

void AddTo(StoredSum& sum, std::uint64_t bytes) {
  ++sum.count;
  sum.bytes += bytes;
}

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

// ---- plans

Task<void> GarbagePlanner::AddPage(GarbagePlan& plan, std::vector<BlobInfo> page) {
  std::vector<Digest> digests;
  digests.reserve(page.size());
  for (const BlobInfo& info : page) digests.push_back(info.digest);
  ASSIGN_OR_CO_RETURN(std::vector<Digest> unreferenced,
                      co_await catalog_.FindUnreferenced(std::move(digests)));
  std::ranges::sort(unreferenced);
  std::vector<Digest> older;
  if (!unreferenced.empty()) {
    ASSIGN_OR_CO_RETURN(older, co_await blobs_.FindOlder(unreferenced, rules_.grace));
  }
  std::ranges::sort(older);
  for (const BlobInfo& info : page) {
    if (!std::ranges::binary_search(unreferenced, info.digest)) {
      AddTo(plan.referenced, info.size);
    } else if (!std::ranges::binary_search(older, info.digest)) {
      AddTo(plan.young, info.size);
    } else {
      AddTo(plan.unused, info.size);
      if (plan.named.size() < GarbagePlan::kMostNamed) plan.named.push_back(info);
    }
  }
  co_return Status();
}

Task<void> GarbagePlanner::AddDrafts(GarbagePlan& plan) {
  const UnixSeconds expired = clock_.Now() - GarbageOptions::kDraftLeeway.count();
  std::optional<Digest> after;
  while (true) {
    ASSIGN_OR_CO_RETURN(const std::vector<DraftRecord> drafts,
                        co_await catalog_.ListDraftFiles(after, kPage));
    if (drafts.empty()) co_return Status();
    for (const DraftRecord& draft : drafts) {
      const DraftFile& file = draft.files.front();
      if (file.digest == after) continue;  // the same bytes once more
      after = file.digest;
      AddTo(draft.expires_at <= expired ? plan.expired_drafts : plan.open_drafts, file.size);
    }
  }
}

Task<void> GarbagePlanner::AddObjects(GarbagePlan& plan) {
  if (rules_.trash_for.count() == 0) co_return Status();
  ASSIGN_OR_CO_RETURN(const StorageSums sums, co_await catalog_.SumStorage());
  ASSIGN_OR_CO_RETURN(const std::vector<BlobObject> due,
                      co_await catalog_.ListLeaving(rules_.trash_for, kPage));
  for (const BlobObject& object : due) AddTo(plan.due, object.size);
  plan.arriving = sums.objects.arriving;
  plan.leaving = {.count = sums.objects.leaving.count - plan.due.count,
                  .bytes = sums.objects.leaving.bytes - plan.due.bytes};
  co_return Status();
}

Task<GarbagePlan> GarbagePlanner::Plan(auth::Principal by, std::optional<Digest> after) {
  CO_RETURN_IF_ERROR(by.Require(Scope::kAdmin));
  CO_RETURN_IF_ERROR(by.RequireAllNamespaces());
  GarbagePlan plan;
  if (!after) {
    CO_RETURN_IF_ERROR(co_await AddDrafts(plan));
    CO_RETURN_IF_ERROR(co_await AddObjects(plan));
    ASSIGN_OR_CO_RETURN(std::optional<LeaseRecord> lease,
                        co_await catalog_.FindLease(kGarbageLease));
    if (lease) plan.collector = std::move(lease->address);
  }
  for (std::size_t pages = 0; pages < kPlannedPages; ++pages) {
    ASSIGN_OR_CO_RETURN(std::vector<BlobInfo> page, co_await blobs_.List(after, kPage));
    if (page.empty()) co_return plan;
    after = page.back().digest;
    CO_RETURN_IF_ERROR(co_await AddPage(plan, std::move(page)));
  }
  plan.next = after;
  co_return plan;
}

}  // namespace koya::service
