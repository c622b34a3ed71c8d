// The catalog: what exists, and who may do what. Records only; bytes live in the blob store.
//
// Several small interfaces, one implementation (catalog/sql, on SQLite and PostgreSQL), a
// conformance suite for each (…_suite.h). Every method is one transaction. Threads: any method from
// any coroutine on any thread; SQL runs on the catalog's own worker pool.
// Fails, besides what a method names: kUnavailable (database gone or busy), kCorrupt, kStorageFull.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "catalog/access_catalog.h"
#include "catalog/audit_catalog.h"
#include "catalog/blob_ledger.h"
#include "catalog/catalog_load.h"
#include "catalog/contents_catalog.h"
#include "catalog/database_time.h"
#include "catalog/mirror_count_catalog.h"
#include "catalog/number_catalog.h"
#include "catalog/provider_docs_catalog.h"
#include "catalog/replica_catalog.h"
#include "catalog/search_index.h"
#include "catalog/sent_bytes_catalog.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/storage_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/usage_catalog.h"
#include "domain/digest.h"
#include "domain/lease_record.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"
#include "domain/token_record.h"
#include "domain/use.h"
#include "domain/version.h"
#include "domain/withdrawal.h"

namespace koya {

// What AddVersion found. Only kAdded changes anything.
struct AddOutcome {
  enum class What {
    kAdded,
    kSameUpload,  // `existing` was published from the same uploaded bytes
    kOtherBytes,  // `existing` holds other bytes: a version never changes
    kOtherBuild,  // `existing` differs only in build metadata
    kWithdrawn,   // the version was withdrawn; `withdrawal` says when and why
  };
  What what = What::kAdded;
  std::optional<ModuleVersionRecord> existing;  // set unless kAdded
  std::optional<Withdrawal> withdrawal;         // set for kWithdrawn
};

// Whatever changes something for people takes who does it first: the audit log says so (see
// AuditCatalog), in the same transaction.
class ModuleCatalog {
 public:
  virtual ~ModuleCatalog() = default;
  // Adds a version, creating the module at need; the check against what is there
  // and the addition are one step, so of two racing publishes one wins and the other is told.
  // `record.address` takes the stored module's letter case in what is kept. `extras` are kept when
  // the version is added; they fail as ContentsCatalog::PutContents.
  virtual Task<AddOutcome> AddVersion(Actor by, ModuleVersionRecord record,
                                      VersionExtras extras = {}) = 0;
  // All versions that are not withdrawn, newest first. Fails: kNotFound when the module is unknown
  // or has none.
  virtual Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address) = 0;
  // A withdrawn version is kNotFound. A version is found by its exact spelling, build metadata
  // included. Fails: kNotFound.
  virtual Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version) = 0;
  // For uploads that want to know before they send: what AddVersion would say. Without `upload`, a
  // version that is there already counts as kSameUpload, since it may be.
  virtual Task<AddOutcome> CheckVersion(ModuleAddress address, Version version,
                                        std::optional<Digest> upload) = 0;
  // Ordered by address key, bytewise. Modules without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen do not restrict.
  virtual Task<Page<ModuleSummary>> ListModules(ModuleFilter filter, PageRequest page) = 0;
  // Takes a version out of every listing, keeping record and reason. Fails: kNotFound.
  virtual Task<void> Withdraw(Actor by, ModuleAddress address, Version version,
                              Withdrawal withdrawal) = 0;
  // Those that were, newest first; of a module that was never here, none.
  virtual Task<std::vector<WithdrawnModuleVersion>> ListWithdrawn(ModuleAddress address) = 0;
  // Sets what users of the version are warned with; "" takes the warning back. Nothing changes when
  // it is so already. Fails: kNotFound; kInvalid: the message is not UTF-8, or has a NUL.
  virtual Task<void> Deprecate(Actor by, ModuleAddress address, Version version,
                               std::string message) = 0;
};

// What AddRelease found. Only kAdded changes anything.
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

