// Fetches a package together with the other servers on the same catalog: from its registry, from
// the server that is fetching it, or out of the store (docs/adr/0041). A server that is alone never
// calls this.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "peers/peer_fills.h"
#include "service/mirror/fetch_lease.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/package_arrival.h"
#include "service/mirror/package_words.h"
#include "service/mirror/provider_fetch.h"
#include "upstream/fetcher.h"

namespace koya::service {
namespace {

// For another server that cannot be read from, and lives.
constexpr std::chrono::minutes kStoreTimeout(30);
constexpr std::chrono::milliseconds kLongestPause(1000);
constexpr UnixSeconds kDistrust = 60;
constexpr unsigned kAskAgain = 15;  // seconds
constexpr std::size_t kStoredPiece = 256 * 1024;

}  // namespace

// One package that several servers may be fetching. One thread at a time.
struct ProviderFetch::ClusterFill {
  using LeaseState = FetchLease::LeaseState;

  // Fetches the package from any source that has it, until it is here.
  Task<void> Arrive(FairPool::Slot place);
  Task<void> FetchHere(FairPool::Slot& place);
  Task<bool> IsStored();
  Task<bool> TakeStored();
  Status Verify();
  void Distrust();
  Task<bool> FollowOther();
  Result<peers::PeerAnswer> ReceiveFrom(const std::string& address);
  Task<void> AwaitOther();
  Task<void> StoreFollowed();

  ProviderFetch& fetch;
  const MirrorContext& context;
  ArrivingPackage& arriving;
  PackageArrival& bytes;
  FetchLease lease;
  const Time began = std::chrono::steady_clock::now();
  Time progress = began;    // when another server last sent bytes
  LeaseRecord silent = {};  // the holder that sent nothing, as its lease was then
  std::string reason = {};  // why the last one stopped; logged once
  bool waited = false;      // for others: the slot is released
  bool followed = false;    // another server's bytes are among them
};

Task<void> ProviderFetch::FillInCluster(FairPool::Slot place, ArrivingPackage& arriving,
                                        std::shared_ptr<Fill> fill) {
  const Digest& digest = arriving.package.digest;
  // Offered first: a server that finds the lease must find the bytes.
  std::shared_ptr<const void> offer;
  peers::FillOffers* offers = context_.cluster->offers;
  if (offers != nullptr) offer = offers->Offer(digest, std::move(fill));
  ClusterFill shared{.fetch = *this,
                     .context = context_,
                     .arriving = arriving,
                     .bytes = arriving.bytes,
                     .lease = {*context_.cluster, "fill:" + digest.hex(), context_.log}};
  if (distrusted_.Find(digest, context_.clock.Now())) shared.lease.SkipLease();
  co_return co_await shared.lease.GiveBackAfter(shared.Arrive(std::move(place)));
}

Task<void> ProviderFetch::ClusterFill::Arrive(FairPool::Slot place) {
  for (;;) {
    const LeaseState state = co_await lease.Acquire();
    if (state == LeaseState::kOthers) {
      // A coroutine that waits for other servers holds no thread.
      place.Release();
      waited = true;
    }
    if (state != LeaseState::kAlone) {
      // Others may have stored it since the caller looked.
      ASSIGN_OR_CO_RETURN(bool stored, co_await TakeStored());
      if (stored) co_return Status();
    }
    if (state != LeaseState::kOthers) {
      Status fetched = co_await FetchHere(place);
      if (fetched || !bytes.open() || state != LeaseState::kOurs) co_return fetched;
      // Perhaps another server thought this one dead, and was quicker.
      place.Release();
      ASSIGN_OR_CO_RETURN(bool stored, co_await TakeStored());
      co_return stored ? Status() : fetched;
    }
    ASSIGN_OR_CO_RETURN(bool whole, co_await FollowOther());
    if (whole) co_return co_await StoreFollowed();
    CO_RETURN_IF_ERROR(co_await AwaitOther());
  }
}

Task<void> ProviderFetch::ClusterFill::FetchHere(FairPool::Slot& place) {
  const Time deadline = std::chrono::steady_clock::now() + fetch.options_.startup_retry;
  if (waited) {
    ASSIGN_OR_CO_RETURN(place, co_await context.pools.packages.Enter(
                                   arriving.release.provider.host.ascii(), deadline));
  }
  Status received = co_await fetch.Receive(place, arriving, deadline);
  if (bytes.contradicted()) Distrust();
  CO_RETURN_IF_ERROR(std::move(received));
  CO_RETURN_IF_ERROR(Verify());
  if (context.counter != nullptr) context.counter->RecordFetched(bytes.size());
  co_await fetch.StoreIfPossible(arriving);
  co_return Status();
}

// Returns whether the catalog says by now that the package is stored.
Task<bool> ProviderFetch::ClusterFill::IsStored() {
  Result<UpstreamRelease> now = co_await context.catalog.FindUpstreamRelease(
      arriving.release.provider, arriving.release.version);
  if (!now) co_return false;
  auto package =
      std::ranges::find(now->packages, arriving.package.platform, &UpstreamPackage::platform);
  co_return package != now->packages.end() && package->held &&
      package->digest == arriving.package.digest;
}

// Returns whether the package is in the store by now; the rest of it is then read from there.
Task<bool> ProviderFetch::ClusterFill::TakeStored() {
  ASSIGN_OR_CO_RETURN(bool stored, co_await IsStored());
  if (!stored) co_return false;
  Result<std::shared_ptr<Blob>> blob = co_await context.blobs.Open(arriving.package.digest);
  if (!blob) co_return false;
  if (bytes.size() == 0) {
    bytes.fill().Serve({arriving.package.digest, *std::move(blob)});
    co_return true;
  }
  const Time deadline = std::chrono::steady_clock::now() + fetch.options_.startup_retry;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                      co_await context.pools.packages.Enter("this server's store", deadline));
  CO_RETURN_IF_ERROR(bytes.Begin(bytes.size(), (*blob)->size()));
  std::vector<std::byte> piece(kStoredPiece);
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await (*blob)->ReadAt(bytes.size(), piece));
    if (got == 0) break;
    CO_RETURN_IF_ERROR(bytes.AcceptBytes(std::span(piece).first(got)));
  }
  CO_RETURN_IF_ERROR(Verify());
  co_return true;
}

