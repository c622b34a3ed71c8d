// Fetches releases and packages of other registries: downloads and verifies them on the mirror's
// pools, then stores and pins them.
//
// Each fetch is one coroutine on a pool's thread: it blocks for the exchanges, writes arriving
// bytes on that thread, and awaits only the catalog and the commit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/archive_limits.h"
#include "base/expiring_map.h"
#include "base/single_flight.h"
#include "blobs/fill.h"
#include "service/common/attachments.h"
#include "service/mirror/attachment_pull.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_space.h"
#include "service/mirror/pending_uploads.h"

namespace koya::upstream {
struct FetchedDownload;
struct Deadline;
class ProviderSource;
}  // namespace koya::upstream

namespace koya::service {

struct ArrivingPackage;

struct FetchOptions {
  std::uint64_t zip_bytes = 1ULL << 30;
  ArchiveLimits archive{.unpacked_bytes = 4ULL << 30};
  AttachmentLimits attachments = {};
  DiskQuota room{};
  // From a client's request until a package must begin to arrive, including the queue.
  std::chrono::milliseconds startup_retry{60'000};
  // How long a package that another server fetches may make no progress, over all of its sources.
  std::chrono::milliseconds others_timeout{60'000};
  // The longest wait between the first attempts to store documents that the store could not take.
  std::chrono::milliseconds pending_pause{5'000};
};

// Totals since the start, for metrics.
struct FetchCounters {
  std::atomic<std::uint64_t> releases = 0;    // pinned
  std::atomic<std::uint64_t> packages = 0;    // stored
  std::atomic<std::uint64_t> bytes = 0;       // of packages, from upstream
  std::atomic<std::uint64_t> failures = 0;    // exchanges that failed
  std::atomic<std::uint64_t> changed = 0;     // rejected: differs from the first seen
  std::atomic<std::uint64_t> peer_bytes = 0;  // of packages, from other servers of the cluster
  std::atomic<std::uint64_t> take_overs = 0;  // leases taken over from dead servers of the cluster
  // Packages for which two sources sent different bytes; the next request fetched them again.
  std::atomic<std::uint64_t> contradictions = 0;
};

// The purpose of fetching a release.
enum class PinMode {
  kFirst,     // nothing is pinned yet; a concurrent pin stays unchanged
  kComplete,  // adds missing documents and platforms to the pin; fails with kBadUpstream
              // when upstream lists another package than the pinned one
  kRestore,   // documents or attachments of a pinned release are missing from the store
};

struct ReleaseRequest {
  UpstreamProvider provider;
  Version version;
  Platform platform;  // any one; its sums name all platforms
  PinMode mode = PinMode::kFirst;
};

// A package by its file name: of a pinned release, or of one that was never requested.
struct PackageRequest {
  UpstreamProvider provider;
  Version version;
  Platform platform;
  std::string filename;
  std::optional<UpstreamRelease> release;
};

// Numbers of fetches that have ended. If more have ended since, a fetch searches the catalog once
// more before it asks upstream.
struct FetchesEnded {
  std::uint64_t releases = 0;
  std::uint64_t packages = 0;
};

class ProviderFetch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProviderFetch(MirrorContext context, upstream::ProviderSource& source, FetchOptions options)
      : context_(context), source_(source), options_(std::move(options)) {}

  // Read it before asking the catalog, and pass it with the request.
  FetchesEnded ended() const { return {releases_.landed(), fills_.ended()}; }

  // Pins the release with every platform that its SHA256SUMS names, and with the attachments that
  // upstream's description names, as far as they are sound and arrive in time; callers with the
  // same request share one fetch. While the store is away the documents are pending uploads, and a
  // release that is pinned then has none. Fails: as upstream::ProviderSource and VerifyDownload;
  // kStorageFull; kUpstreamTimeout at the deadline, while the fetch goes on.
  Task<UpstreamRelease> FetchRelease(ReleaseRequest wish, FetchesEnded ended, Time deadline);
  // Whether upstream's present description of a pinned release names the same packages. Another
  // digest in SHA256SUMS counts whether or not the description verifies. If so, pins the
  // attachments that the release lacks, and compares the others. Fails: as FetchRelease.
  Task<bool> IsUnchanged(ReleaseRequest wish, UpstreamRelease pinned, Time deadline);
  // Returns the package's fill, under way already or started now. Does not wait.
  std::shared_ptr<Fill> FetchPackage(PackageRequest wish, FetchesEnded ended);

  // Documents that are not stored yet.
  const PendingUploads& owed() const { return pending_; }

  const FetchCounters& counters() const { return counters_; }
  // Number of packages that are arriving.
  std::size_t under_way() const { return fills_.size(); }

 private:
  static constexpr std::size_t kMostLocations = 10'000;
  static constexpr std::size_t kMostDistrusted = 1000;

  struct Staged;
  Task<UpstreamRelease> FetchOnce(ReleaseRequest wish, FetchesEnded ended, Time deadline);
  Task<UpstreamRelease> FetchRelease(ReleaseRequest wish, upstream::Deadline patience);
  Task<bool> CompareWithUpstream(ReleaseRequest wish, UpstreamRelease pinned, Time deadline);
  Task<UpstreamRelease> FetchUnstored(PinMode mode, Staged staged, Error why);
  Task<UpstreamRelease> FetchFrozen(PinMode mode, Staged staged);
  Task<std::vector<UpstreamAttachment>> FindPinned(const UpstreamRelease& now, bool must_agree);
  Task<void> StageAttachments(const ReleaseRequest& wish, Staged& staged,
                              upstream::Deadline patience);
  Result<Staged> Stage(const ReleaseRequest& wish, upstream::FetchedDownload download);
  Result<upstream::FetchedDownload> Describe(const UpstreamProvider& provider,
                                             const Version& version, const Platform& platform,
                                             const upstream::Deadline& patience);
  Awaitable<void> RunFill(std::string key, PackageRequest wish, FetchesEnded ended,
                          std::shared_ptr<Fill> fill);
  Task<void> TryFill(PackageRequest wish, FetchesEnded ended, std::shared_ptr<Fill> fill);
  Task<UpstreamRelease> ReleaseOf(const PackageRequest& wish, FetchesEnded ended,
                                  upstream::Deadline patience);
  Task<void> FillPackage(FairPool::Slot place, const UpstreamRelease& release,
                         const UpstreamPackage& package, std::shared_ptr<Fill> fill);
  // A package's URL upstream, and the attachments beside it.
  struct PackageLocation {
    std::string url;
    std::vector<wire::ForeignAttachment> attachments;
  };
  Result<PackageLocation> LocationOf(const UpstreamRelease& release, const UpstreamPackage& package,
                                     const upstream::Deadline& patience);
  std::uint64_t MostBytes(const UpstreamPackage& package) const;
  Task<void> Receive(FairPool::Slot& place, ArrivingPackage& arriving, Time deadline);
  Status Verify(ArrivingPackage& arriving);
  Awaitable<void> StoreIfPossible(ArrivingPackage& arriving);
  Task<void> StorePackage(ArrivingPackage& arriving);
  Task<void> PinLateAttachments(ArrivingPackage& arriving);
  std::vector<std::string> ComputeH1(ArrivingPackage& arriving);

  Task<void> PinAttachments(AttachmentWish wish, upstream::Deadline patience);

  // With other servers on the same catalog (package_cluster.cc).
  struct ClusterFill;
  Task<void> FillInCluster(FairPool::Slot place, ArrivingPackage& arriving,
                           std::shared_ptr<Fill> fill);

  MirrorContext context_;
  upstream::ProviderSource& source_;
  FetchOptions options_;
  FetchCounters counters_;
  AttachmentPull attachments_{context_, source_, options_.attachments, options_.room};
  PendingUploads pending_{context_, options_.pending_pause};
  SingleFlight<UpstreamRelease> releases_{context_.pools.documents};
  SingleFlight<bool> comparisons_{context_.pools.documents};
  FillBoard fills_;
  // Upstream locations of packages of recently described releases, so that the fill which usually
  // follows does not ask again.
  ExpiringMap<std::string, PackageLocation, UnixSeconds> locations_{kMostLocations};
  // Packages that are not fetched from other servers of the cluster, since these sent other bytes.
  ExpiringMap<Digest, bool, UnixSeconds> distrusted_{kMostDistrusted};
};

}  // namespace koya::service