// Changes take who makes them first, as above.
class ProviderCatalog {
 public:
  virtual ~ProviderCatalog() = default;
  // Adds a release with all its packages, creating the provider at need, and removes the draft
  // that it was made from, if any: one transaction, so of two racing commits one wins and the other
  // is told. `draft` is as it was read: what was abandoned or replaced since is never published.
  // Fails: kNotFound when the draft is gone; kConflict when it holds other files by now, and when
  // `release.key_fingerprint` names no key of the namespace, or one that was removed meanwhile;
  // kInvalid when a text of `extras`, which are kept with it, is not UTF-8, or has a NUL.
  virtual Task<ReleaseOutcome> AddRelease(Actor by, ProviderRelease release,
                                          std::optional<DraftRecord> draft,
                                          ReleaseExtras extras = {}) = 0;
  // For authors who want to know before they upload: what AddRelease would say. Without `sums`, a
  // version that is there already counts as kSameSums, since it may be.
  virtual Task<ReleaseOutcome> CheckRelease(ProviderAddress address, Version version,
                                            std::optional<Digest> sums) = 0;
  // All versions that are not withdrawn, newest first. Costs one statement however many platforms
  // there are. Fails: kNotFound when the provider is unknown or has none.
  virtual Task<std::vector<ReleaseSummary>> ListReleases(ProviderAddress address) = 0;
  // By exact spelling, build metadata included; a withdrawn one is kNotFound. Fails: kNotFound.
  virtual Task<ProviderRelease> FindRelease(ProviderAddress address, Version version) = 0;
  // Ordered by address, bytewise. Providers without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen do not restrict.
  virtual Task<Page<ProviderSummary>> ListProviders(ProviderFilter filter, PageRequest page) = 0;
  // Takes a version out of every listing, keeping record and reason. Fails: kNotFound.
  virtual Task<void> WithdrawRelease(Actor by, ProviderAddress address, Version version,
                                     Withdrawal withdrawal) = 0;
  // Those that were, newest first; of a provider that was never here, none.
  virtual Task<std::vector<WithdrawnRelease>> ListWithdrawnReleases(ProviderAddress address) = 0;
  // Sets what users of the version are warned with; "" takes the warning back. Nothing changes when
  // it is so already. Fails: kNotFound.
  virtual Task<void> DeprecateRelease(Actor by, ProviderAddress address, Version version,
                                      std::string message) = 0;
};

class DraftCatalog {
 public:
  virtual ~DraftCatalog() = default;
  // Fails: kConflict when the namespace has `most_open` drafts already that have not expired at
  // `draft.created_at`.
  virtual Task<void> AddDraft(DraftRecord draft, std::uint64_t most_open) = 0;
  // Expired drafts are not found. Fails: kNotFound.
  virtual Task<DraftRecord> FindDraft(std::string id, UnixSeconds now) = 0;
  // Those of one release that have not expired, newest first, without their files.
  virtual Task<std::vector<DraftRecord>> ListDrafts(ProviderAddress address, Version version,
                                                    UnixSeconds now) = 0;
  // Adds the file, or replaces that of the same name, and moves the draft's expiry to `expires_at`.
  // Fails: kNotFound when the draft is gone; kTooLarge when it has `most_files` others already.
  virtual Task<void> PutDraftFile(std::string id, DraftFile file, UnixSeconds expires_at,
                                  std::uint64_t most_files) = 0;
  // Fails: kNotFound.
  virtual Task<void> RemoveDraft(std::string id) = 0;
  // Returns how many there were.
  virtual Task<std::uint64_t> RemoveExpiredDrafts(UnixSeconds now) = 0;
};