// As ProviderFetch::Verify; wrong bytes are upstream's fault only if no other server sent any.
Status ProviderFetch::ClusterFill::Verify() {
  if (!followed) return fetch.Verify(arriving);
  ASSIGN_OR_RETURN(BlobInfo info, bytes.Finish());
  if (info.digest == arriving.package.digest) return {};
  Distrust();
  return FailUnavailable("{}: another server sent wrong bytes; try again",
                         NameOf(arriving.release, arriving.package));
}

// The next request gets the package from its registry, whichever server is fetching it.
void ProviderFetch::ClusterFill::Distrust() {
  ++fetch.counters_.contradictions;
  fetch.distrusted_.Put(arriving.package.digest, true, context.clock.Now() + kDistrust);
}

// Reads the package from the server that holds the lease. Returns whether all of it is here and
// verified.
Task<bool> ProviderFetch::ClusterFill::FollowOther() {
  const LeaseRecord other = lease.other();
  // A silent server is asked again once it has renewed its lease.
  const bool heard = other.holder != silent.holder || other.until > silent.until;
  if (other.address.empty() || !heard) co_return false;
  peers::PeerAnswer answer{.end = peers::PeerEnd::kGone, .why = "it has this server's address"};
  if (other.address != context.cluster->address) {
    const Time deadline = std::chrono::steady_clock::now() + fetch.options_.startup_retry;
    ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                        co_await context.pools.packages.Enter(other.address, deadline));
    ASSIGN_OR_CO_RETURN(answer, ReceiveFrom(other.address));
    if (answer.end == peers::PeerEnd::kComplete) {
      CO_RETURN_IF_ERROR(Verify());
      co_return true;
    }
  }
  if (reason != answer.why) {
    reason = answer.why;
    context.log.Info("another server sends no package, or only a part",
                     {{"package", NameOf(arriving.release, arriving.package)},
                      {"server", other.address},
                      {"bytes", bytes.size()},
                      {"reason", reason}});
  }
  if (answer.end == peers::PeerEnd::kSilent) silent = other;
  if (answer.end != peers::PeerEnd::kGone) co_return false;
  const bool ours = co_await lease.TakeOver();
  if (ours) ++fetch.counters_.take_overs;
  co_return false;
}

// Blocks.
Result<peers::PeerAnswer> ProviderFetch::ClusterFill::ReceiveFrom(const std::string& address) {
  peers::PeerTransfer transfer{.address = address,
                               .digest = arriving.package.digest,
                               .offset = bytes.size(),
                               .max_bytes = fetch.MostBytes(arriving.package)};
  transfer.stop = context.pools.packages.stopping();
  transfer.on_start = [this](std::uint64_t length) { return bytes.Begin(bytes.size(), length); };
  transfer.sink = [this](std::span<const std::byte> piece) -> Status {
    followed = true;
    RETURN_IF_ERROR(bytes.AcceptBytes(piece));
    fetch.counters_.peer_bytes += piece.size();
    progress = std::chrono::steady_clock::now();
    return {};
  };
  Result<peers::PeerAnswer> answer = context.cluster->peers.Fetch(transfer);
  bytes.PublishBytes();
  if (bytes.contradicted()) Distrust();
  return answer;
}

// Waits until it makes sense to look at the sources again. Fails: kUnavailable when none of them
// has sent anything for too long, or this server stops.
Task<void> ProviderFetch::ClusterFill::AwaitOther() {
  std::stop_token stop = context.pools.packages.stopping();
  const bool readable = !lease.other().address.empty();
  const Time deadline = readable ? progress + fetch.options_.others_timeout : began + kStoreTimeout;
  if (std::chrono::steady_clock::now() >= deadline) {
    Error error{ErrorKind::kUnavailable,
                fmt::format("another server has stalled while fetching {}; try again in {} seconds",
                            NameOf(arriving.release, arriving.package), kAskAgain),
                {}};
    error.retry_after = kAskAgain;
    co_return Failure(std::move(error));
  }
  if (!lease.IsOurs()) co_await PauseForOthers(stop, kLongestPause);
  if (stop.stop_requested()) co_return upstream::GivenUp();
  co_return Status();
}

// Once the other server has stored the package, this one has it, too, and commits its own copy to
// the store's local cache. If that server dies first, this one stores the package.
Task<void> ProviderFetch::ClusterFill::StoreFollowed() {
  std::stop_token stop = context.pools.packages.stopping();
  const Time end = std::chrono::steady_clock::now() + kStoreTimeout;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    const LeaseState state = co_await lease.Acquire();
    ASSIGN_OR_CO_RETURN(bool stored, co_await IsStored());
    if (stored) {
      Status cached = co_await bytes.writer().Commit();
      if (!cached) context.log.Failure("a package is not cached", cached.error());
      co_return Status();
    }
    if (state != LeaseState::kOthers) {
      co_await fetch.StoreIfPossible(arriving);
      co_return Status();
    }
    co_await PauseForOthers(stop, kLongestPause);
  }
  co_return Status();
}

}  // namespace koya::service
