// Part of the catalog (catalog.h): what is kept of other registries, for the mirror.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/page.h"

namespace koya {

struct Actor;
class Digest;
struct EvictedBlob;
struct EvictionRule;
struct HeldDocument;
class Platform;
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

// Threads, transactions and common failures are those of catalog.h. Nothing that was seen first is
// ever replaced.
//
// What comes in is bounded (catalog/sql/upstream_bounds.h) as the last of several bounds: besides
// what a method names, those that write fail with kInvalid for text that is not UTF-8 without NUL
// and for held bytes whose size is 0, and with kTooLarge.
//
// Changes are appended under "mirror:HOST/NS/TYPE" or "mirror:HOST/NS/NAME/SYSTEM", by whatever
// changes what documents show: a document's new body, a pin that added something, a package's size
// or hashes that became known, and letting go of held bytes, for everyone who held them. Uses and
// confirmations append none.
//
// What the mirror does by itself, as a cache, is nobody's change: pins and pulls, uses, evictions.
// What an administrator does to it takes who does it first: the audit log says so (see
// AuditCatalog), in the same transaction, under the names "provider:HOST/NS/TYPE@VERSION" and
// "module:HOST/NS/NAME/SYSTEM@VERSION". What changes nothing writes no entry.
//
// A stored time that lies in the future of the database's clock was written by a server whose clock
// was ahead: it counts for nothing, and the next one takes its place.
// Documents that change there: lists of versions, and of pages of docs.
class UpstreamDocuments {
 public:
  virtual ~UpstreamDocuments() = default;
  // Fails: kNotFound.
  virtual Task<HeldDocument> FindDocument(std::string key) = 0;
  // Keeps the document in place of the one before, unless that was checked later. A changed body
  // appends a change under the topic "mirror:" and the key without its kind. `changed_at` is not
  // read: it becomes `checked_at` when the body is another. Validators that cannot be kept (over
  // 1 KiB, not UTF-8) are left out.
  virtual Task<void> PutDocument(HeldDocument document) = 0;
  // Upstream confirmed that the document is still the one. No change is appended. Without such a
  // document, or when it was checked later, nothing happens.
  virtual Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at) = 0;
  // PutDocument of one that stands for bytes in the blob store, which are held from then on, used
  // at its `checked_at`. Who lets go of them leaves the document as it is: whoever reads it finds
  // that they are gone. Fails: kInvalid for no bytes at all.
  virtual Task<void> HoldDocument(HeldDocument document, Digest bytes, std::uint64_t size) = 0;
};

// Releases of providers, pinned as they were seen first.
class UpstreamReleases {
 public:
  virtual ~UpstreamReleases() = default;
  // Pins a release with all its packages, by exact version, build metadata included. Packages that
  // are marked as held must be in the blob store. When the release is pinned already, packages of
  // platforms that it lacks are added only if `add_platforms`, and so are the author's documents
  // where it has none, provided that they come with exactly the packages that are kept. Nothing
  // else changes: not even what is held. Returns the release as it is kept, packages by platform:
  // the caller compares. Fails: kInvalid without a package, or with two for one platform.
  virtual Task<UpstreamRelease> PinRelease(UpstreamRelease release, bool add_platforms) = 0;
  // Brings a release, or a part of one: pins it as PinRelease does with `add_platforms`, and then
  // holds the packages that are marked as held, as HoldPackage does, where their digest is the
  // pinned one. Returns and fails as PinRelease.
  virtual Task<UpstreamRelease> ImportRelease(Actor by, UpstreamRelease release) = 0;
  // Fails: kNotFound.
  virtual Task<UpstreamRelease> FindUpstreamRelease(UpstreamProvider provider, Version version) = 0;
  // The versions that are pinned, newest first; empty when there are none.
  virtual Task<std::vector<Version>> ListUpstreamVersions(UpstreamProvider provider) = 0;
  // Everything pinned, ordered by key, then by the version's text, both bytewise; for listing and
  // export. `after` is the last item of the page before, or nothing. A page holds at most 1000
  // releases, so the end is where a page is empty.
  virtual Task<std::vector<UpstreamRelease>> ListUpstreamReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) = 0;
  // The package's bytes are in the blob store: fills size and hashes, where the package says them,
  // and counts as a use at its `used_at`. What was not held until now loses the hashes that were
  // reported of it when the package says none. Fails: kNotFound; kConflict when another digest is
  // pinned.
  virtual Task<void> HoldPackage(UpstreamProvider provider, Version version,
                                 UpstreamPackage package) = 0;
};

