// Are the bytes that are kept of other registries still what they were? And if not, mends them from
// upstream.
//
// Damaged archives are let go of at once, so that the mirror never serves them again: what is
// pinned stays, and the same bytes come back when they are asked for. Damaged bytes that nothing
// else needs are removed. What was published here may have the same bytes: those stay, as a check
// of published ones would leave them (published_check.h), and so does what was stored anew during
// the check. What stays is replaced by whoever stores the right bytes next (docs/adr/0022).
#pragma once

#include <string>
#include <vector>

#include "service/archive_review.h"
#include "service/blob_check.h"
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

// `by`: who asked for the check, which lets go of what is damaged or missing: the audit log says
// so. Fails: kNotFound for what is not pinned; as the catalog and the blob store.
class MirrorCheck {
 public:
  MirrorCheck(MirrorContext context, ArchiveReview review, ProviderFetch& fetch,
              ChangeFeed& changes)
      : context_(context), review_(review), fetch_(fetch), changes_(changes) {}

  Task<CheckReport> Package(Actor by, PackageId id, CheckRequest request);
  // SHA256SUMS and its signature.
  Task<CheckReport> Documents(UpstreamProvider provider, Version version, CheckRequest request);
  // A damaged module is let go of; the next request for it brings the same bytes back.
  Task<CheckReport> Module(Actor by, ModuleId id, CheckRequest request);

 private:
  Task<CheckReport::State> Examine(BlobInfo blob, CheckRequest request);
  struct Finding;
  Task<void> LetGoOfArchive(Actor by, Finding finding);
  Task<void> LetGoOfDocument(Finding finding);
  Task<bool> RemoveDamaged(Finding finding, std::vector<Digest> unneeded);
  void Tell(const Finding& finding, bool removed);
  Task<void> RestorePackage(PackageId id);
  Task<void> RestoreDocuments(UpstreamRelease release);

  MirrorContext context_;
  ArchiveReview review_;
  ProviderFetch& fetch_;
  ChangeFeed& changes_;
};

}  // namespace koya::service