// Changes take who makes them first, as above.
class KeyCatalog {
 public:
  virtual ~KeyCatalog() = default;
  // Adds a key to its namespace, or replaces what is kept of it under the same fingerprint (a newer
  // armor), un-removing it; its sealed secret and `server_made` then stay as they were. Returns
  // whether it is new to the namespace (a removed one is not). Everything that shows keys changes;
  // nothing does when the same key is in use already.
  virtual Task<bool> AddKey(Actor by, SigningKeyRecord record) = 0;
  // All of a namespace: those in use first, then the removed ones, each by time of addition.
  virtual Task<std::vector<SigningKeyRecord>> ListKeys(std::string ns) = 0;
  // Those with a sealed secret, of all namespaces, by namespace and fingerprint.
  virtual Task<std::vector<SigningKeyRecord>> ListSealedKeys() = 0;
  // Those in use that end between these moments, both included, of all namespaces: what ends first
  // comes first, kMostEndingKeys at most.
  static constexpr std::int64_t kMostEndingKeys = 1000;
  virtual Task<std::vector<EndingKey>> ListEndingKeys(UnixSeconds from, UnixSeconds until) = 0;
  // Puts another sealed text in the place of one. Nothing changes for whoever reads documents.
  // Fails: kConflict when it is another one by now: the key was removed, or resealed.
  virtual Task<void> ResealKey(Actor by, SigningKeyRecord key, std::string sealed_secret) = 0;
  // Removed keys too: old releases name them. Fails: kNotFound.
  virtual Task<SigningKeyRecord> FindKey(std::string ns, std::string fingerprint) = 0;
  // Marks it removed and forgets its sealed secret. Fails: kNotFound (also when it was removed).
  virtual Task<void> RemoveKey(Actor by, std::string ns, std::string fingerprint,
                               UnixSeconds at) = 0;
  // Adds a key that this server made in place of the one it used (`replaces`, "" for none), which
  // is removed as by RemoveKey. Fails: kConflict when the namespace's server key in use is not
  // `replaces`: another server was faster.
  virtual Task<void> ReplaceServerKey(Actor by, SigningKeyRecord record, std::string replaces) = 0;
};

class BlobReferences {
 public:
  virtual ~BlobReferences() = default;
  // Those of `digests` (1,000 at most) that nothing needs: no version that is not withdrawn is
  // served from them, no draft holds them, and they are not held of another registry. For garbage
  // collection.
  virtual Task<std::vector<Digest>> FindUnreferenced(std::vector<Digest> digests) = 0;
  // Those of `digests` (1,000 at most) that nothing published here needs, drafts included. Other
  // registries' bytes may be among them.
  virtual Task<std::vector<Digest>> FindUnpublished(std::vector<Digest> digests) = 0;
};

class TokenCatalog {
 public:
  virtual ~TokenCatalog() = default;
  // Fails: kConflict when the name is taken; kNotFound: its account is not there.
  virtual Task<void> AddToken(Actor by, TokenRecord record) = 0;
  // Expired tokens are found too: the caller says so to the user. Fails: kNotFound.
  virtual Task<TokenRecord> FindToken(Digest secret) = 0;
  // The same by the first 16 bytes of the secret, which is what URLs hold of it. Fails: kNotFound.
  virtual Task<TokenRecord> FindTokenByStart(std::array<std::byte, 16> start) = 0;
  virtual Task<std::vector<TokenRecord>> ListTokens() = 0;  // by name
  // Those of an account that end between these moments, both included: what ends first comes first,
  // kMostEndingTokens at most.
  static constexpr std::int64_t kMostEndingTokens = 100;
  virtual Task<std::vector<TokenRecord>> ListEndingTokens(std::string account_id, UnixSeconds from,
                                                          UnixSeconds until) = 0;
  // Puts `record` in the place of the token that has its name and the secret `replaced`.
  // Fails: kNotFound: there is none, or it was replaced meanwhile, or `record`'s account is not
  // there; kConflict when nobody would be left who may do everything (AccountCatalog::SetDisabled).
  virtual Task<void> ReplaceToken(Actor by, TokenRecord record, Digest replaced) = 0;
  // The token that has this name and this secret. Fails: kNotFound and kConflict, as above.
  virtual Task<void> RevokeToken(Actor by, std::string name, Digest secret) = 0;
  // Notes the uses of tokens by their secrets, and where they came from, at most once a minute
  // each: all or none.
  virtual Task<void> TouchTokens(std::vector<Use> uses) = 0;
};

