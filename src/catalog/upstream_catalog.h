// UpstreamCatalog is the part of the catalog (catalog.h) that stores data of other registries, for
// the mirror.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/page.h"

namespace koya::sql {
class Executor;
class RecentUses;
}  // namespace koya::sql

namespace koya {

struct Actor;
class Digest;
struct EvictedBlob;
struct EvictionRule;
struct CachedDocument;
class Platform;
class ReleaseTimes;
class SourceRepository;
struct UpstreamCounts;
struct UpstreamFilter;
struct UpstreamModule;
struct UpstreamModuleVersion;
struct UpstreamPackage;
struct UpstreamProvider;
struct UpstreamRelease;
struct UpstreamSummary;
struct Use;
class Version;

// Threads, transactions and common failures are those of catalog.h. The first seen data are never
// replaced.
//
// Input is limited (catalog/sql/mirror/upstream_row.h) as the last of several limits: besides
// what a method names, writes fail with kInvalid for text that is not UTF-8 without NUL and for
// held bytes whose size is 0, and with kTooLarge.
//
// Writes that change what documents show append a change under "mirror:HOST/NS/TYPE" or
// "mirror:HOST/NS/NAME/SYSTEM": a document's new body, a pin that added something, a package's size
// or hashes that became known, and the release of held bytes, for each of their holders. Uses and
// confirmations append none.
//
// The mirror's own work as a cache has no actor: pins and pulls, uses, evictions. Methods for an
// administrator's changes take the acting caller first, and write the audit log entry in the same
// transaction (see AuditCatalog), under the names "provider:HOST/NS/TYPE@VERSION" and
// "module:HOST/NS/NAME/SYSTEM@VERSION". A call that changes nothing writes no entry.
//
// A stored time in the future of the database's clock was written by a server whose clock was
// ahead: it is ignored, and the next time replaces it.
//
// Documents that change upstream: lists of versions, and of pages of docs.
class UpstreamDocuments {
 public:
  UpstreamDocuments(sql::Executor& transactions, sql::RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  // Fails: kNotFound.
  Task<CachedDocument> FindDocument(std::string key);
  // The keys of documents of a kind ("provider-versions:") that come after `after`, in bytewise
  // order; "": from the first. At most `limit` (1000).
  Task<std::vector<std::string>> ListDocumentKeys(std::string kind, std::string after,
                                                  std::uint64_t limit);
  // Stores the document in place of the one before, unless that was checked later. A changed body
  // appends a change under the topic "mirror:" and the key without its kind. `changed_at` is
  // ignored: it becomes `checked_at` when the body is another. Validators that cannot be stored
  // (over 1 KiB, not UTF-8) are left out. The document's times are added to the stored ones, which
  // stay; new ones are a change too. Returns the stored times.
  Task<ReleaseTimes> PutDocument(CachedDocument document);
  // Adds what details of a version state: times to the stored ones of a document, and the source in
  // place of the stored one unless it is nullopt. If the times have a known one that is new, this
  // appends a change, as a new body does. No-op without such a document.
  Task<void> AddDetails(std::string key, ReleaseTimes times,
                        std::optional<SourceRepository> source);
  // Records that upstream confirmed the document. Appends no change. No-op without such a document,
  // or when it was checked later.
  Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at);
  // PutDocument of one that stands for bytes in the blob store, which are held from then on, used
  // at its `checked_at`. Releasing the bytes leaves the document unchanged: its readers find that
  // they are gone. Fails: kInvalid for no bytes at all.
  Task<void> HoldDocument(CachedDocument document, Digest bytes, std::uint64_t size);

 private:
  sql::Executor& transactions_;
  sql::RecentUses& uses_;
};

// Releases of providers, pinned as they were first seen.
class UpstreamReleases {
 public:
  UpstreamReleases(sql::Executor& transactions, sql::RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  // Pins a release with all its packages, by exact version, build metadata included. Packages that
  // are marked as held must be in the blob store. When the release is pinned already, packages for
  // platforms that it lacks are added only if `add_platforms`, and so are the author's documents
  // where it has none, provided that they come with exactly the stored packages. Nothing else
  // changes: not even which bytes are held. Returns the stored release, packages by platform: the
  // caller compares. Fails: kInvalid without a package, or with two for one platform.
  Task<UpstreamRelease> PinRelease(UpstreamRelease release, bool add_platforms);
  // Imports a release, or a part of one: pins it as PinRelease does with `add_platforms`, and then
  // holds the packages that are marked as held, as HoldPackage does, where their digest is the
  // pinned one. Returns and fails as PinRelease.
  Task<UpstreamRelease> ImportRelease(Actor by, UpstreamRelease release);
  // Pins the attachments of `seen` that the pinned release lacks, provided that `seen` has its
  // packages; PinRelease does the same. An attachment with other bytes than the pinned one stays as
  // it is pinned; if the same platform's description had both, the audit log gets an entry
  // (policy.changed), once. Returns the stored release. Fails: kNotFound.
  Task<UpstreamRelease> PinAttachments(UpstreamRelease seen);
  // Fails: kNotFound.
  Task<UpstreamRelease> FindUpstreamRelease(UpstreamProvider provider, Version version);
  // Pinned versions, newest first; empty when there are none.
  Task<std::vector<Version>> ListUpstreamVersions(UpstreamProvider provider);
  // All pinned releases, ordered by key, then by the version's text, both bytewise, without their
  // attachments; for listing and export. `after` is the last item of the page before, or nullopt. A
  // page holds at most 1000 releases; an empty page marks the end.
  Task<std::vector<UpstreamRelease>> ListUpstreamReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit);
  // Signed releases of which it is not recorded who signed them, in the order and with the pages of
  // ListUpstreamReleases.
  Task<std::vector<UpstreamRelease>> ListUnknownSigners(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit);
  // Records that, unless it is recorded.
  Task<void> RecordSigner(UpstreamProvider provider, Version version, std::string signer);
  // Records that the package's bytes are in the blob store: stores size and hashes, where `package`
  // has them, and counts as a use at its `used_at`. A package that was not held until now loses its
  // reported hashes when `package` has none. Fails: kNotFound; kConflict when another digest is
  // pinned.
  Task<void> HoldPackage(UpstreamProvider provider, Version version, UpstreamPackage package);

