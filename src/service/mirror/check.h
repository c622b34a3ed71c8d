// Are the bytes that are kept of other registries still what they were? And if not, mends them from
// upstream.
//
// Bytes that turn out damaged are removed at once, so that they are never served again, whoever
// names them: what is pinned stays, and the same bytes come back when they are asked for.
#pragma once

#include <string>

#include "service/archive_review.h"
#include "service/blob_check.h"
#include "service/change_feed.h"
#include "service/mirror/inventory.h"
#include "service/mirror/provider_fetch.h"

namespace koya::service {

// Fails: kNotFound for what is not pinned; as the catalog and the blob store.
class MirrorCheck {
 public:
  MirrorCheck(MirrorContext context, ArchiveReview review, ProviderFetch& fetch,
              ChangeFeed& changes)
      : context_(context), review_(review), fetch_(fetch), changes_(changes) {}

  Task<CheckReport> Package(PackageId id, CheckRequest request);
  // SHA256SUMS and its signature.
  Task<CheckReport> Documents(UpstreamProvider provider, Version version, CheckRequest request);
  // A damaged module is let go of; the next request for it brings the same bytes back.
  Task<CheckReport> Module(ModuleId id, CheckRequest request);

 private:
  Task<CheckReport::State> Examine(BlobInfo blob, CheckRequest request);
  Task<void> Remove(Digest digest, std::string name, CheckReport::State state);
  Task<void> RestorePackage(PackageId id);
  Task<void> RestoreDocuments(UpstreamRelease release);

  MirrorContext context_;
  ArchiveReview review_;
  ProviderFetch& fetch_;
  ChangeFeed& changes_;
};

}  // namespace koya::service