class LeaseCatalog {
 public:
  virtual ~LeaseCatalog() = default;
  // Takes the lease for `lease.holder`, who may have it already, until `life` from the database's
  // now (whole seconds; `lease.until` does not count). False: another has it.
  virtual Task<bool> TakeLease(LeaseRecord lease, std::chrono::seconds life) = 0;
  // The same for a lease that has not run out, from a holder who is known to be dead: only while
  // `from` still has it. False: it is another's by now, or nobody's.
  virtual Task<bool> TakeLeaseOver(LeaseRecord lease, std::string from,
                                   std::chrono::seconds life) = 0;
  // Prolongs all that `holder` has and that have not run out. Returns their names, in order.
  virtual Task<std::vector<std::string>> KeepLeases(std::string holder,
                                                    std::chrono::seconds life) = 0;
  // Nothing happens when it is another's.
  virtual Task<void> GiveLeaseBack(std::string name, std::string holder) = 0;
  // Those that have not run out, by name.
  virtual Task<std::vector<LeaseRecord>> ListLeases() = 0;
  // Who has it; nothing when nobody has.
  virtual Task<std::optional<LeaseRecord>> FindLease(std::string name) = 0;
};

// One thing that changed. Each transaction that changes what documents show appends one.
struct Change {
  std::int64_t sequence = 0;  // grows; gaps are possible
  // Made by domain/topic.h. kEverything when a namespace's keys changed, or when the changes in
  // between are not known.
  std::string topic;
  // Random. After a failover that lost changes, their numbers are given to others.
  std::string mark;
};

// How far somebody has read the log: up to this change. A sequence of 0: nothing was there yet.
struct ChangePosition {
  std::int64_t sequence = 0;
  std::string mark;

  static ChangePosition Of(const Change& change) { return {change.sequence, change.mark}; }
};

class ChangeLog {
 public:
  virtual ~ChangeLog() = default;
  // `listener` is told of each change that is made through this catalog, when it is committed and
  // before whoever made it goes on; on any thread. At most one; set before the first write.
  virtual void SetListener(std::function<void(const std::vector<Change>&)> listener) = 0;
  // The end of the log.
  virtual Task<ChangePosition> LatestChange() = 0;
  // Changes after this position, oldest first, at most 1000. Whoever is further behind than what is
  // kept (the newest 10,000), or has read what the log no longer says, gets one change with an
  // empty topic at the log's end.
  virtual Task<std::vector<Change>> ChangesSince(ChangePosition after) = 0;
  // Ends with the next moment at which ChangesSince may have something new: after a change made
  // here, at a notification from another server on the same database (PostgreSQL), or after 0.4 s
  // at the latest. A change that nobody waited for ends the next wait at once.
  virtual Task<void> WaitForChange() = 0;
  // Which run of which database server this is. Another one may lack what was read here: a standby
  // that took its place, or what was restored.
  virtual Task<std::string> ServerRun() = 0;
  // False while notifications from other servers do not arrive, as behind a pooler that gives each
  // transaction another connection: their changes then show within a second instead of at once.
  virtual bool HearsOthers() const = 0;
};

// All of one database. Whoever needs a part of it takes that part.
class Catalog : public virtual ModuleCatalog,
                public virtual ProviderCatalog,
                public virtual ProviderDocsCatalog,
                public virtual DraftCatalog,
                public virtual KeyCatalog,
                public virtual TokenCatalog,
                public virtual NamespaceCatalog,
                public virtual AccountCatalog,
                public virtual PasswordCatalog,
                public virtual SessionCatalog,
                public virtual LoginCodeCatalog,
                public virtual SetupCatalog,
                public virtual IdentityCatalog,
                public virtual TrustCatalog,
                public virtual BlobReferences,
                public virtual BlobLedger,
                public virtual LeaseCatalog,
                public virtual InstallationCatalog,
                public virtual ReplicaCatalog,
                public virtual AuditCatalog,
                public virtual ContentsCatalog,
                public virtual SearchIndex,
                public virtual NumberCatalog,
                public virtual SentBytesCatalog,
                public virtual StorageCatalog,
                public virtual UsageCatalog,
                public virtual MirrorCountCatalog,
                public virtual DatabaseTime,
                public virtual CatalogLoad,
                public UpstreamCatalog,
                public virtual ChangeLog {};

}  // namespace koya