 private:
  // Call after a pin.
  void ForgetUsesOf(const Result<UpstreamRelease>& kept);

  sql::Executor& transactions_;
  sql::RecentUses& uses_;
};

// Versions of modules, pinned likewise.
class UpstreamModules {
 public:
  UpstreamModules(sql::Executor& transactions, sql::RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  // Pins a version, or returns the one that is pinned already: the caller compares. Held bytes of
  // the pinned digest are recorded as held in both cases, so that a released version comes back.
  // The module keeps the letter case that was seen first.
  Task<UpstreamModuleVersion> PinModule(UpstreamModuleVersion version);
  // Likewise for an import by an administrator.
  Task<UpstreamModuleVersion> ImportModule(Actor by, UpstreamModuleVersion version);
  // Fails: kNotFound.
  Task<UpstreamModuleVersion> FindUpstreamModule(UpstreamModule module, Version version);
  // Pinned versions, newest first; empty when there are none.
  Task<std::vector<Version>> ListUpstreamModuleVersions(UpstreamModule module);
  // All pinned module versions, in the order and with the pages of ListUpstreamReleases.
  Task<std::vector<UpstreamModuleVersion>> ListUpstreamModuleArchives(
      std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit);

 private:
  sql::Executor& transactions_;
  sql::RecentUses& uses_;
};

// Bytes of both that are held (cached in the blob store).
class UpstreamHoldings {
 public:
  // The shortest time between recorded uses.
  static constexpr UnixSeconds kTouchEvery = 3600;

  UpstreamHoldings(sql::Executor& transactions, sql::RecentUses& uses)
      : transactions_(transactions), uses_(uses) {}

  // Records the uses of held blobs, at most once an hour each: all or none.
  Task<void> TouchHeld(std::vector<Use> uses);
  // Total bytes held of other registries; a blob with several holders counts once.
  Task<std::uint64_t> HeldBytes();
  // Releases the bytes of one package or module: records that it does not hold them any more. Its
  // pin stays, so that the same bytes must come back; other holders of the same bytes keep them.
  // Returns whether no holder is left; false also when they were not held. Fails: kNotFound when it
  // is not pinned.
  Task<bool> ReleasePackage(Actor by, UpstreamProvider provider, Version version,
                            Platform platform);
  Task<bool> ReleaseModule(Actor by, UpstreamModule module, Version version);
  // Releases the bytes for all their holders, since the bytes have changed; `reason` ("damaged") is
  // for the audit log, which gets an entry for each holder. Returns the number of holders.
  Task<std::uint64_t> ReleaseHeld(Actor by, Digest digest, std::string reason);
  // Evicts the bytes that the rule allows, for all their holders, least recently used first, until
  // at most its `max_bytes` are held. One step, also with concurrent evictions. Returns the evicted
  // blobs; more may remain when these are as many as the rule takes at once.
  Task<std::vector<EvictedBlob>> EvictHeld(EvictionRule rule);

 private:
  sql::Executor& transactions_;
  sql::RecentUses& uses_;
};

// Listings of the stored data for people who browse it: by address, a page at a time.
class UpstreamListings {
 public:
  explicit UpstreamListings(sql::Executor& transactions) : transactions_(transactions) {}

  // In the order of "HOST/ADDRESS", bytewise; a page holds at most 1000.
  Task<Page<UpstreamSummary>> ListMirroredProviders(UpstreamFilter filter, PageRequest page);
  Task<Page<UpstreamSummary>> ListMirroredModules(UpstreamFilter filter, PageRequest page);
  Task<UpstreamCounts> CountMirrored();

 private:
  sql::Executor& transactions_;
};

class UpstreamCatalog : public UpstreamDocuments,
                        public UpstreamReleases,
                        public UpstreamModules,
                        public UpstreamHoldings,
                        public UpstreamListings {
 protected:
  // `uses`: those of held bytes that this server recorded lately.
  UpstreamCatalog(sql::Executor& transactions, sql::RecentUses& uses)
      : UpstreamDocuments(transactions, uses),
        UpstreamReleases(transactions, uses),
        UpstreamModules(transactions, uses),
        UpstreamHoldings(transactions, uses),
        UpstreamListings(transactions) {}
};

}  // namespace koya
