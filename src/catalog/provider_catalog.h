// The parts of the catalog (catalog.h) that store providers that are published here, an index of
// their docs and schemas, and drafts.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/attachment.h"
#include "domain/page.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "domain/withdrawal.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Actor;

// Data that may be stored with a release in the transaction that adds it.
struct ReleaseExtras {
  std::optional<ReleaseDocs> docs;
  std::optional<ReleaseSchema> schema;
  std::vector<ReadWarning> warnings;
  std::vector<Attachment> attachments = {};  // each name once
  bool imported = false;  // a removed key of the namespace may have signed the release
};

// ProviderDocsCatalog indexes docs and schemas of the providers that are published here. The bytes
// are blobs, which BlobReferences covers.
class ProviderDocsCatalog {
 public:
  explicit ProviderDocsCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Longer texts are cut, between characters.
  static constexpr std::size_t kLongestTitle = 300;
  static constexpr std::size_t kLongestDescription = 1000;

  // Withdrawn releases are not found. All fail: kNotFound: there is no such release.

  // Empty when the release has neither docs nor a schema.
  Task<DocsSummary> FindDocs(ProviderAddress address, Version version);
  // Pages of all languages, by language, kind and name, bytewise; limits.docs_files limits their
  // number.
  Task<std::vector<DocRecord>> ListDocs(ProviderAddress address, Version version);
  // Likewise, names alone.
  Task<std::vector<DocName>> ListDocNames(ProviderAddress address, Version version);
  // By kind and name, bytewise.
  Task<std::vector<SchemaRecord>> ListSchema(ProviderAddress address, Version version);

  // A single page or item. Also fails: kNotFound: there is no such page, or item.
  Task<DocRecord> FindDoc(ProviderAddress address, Version version, DocName name);
  Task<SchemaRecord> FindSchema(ProviderAddress address, Version version, std::string kind,
                                std::string name);

 private:
  sql::Executor& transactions_;
};

// Outcome of AddRelease. Only kAdded changes anything.
struct ReleaseOutcome {
  enum class What {
    kAdded,
    kSameSums,    // `existing` was published with the same SHA256SUMS
    kOtherSums,   // `existing` has other packages: a version never changes
    kOtherBuild,  // `existing` differs only in build metadata
    kWithdrawn,   // the version was withdrawn; `withdrawal` says when and why
  };
  What what = What::kAdded;
  std::optional<ProviderRelease> existing;  // set unless kAdded
  std::optional<Withdrawal> withdrawal;     // set for kWithdrawn
};

// Methods that change something for users take the acting caller first, and write the audit log
// entry in the same transaction (see AuditCatalog).
class ProviderCatalog {
 public:
  explicit ProviderCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Adds a release with all its packages, and its provider if needed, and removes the draft that it
  // was made from, if any: one transaction, so of two concurrent commits one wins and the other's
  // outcome says so. `draft` is the draft as it was read: one that was abandoned or replaced since
  // is never published.
  // Fails: kNotFound when the draft is gone; kConflict when it holds other files by now, and when
  // `release.key_fingerprint` names no key of the namespace, or one that was removed, unless
  // `extras.imported`; kInvalid when a text of `extras`, which are stored with the release, is not
  // UTF-8, or has a NUL.
  Task<ReleaseOutcome> AddRelease(Actor by, ProviderRelease release,
                                  std::optional<DraftRecord> draft, ReleaseExtras extras = {});
  // What AddRelease would return, for authors who check before they upload. Without `sums`, an
  // existing version counts as kSameSums, since it may be.
  Task<ReleaseOutcome> CheckRelease(ProviderAddress address, Version version,
                                    std::optional<Digest> sums);
  // All versions that are not withdrawn, newest first. Costs one statement regardless of the number
  // of platforms. Fails: kNotFound when the provider is unknown or has none.
  Task<std::vector<ReleaseSummary>> ListReleases(ProviderAddress address);
  // By exact spelling, build metadata included. Fails: kNotFound; kGone: it was withdrawn.
  Task<ProviderRelease> FindRelease(ProviderAddress address, Version version);
  // Ordered by address, bytewise. Providers without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen are ignored.
  Task<Page<ProviderSummary>> ListProviders(ProviderFilter filter, PageRequest page);
  // Removes a version from every listing; its record and the reason stay, and its bytes stay for
  // `keep_for`. Fails: kNotFound; kGone: it was withdrawn before.
  Task<void> WithdrawRelease(Actor by, ProviderAddress address, Version version,
                             Withdrawal withdrawal, std::chrono::seconds keep_for = {});
  // Undoes a withdrawal while the bytes stay. Fails: kNotFound; kConflict: it is not withdrawn;
  // kGone: the bytes stay no longer.
  Task<void> RestoreRelease(Actor by, ProviderAddress address, Version version, std::string reason);
  // Withdrawn releases, newest first; none for a provider that was never here.
  Task<std::vector<WithdrawnRelease>> ListWithdrawnReleases(ProviderAddress address);
  // Sets the deprecation message for users of the version; "" clears it. No-op when it is set
  // already. Fails: kNotFound; kGone.
  Task<void> DeprecateRelease(Actor by, ProviderAddress address, Version version,
                              std::string message);

 private:
  sql::Executor& transactions_;
};

// DraftCatalog stores drafts: releases of providers whose files are still being uploaded.
class DraftCatalog {
 public:
  explicit DraftCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Fails: kConflict when the namespace already has `most_open` drafts that have not expired at
  // `draft.created_at`.
  Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open);
  // Expired drafts are not found. Fails: kNotFound.
  Task<DraftRecord> FindDraft(std::string id, UnixSeconds now);
  // Drafts of one release that have not expired, newest first, without their files.
  Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                            UnixSeconds now);
  // Adds the file, or replaces the one of the same name, and sets the draft's expiry to
  // `expires_at`. Fails: kNotFound when the draft is gone; kTooLarge when it already has
  // `most_files` others.
  Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                          std::uint64_t most_files);
  // Fails: kNotFound.
  Task<void> RemoveDraft(std::string id);
  // Returns how many were removed.
  Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now);
  // Files of all drafts by their digests, those after `after` (nullopt: from the first), at most
  // `limit` (1,000). Each is a draft that has only this file. Of files with the same bytes, one may
  // be left out.
  Task<std::vector<DraftRecord>> ListDraftFiles(std::optional<Digest> after, std::uint64_t limit);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