// Versions of modules, likewise.
class UpstreamModules {
 public:
  virtual ~UpstreamModules() = default;
  // Pins a version, or returns what is pinned already: the caller compares. Held bytes of the
  // pinned digest are noted as held in both cases, so that a version that was released comes back.
  // The module keeps the letter case that was seen first.
  virtual Task<UpstreamModuleVersion> PinModule(UpstreamModuleVersion version) = 0;
  // The same of what somebody brought.
  virtual Task<UpstreamModuleVersion> ImportModule(Actor by, UpstreamModuleVersion version) = 0;
  // Fails: kNotFound.
  virtual Task<UpstreamModuleVersion> FindUpstreamModule(UpstreamModule module,
                                                         Version version) = 0;
  // The versions that are pinned, newest first; empty when there are none.
  virtual Task<std::vector<Version>> ListUpstreamModuleVersions(UpstreamModule module) = 0;
  // Every module version that is pinned, in the order and with the pages of ListUpstreamReleases.
  virtual Task<std::vector<UpstreamModuleVersion>> ListUpstreamModuleArchives(
      std::optional<std::pair<UpstreamModule, Version>> after, std::uint64_t limit) = 0;
};

// The bytes that are held of both.
class UpstreamHoldings {
 public:
  virtual ~UpstreamHoldings() = default;
  // Notes the uses of blobs that are held, at most once an hour each: all or none.
  virtual Task<void> TouchHeld(std::vector<Use> uses) = 0;
  // How many bytes are held of other registries; a blob that several name counts once.
  virtual Task<std::uint64_t> HeldBytes() = 0;
  // Letting go: forgets that bytes are held. What is pinned stays, so that the same bytes must come
  // back. Of one package or module; others that have the same bytes keep them. Returns whether
  // nobody holds them now; false also when they were not held. Fails: kNotFound for what is not
  // pinned.
  virtual Task<bool> ReleasePackage(Actor by, UpstreamProvider provider, Version version,
                                    Platform platform) = 0;
  virtual Task<bool> ReleaseModule(Actor by, UpstreamModule module, Version version) = 0;
  // Of all that have the bytes, since these are not what they were; `reason` ("damaged") is for the
  // audit log, which has an entry for each of them. Returns how many they were.
  virtual Task<std::uint64_t> ReleaseHeld(Actor by, Digest digest, std::string reason) = 0;
  // Of all that have bytes which the rule lets go, the least recently used first, until no more
  // than its `max_bytes` are held. One step, whoever does the same at this moment. Returns what
  // went; more may have to go when that is as much as the rule takes at once.
  virtual Task<std::vector<EvictedBlob>> EvictHeld(EvictionRule rule) = 0;
};

// What is kept, for people who look through it: by address, a page at a time.
class UpstreamListings {
 public:
  virtual ~UpstreamListings() = default;
  // In the order of "HOST/ADDRESS", bytewise; a page holds at most 1000.
  virtual Task<Page<UpstreamSummary>> ListMirroredProviders(UpstreamFilter filter,
                                                            PageRequest page) = 0;
  virtual Task<Page<UpstreamSummary>> ListMirroredModules(UpstreamFilter filter,
                                                          PageRequest page) = 0;
  virtual Task<UpstreamCounts> CountMirrored() = 0;
};

class UpstreamCatalog : public virtual UpstreamDocuments,
                        public virtual UpstreamReleases,
                        public virtual UpstreamModules,
                        public virtual UpstreamHoldings,
                        public virtual UpstreamListings {};

}  // namespace koya
