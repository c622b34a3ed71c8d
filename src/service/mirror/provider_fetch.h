// Brings releases and packages of other registries here: fetched and verified on the mirror's
// pools, then stored and pinned.
//
// Each goes down once and comes up once: one coroutine on a pool's thread blocks for the exchanges,
// writes what arrives where it is, and awaits only the catalog and the commit.
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
#include "service/mirror/context.h"
#include "service/mirror/disk_room.h"
#include "service/mirror/mirror_pools.h"
#include "service/mirror/owed_documents.h"

namespace koya {
class BlobWriter;
}
namespace koya::peers {
struct PeerAnswer;
}
namespace koya::upstream {
struct FetchedDownload;
struct Patience;
class ProviderSource;
}  // namespace koya::upstream

namespace koya::service {

struct FetchOptions {
  std::uint64_t zip_bytes = 1ULL << 30;
  ArchiveLimits archive{.unpacked_bytes = 4ULL << 30};
  DiskRoom room{};
  // From a client's request until a package must begin to arrive, queueing included.
  std::chrono::milliseconds start_patience{60'000};
  // How long a package that another server fetches may stand still, wherever it could come from.
  std::chrono::milliseconds others_patience{60'000};
  // The longest between the first attempts to store documents that the store could not take.
  std::chrono::milliseconds owed_pause{5'000};
};

// What happened so far, for metrics.
struct FetchCounters {
  std::atomic<std::uint64_t> releases = 0;    // pinned
  std::atomic<std::uint64_t> packages = 0;    // held
  std::atomic<std::uint64_t> bytes = 0;       // of packages, from upstream
  std::atomic<std::uint64_t> failures = 0;    // exchanges that failed
  std::atomic<std::uint64_t> changed = 0;     // refused: not what was seen first
  std::atomic<std::uint64_t> peer_bytes = 0;  // of packages, from other servers of the cluster
  std::atomic<std::uint64_t> take_overs = 0;  // from servers of the cluster that died
  // Packages of which two sources said different things; whoever asked again got them anew.
  std::atomic<std::uint64_t> contradictions = 0;
};

// What a release is fetched for.
enum class PinMode {
  kFirst,     // nothing is pinned yet; what somebody else pins meanwhile stays as it is
  kComplete,  // what is pinned gets documents and platforms that it lacks; fails with kBadUpstream
              // when a package that is pinned is not the one that upstream lists
  kRestore,   // the documents of what is pinned are gone from the store
};

struct ReleaseWish {
  UpstreamProvider provider;
  Version version;
  Platform platform;  // any one leads to the sums of all
  PinMode mode = PinMode::kFirst;
};

// A package by its file's name: of a release that is pinned, or of one that nobody has asked for.
struct PackageWish {
  UpstreamProvider provider;
  Version version;
  Platform platform;
  std::string filename;
  std::optional<UpstreamRelease> release;
};

// How many fetches have ended so far. What ended since then is looked for once more, before
// upstream is asked.
struct FetchesEnded {
  std::uint64_t releases = 0;
  std::uint64_t packages = 0;
};

class ProviderFetch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  ProviderFetch(MirrorContext context, upstream::ProviderSource& source, FetchOptions options)
      : context_(context), source_(source), options_(std::move(options)) {}

  // To be taken before the catalog is asked, and handed back with a wish.
  FetchesEnded ended() const { return {releases_.landed(), fills_.ended()}; }

  // Pins the release with every platform that its SHA256SUMS names; callers with the same wish
  // share one fetch. While the store is away its documents are owed: a release that is pinned then
  // has none. Fails: as upstream::ProviderSource and VerifyDownload; kStorageFull;
  // kUpstreamTimeout at the deadline, while the fetch goes on.
  Task<UpstreamRelease> FetchRelease(ReleaseWish wish, FetchesEnded ended, Time deadline);
  // Does not wait. The fill that brings the package, under way already or begun now.
  std::shared_ptr<Fill> FetchPackage(PackageWish wish, FetchesEnded ended);

  // Documents that are not stored yet.
  const OwedDocuments& owed() const { return owed_; }

  const FetchCounters& counters() const { return counters_; }
  // How many packages are arriving.
  std::size_t under_way() const { return fills_.size(); }

 private:
  static constexpr std::size_t kMostLocations = 10'000;
  static constexpr std::size_t kMostDistrusted = 1000;

  struct Staged;
  struct Arriving;
  Task<UpstreamRelease> FetchOnce(ReleaseWish wish, FetchesEnded ended, Time deadline);
  Task<UpstreamRelease> Bring(ReleaseWish wish, upstream::Patience patience);
  Task<UpstreamRelease> BringUnstored(PinMode mode, Staged staged, Error why);
  Task<UpstreamRelease> PinBare(UpstreamRelease whole, bool add_platforms);
  Task<void> RefuseOther(const UpstreamRelease& now);
  Result<Staged> Stage(const ReleaseWish& wish, const upstream::Patience& patience);
  Result<upstream::FetchedDownload> Describe(const UpstreamProvider& provider,
                                             const Version& version, const Platform& platform,
                                             const upstream::Patience& patience);
  Awaitable<void> RunFill(std::string key, PackageWish wish, FetchesEnded ended,
                          std::shared_ptr<Fill> fill);
  Task<void> TryFill(PackageWish wish, FetchesEnded ended, std::shared_ptr<Fill> fill);
  Task<UpstreamRelease> ReleaseOf(const PackageWish& wish, FetchesEnded ended,
                                  upstream::Patience patience);
  Task<bool> ServeHeld(const UpstreamPackage& package, Fill& fill);
  Task<void> BringPackage(FairPool::Place place, const UpstreamRelease& release,
                          const UpstreamPackage& package, std::shared_ptr<Fill> fill);
  Task<void> Arrive(FairPool::Place place, Arriving& arriving);
  void LeavePlace(FairPool::Place& place, Arriving& arriving);
  Task<bool> IsHeldByNow(const Arriving& arriving);
  Task<bool> TakeStored(Arriving& arriving);
  Status Verify(Arriving& arriving);
  void Distrust(const Arriving& arriving);
  Task<bool> FollowOther(Arriving& arriving);
  void TellWhy(Arriving& arriving, const peers::PeerAnswer& answer);
  Result<peers::PeerAnswer> ReceiveFrom(const std::string& address, Arriving& arriving);
  Task<void> AwaitOther(Arriving& arriving);
  std::uint64_t MostBytes(const UpstreamPackage& package) const;
  Task<void> BringFromUpstream(FairPool::Place place, Arriving& arriving);
  Result<std::string> LocationOf(const UpstreamRelease& release, const UpstreamPackage& package,
                                 const upstream::Patience& patience);
  Status Receive(const std::string& location, Arriving& arriving);
  Task<void> KeepFollowed(Arriving& arriving);
  Awaitable<void> KeepIfPossible(Arriving& arriving);
  std::vector<std::string> ComputeH1(const UpstreamRelease& release, const UpstreamPackage& package,
                                     const BlobWriter& writer);
  Task<void> Keep(const UpstreamRelease& release, const UpstreamPackage& package,
                  BlobWriter& writer);
  void NoteFailure(const UpstreamRelease& release, const UpstreamPackage& package,
                   const Error& error);

  MirrorContext context_;
  upstream::ProviderSource& source_;
  FetchOptions options_;
  FetchCounters counters_;
  OwedDocuments owed_{context_, options_.owed_pause};
  SingleFlight<UpstreamRelease> releases_{context_.pools.documents};
  FillBoard fills_;
  // Where packages of releases that were just described lie, so that the fill which usually
  // follows does not ask again.
  ExpiringMap<std::string, std::string, UnixSeconds> locations_{kMostLocations};
  // What is not to be taken from other servers: they sent something else.
  ExpiringMap<Digest, bool, UnixSeconds> distrusted_{kMostDistrusted};
};

}  // namespace koya::service
