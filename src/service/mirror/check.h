// Checks stored bytes of other registries for damage, and restores them from upstream.
//
// Damaged archives are dropped at once, so that the mirror never serves them again: the pin stays,
// and a later request fetches the same bytes again. Damaged blobs that are otherwise unreferenced
// are deleted. Published versions may have the same bytes: those stay, as a check of published
// versions would leave them (published_check.h), and so do bytes that were stored again during the
// check. A damaged blob that stays is replaced when the right bytes are stored next
// (docs/adr/0022).
#pragma once

#include <string>
#include <vector>

#include "service/common/blob_check.h"
#include "service/mirror/context.h"

namespace koya {
struct Actor;
struct BlobInfo;
class Digest;
struct UpstreamProvider;
struct UpstreamRelease;
class Version;
}  // namespace koya

namespace koya::service {

class ChangeFeed;
struct ModuleId;
struct PackageId;
class ProviderFetch;

// `by`: the actor in the audit log, which records that damaged or missing archives were dropped.
// Fails: kNotFound: not pinned; as the catalog and the blob store.
class MirrorCheck {
 public:
  MirrorCheck(MirrorContext context, ArchiveReview review, ProviderFetch& fetch,
              ChangeFeed& changes)
      : context_(context), review_(review), fetch_(fetch), changes_(changes) {}

  Task<CheckReport> Package(Actor by, PackageId id, CheckRequest request);
  // SHA256SUMS and its signature.
  Task<CheckReport> Documents(UpstreamProvider provider, Version version, CheckRequest request);
  // Drops a damaged module; the next request for it fetches the same bytes again.
  Task<CheckReport> Module(Actor by, ModuleId id, CheckRequest request);

 private:
  Task<CheckReport::State> Examine(BlobInfo blob, CheckRequest request);
  struct Finding;
  Task<void> EvictArchive(Actor by, Finding finding);
  Task<void> EvictDocument(Finding finding);
  Task<bool> RemoveDamaged(Finding finding, std::vector<Digest> unneeded);
  void LogFinding(const Finding& finding, bool removed);
  Task<void> RestorePackage(PackageId id);
  Task<void> RestoreDocuments(UpstreamRelease release);

  MirrorContext context_;
  ArchiveReview review_;
  ProviderFetch& fetch_;
  ChangeFeed& changes_;
};

}  // namespace koya::service
