// Part of the catalog (catalog.h): what is kept of other registries, for the mirror.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "domain/upstream_record.h"

namespace koya {

// Threads, transactions and common failures are those of catalog.h. Nothing that was seen first is
// ever replaced.
class UpstreamCatalog {
 public:
  virtual ~UpstreamCatalog() = default;
  // Fails: kNotFound.
  virtual Task<HeldDocument> FindDocument(std::string key) = 0;
  // Keeps the document in place of the one before, unless that was checked later. A changed body
  // appends a change under the topic "mirror:" and the key without its kind.
  virtual Task<void> PutDocument(HeldDocument document) = 0;
  // Upstream confirmed that the document is still the one. No change is appended.
  virtual Task<void> ConfirmDocument(std::string key, UnixSeconds checked_at) = 0;

  // Pins a release with all its packages. When it is pinned already, packages of platforms that it
  // lacks are added only if `add_platforms` (imports do), and nothing else changes. Returns the
  // release as it is kept: the caller compares.
  virtual Task<UpstreamRelease> PinRelease(UpstreamRelease release, bool add_platforms) = 0;
  // Fails: kNotFound.
  virtual Task<UpstreamRelease> FindUpstreamRelease(UpstreamProvider provider, Version version) = 0;
  // The versions that are pinned, newest first; empty when there are none.
  virtual Task<std::vector<Version>> ListUpstreamVersions(UpstreamProvider provider) = 0;
  // Everything pinned, ordered by key, then version; for listing and export. `after` is the last
  // item of the page before, or nothing.
  virtual Task<std::vector<UpstreamRelease>> ListUpstreamReleases(
      std::optional<std::pair<UpstreamProvider, Version>> after, std::uint64_t limit) = 0;
  // The package's bytes are in the blob store: fills size and hashes. Fails: kNotFound; kConflict
  // when another digest is pinned.
  virtual Task<void> HoldPackage(UpstreamProvider provider, Version version,
                                 UpstreamPackage package) = 0;

  virtual Task<UpstreamModuleVersion> PinModule(UpstreamModuleVersion version) = 0;
  // Fails: kNotFound.
  virtual Task<UpstreamModuleVersion> FindUpstreamModule(UpstreamModule module,
                                                         Version version) = 0;
  virtual Task<std::vector<Version>> ListUpstreamModuleVersions(UpstreamModule module) = 0;

  // Notes the use of something held, at most once an hour each; `at` in seconds.
  virtual Task<void> TouchHeld(Digest digest, UnixSeconds at) = 0;
  // How many bytes are held of other registries; a blob that several name counts once.
  virtual Task<std::uint64_t> HeldBytes() = 0;
  // The least recently used first.
  virtual Task<std::vector<HeldArchive>> LeastUsed(std::uint64_t limit) = 0;
  // Forgets that the bytes are held (every package and module that names them); what is pinned
  // stays, so that the same bytes must come back. Returns how many named them.
  virtual Task<std::uint64_t> ReleaseHeld(Digest digest) = 0;
};

}  // namespace koya
