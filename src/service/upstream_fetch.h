// Fetches a release or a package from upstream, verifies it, and keeps it. Blocking: everything
// here runs on the mirror's own pools.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "archive/module_package.h"
#include "base/clock.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "blobs/fill.h"
#include "service/disk_room.h"
#include "service/mirror_context.h"
#include "upstream/provider_source.h"
#include "upstream/verification.h"

namespace koya::service {

struct FetchOptions {
  std::uint64_t zip_bytes = 1ULL << 30;
  ArchiveLimits archive{.unpacked_bytes = 4ULL << 30};
  DiskRoom room{};
  // From a client's request until a package must begin to arrive, queueing included.
  std::chrono::milliseconds start_patience{60'000};
};

// What happened so far, for metrics.
struct FetchCounters {
  std::atomic<std::uint64_t> releases = 0;  // pinned
  std::atomic<std::uint64_t> packages = 0;  // held
  std::atomic<std::uint64_t> bytes = 0;     // of packages, from upstream
  std::atomic<std::uint64_t> failures = 0;  // exchanges that failed
  std::atomic<std::uint64_t> changed = 0;   // refused: not what was seen first
};

enum class PinMode {
  kFirst,     // nothing is pinned yet; what somebody else pins meanwhile stays as it is
  kComplete,  // what is pinned gets documents and platforms that it lacks, if they fit
};

class UpstreamFetch {
 public:
  // Everything given must outlive this; `archives` is waited for before it goes.
  UpstreamFetch(UpstreamCatalog& catalog, BlobStore& blobs, upstream::ProviderSource& source,
                WorkerPool& archives, ChangeFeed& changes, const Clock& clock, Logger& log,
                FetchOptions options)
      : catalog_(catalog),
        blobs_(blobs),
        source_(source),
        archives_(archives),
        changes_(changes),
        clock_(clock),
        log_(log),
        options_(options) {}

  // Blocks. Pins the release with every platform that its SHA256SUMS names. Fails: as
  // upstream::ProviderSource and VerifyDownload; kStorageFull.
  Result<UpstreamRelease> FetchRelease(const UpstreamProvider& provider, const Version& version,
                                       const Platform& platform, PinMode mode);
  // Does not block. The fill that brings the package, under way already or begun now.
  std::shared_ptr<Fill> FetchPackage(const UpstreamRelease& release,
                                     const UpstreamPackage& package);

  // Blocks. The same, until the package is held, or is known not to be had.
  Status RestorePackage(const UpstreamRelease& release, const UpstreamPackage& package);

  const FetchCounters& counters() const { return counters_; }
  // How many packages are arriving.
  std::size_t under_way() const { return fills_.size(); }

 private:
  struct Arriving;
  Result<upstream::FetchedDownload> Describe(const UpstreamProvider& provider,
                                             const Version& version, const Platform& platform);
  Result<std::string> LocationOf(const UpstreamRelease& release, const UpstreamPackage& package);
  Result<ReleaseDocument> Store(std::string_view text);
  bool ServeHeld(const UpstreamRelease& release, const UpstreamPackage& package, Fill& fill);
  void RunFill(const UpstreamRelease& release, const UpstreamPackage& package, Fill& fill);
  Status Receive(const std::string& location, Arriving& arriving);
  Status Keep(const UpstreamRelease& release, const UpstreamPackage& package, Arriving& arriving);
  void RememberLocation(const std::string& key, std::string url);

  UpstreamCatalog& catalog_;
  BlobStore& blobs_;
  upstream::ProviderSource& source_;
  WorkerPool& archives_;
  ChangeFeed& changes_;
  const Clock& clock_;
  Logger& log_;
  FetchOptions options_;
  FetchCounters counters_;
  FillBoard fills_;
  // Where packages of releases that were just described lie, so that the fill which usually
  // follows does not ask again.
  struct Location {
    std::string url;
    UnixSeconds until = 0;
  };
  std::mutex locations_mutex_;
  std::map<std::string, Location> locations_;
};

}  // namespace koya::service
