// Brings a module of another registry here: its package is fetched, repacked with the module at its
// root, pinned and kept. Blocking: everything here runs on the mirror's own pools.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "archive/module_package.h"
#include "base/single_flight.h"
#include "blobs/staged_blob.h"
#include "service/disk_room.h"
#include "service/mirror_context.h"
#include "upstream/module_source.h"

namespace koya::service {

struct ModuleFetchOptions {
  upstream::ModuleBounds bounds;
  ArchiveLimits archive;
  std::filesystem::path scratch_folder;  // exists; for packages on their way
  DiskRoom room{};
};

// What happened so far, for metrics.
struct ModuleFetchCounters {
  std::atomic<std::uint64_t> modules = 0;   // pinned or brought back
  std::atomic<std::uint64_t> bytes = 0;     // of packages, from upstream
  std::atomic<std::uint64_t> failures = 0;  // that were not "there is none"
  std::atomic<std::uint64_t> changed = 0;   // refused: not what was seen first
};

class ModuleFetch {
 public:
  // Everything given must outlive this.
  ModuleFetch(UpstreamCatalog& catalog, BlobStore& blobs, upstream::ModuleSource& source,
              ChangeFeed& changes, const Clock& clock, Logger& log, ModuleFetchOptions options)
      : catalog_(catalog),
        blobs_(blobs),
        source_(source),
        changes_(changes),
        clock_(clock),
        log_(log),
        options_(std::move(options)) {}

  // Blocks. The version as it is pinned, its bytes held. What was seen first stays: a package that
  // has become another is refused. Fails: as upstream::ModuleSource; kBadUpstream for what is no
  // module or has changed; kStorageFull.
  Result<UpstreamModuleVersion> Fetch(const UpstreamModule& module, const Version& version);

  const ModuleFetchCounters& counters() const { return counters_; }

 private:
  struct Repacked;
  Task<UpstreamModuleVersion> FetchOnce(UpstreamModule module, Version version,
                                        std::uint64_t ended);
  Task<UpstreamModuleVersion> Bring(const UpstreamModule& module, const Version& version,
                                    std::uint64_t ended);
  Task<bool> IsHeldWhole(const UpstreamModuleVersion& version);
  Result<Repacked> Repack(int package, const upstream::FetchedModule& fetched, Time until);
  Task<UpstreamModuleVersion> Keep(UpstreamModuleVersion record, BlobWriter& writer);
  Status RefuseOther(const UpstreamModuleVersion& first, const UpstreamModuleVersion& now);

  UpstreamCatalog& catalog_;
  BlobStore& blobs_;
  upstream::ModuleSource& source_;
  ChangeFeed& changes_;
  const Clock& clock_;
  Logger& log_;
  ModuleFetchOptions options_;
  ModuleFetchCounters counters_;
};

}  // namespace koya::service
