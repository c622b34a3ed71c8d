// Brings a module of another registry here: its package is fetched, repacked with the module at its
// root, pinned and kept.
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
#include "service/mirror/disk_room.h"
#include "service/mirror/mirror_pools.h"
#include "upstream/module_source.h"

namespace koya {
class Blob;
struct StagedBlob;
}  // namespace koya

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

// A version that was fetched, or found.
struct ModuleArrival {
  UpstreamModuleVersion version;
  // Its bytes, while the store is away and cannot take them. Null: they are held.
  std::shared_ptr<Blob> unkept;
};

class ModuleFetch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ModuleFetch(MirrorContext context, upstream::ModuleSource& source, ModuleFetchOptions options)
      : context_(context), source_(source), options_(std::move(options)) {}

  // How many fetches have ended: to be taken before the catalog is asked (SingleFlight::landed).
  std::uint64_t ended() const { return flights_.landed(); }

  // The version as it is pinned, its bytes held, or at least here; callers share one fetch. What
  // was seen first stays: a package that has become another is refused. Fails: as
  // upstream::ModuleSource; kBadUpstream for what is no module or has changed; kStorageFull; with
  // `late` at the deadline, while the fetch goes on.
  Task<ModuleArrival> Fetch(UpstreamModule module, Version version, std::uint64_t ended,
                            Time deadline, Error late);

  const ModuleFetchCounters& counters() const { return counters_; }

 private:
  struct Repacked;
  Task<ModuleArrival> FetchOnce(UpstreamModule module, Version version, std::uint64_t ended);
  Task<ModuleArrival> Bring(const UpstreamModule& module, const Version& version,
                            std::uint64_t ended);
  Task<std::optional<UpstreamModuleVersion>> FindWhole(const UpstreamModule& module,
                                                       const Version& version);
  Task<std::optional<UpstreamModuleVersion>> AwaitOthers(const UpstreamModule& module,
                                                         const Version& version, FetchLease& lease,
                                                         Time deadline);
  Task<ModuleArrival> BringAs(FetchLease& lease, const UpstreamModule& module,
                              const Version& version, Time deadline);
  Task<ModuleArrival> BringFromUpstream(const UpstreamModule& module, const Version& version,
                                        Time deadline);
  Task<bool> IsHeldWhole(const UpstreamModuleVersion& version);
  Result<Repacked> Repack(int package, const upstream::FetchedModule& fetched, Time until);
  Task<ModuleArrival> Keep(UpstreamModuleVersion record, StagedBlob staged);
  Task<ModuleArrival> ServeUnkept(UpstreamModuleVersion record, StagedBlob staged);
  Status RefuseOther(const UpstreamModuleVersion& first, const UpstreamModuleVersion& now);

  MirrorContext context_;
  upstream::ModuleSource& source_;
  ModuleFetchOptions options_;
  ModuleFetchCounters counters_;
  SingleFlight<ModuleArrival> flights_{context_.pools.modules};
};

}  // namespace koya::service
