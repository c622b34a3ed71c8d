// Fetches a module of another registry: downloads its package, repacks it with the module at its
// root, pins and stores it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "archive/archive_limits.h"
#include "base/single_flight.h"
#include "domain/upstream_record.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_space.h"
#include "upstream/module_source.h"

namespace koya {
class Blob;
struct StagedBlob;
}  // namespace koya

namespace koya::service {

class FetchLease;

struct ModuleFetchOptions {
  upstream::ModuleLimits bounds;
  ArchiveLimits archive;
  std::filesystem::path scratch_folder;  // an existing folder for packages that are arriving
  DiskQuota room{};
};

// Totals since the start, for metrics.
struct ModuleFetchCounters {
  std::atomic<std::uint64_t> modules = 0;   // pinned or fetched again
  std::atomic<std::uint64_t> bytes = 0;     // of packages, from upstream
  std::atomic<std::uint64_t> failures = 0;  // other than "not found"
  std::atomic<std::uint64_t> changed = 0;   // rejected: differs from the first seen
};

// A version that was fetched or found.
struct ModuleArrival {
  UpstreamModuleVersion version;
  // Its bytes, while the store is away and cannot store them. Null: they are stored.
  std::shared_ptr<Blob> unkept;
};

class ModuleFetch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ModuleFetch(MirrorContext context, upstream::ModuleSource& source, ModuleFetchOptions options)
      : context_(context), source_(source), options_(std::move(options)) {}

  // Number of fetches that have ended; read it before asking the catalog (SingleFlight::landed).
  std::uint64_t ended() const { return flights_.landed(); }

  // Returns the pinned version, its bytes stored or at least at hand; concurrent callers share one
  // fetch. The first seen package stays: a package that has changed is rejected. Fails: as
  // upstream::ModuleSource; kBadUpstream: not a module, or changed; kStorageFull; with `late` at
  // the deadline, while the fetch goes on.
  Task<ModuleArrival> Fetch(UpstreamModule module, Version version, std::uint64_t ended,
                            Time deadline, Error late);

  const ModuleFetchCounters& counters() const { return counters_; }

 private:
  struct Repacked;
  Task<ModuleArrival> FetchOnce(UpstreamModule module, Version version, std::uint64_t ended);
  Task<ModuleArrival> FetchAtMostOnce(const UpstreamModule& module, const Version& version,
                                      std::uint64_t ended);
  Task<std::optional<UpstreamModuleVersion>> FindWhole(const UpstreamModule& module,
                                                       const Version& version);
  Task<ModuleArrival> FetchUnderLease(FetchLease& lease, const UpstreamModule& module,
                                      const Version& version, Time deadline);
  Task<ModuleArrival> FetchFromUpstream(const UpstreamModule& module, const Version& version,
                                        Time deadline);
  Result<Repacked> Repack(int package, const upstream::FetchedModule& fetched, Time until);
  Task<ModuleArrival> StoreArchive(UpstreamModuleVersion record, StagedBlob staged);
  Task<ModuleArrival> ServeUnkept(UpstreamModuleVersion record, StagedBlob staged);
  Task<ModuleArrival> ServeStaged(UpstreamModuleVersion version, StagedBlob staged);
  Status RefuseOther(const UpstreamModuleVersion& first, const UpstreamModuleVersion& now);

  MirrorContext context_;
  upstream::ModuleSource& source_;
  ModuleFetchOptions options_;
  ModuleFetchCounters counters_;
  SingleFlight<ModuleArrival> flights_{context_.pools.modules};
};

}  // namespace koya::service
