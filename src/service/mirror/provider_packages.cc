// How a package comes here: from its registry, from another server that is fetching it, or out of
// the store (docs/adr/0041).
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "archive/provider_package.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "peers/fill_offers.h"
#include "peers/peer_source.h"
#include "service/mirror/context.h"
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

Failure NobodySends(const UpstreamRelease& release, const UpstreamPackage& package) {
  Error error{ErrorKind::kUnavailable,
              fmt::format("another server has stalled while fetching {}; try again in {} seconds",
                          NameOf(release, package), kAskAgain),
              {}};
  error.retry_after = kAskAgain;
  return Failure(std::move(error));
}

}  // namespace

// A package on its way, and who else is fetching it.
struct ProviderFetch::Arriving {
  const UpstreamRelease& release;
  const UpstreamPackage& package;
  PackageArrival bytes;
  FetchLease lease;
  Time began = std::chrono::steady_clock::now();
  Time progress = began;    // when it went on last
  LeaseRecord silent = {};  // the holder who said nothing, as they were then
  std::string why = {};     // the last one stopped; told once
  bool waited = false;      // for others: there is no place any more
  bool followed = false;    // another server's bytes are among them
};

Task<void> ProviderFetch::FillPackage(FairPool::Slot place, const UpstreamRelease& release,
                                      const UpstreamPackage& package, std::shared_ptr<Fill> fill) {
  if (package.size > options_.zip_bytes) {
    co_return FailLimit(
        ErrorKind::kBadUpstream, "limits.provider_zip_bytes",
        fmt::format(
            "{} has {} bytes according to its registry; limits.provider_zip_bytes allows {}",
            NameOf(release, package), package.size, options_.zip_bytes));
  }
  // Only after the size check: a package that is too large needs no space.
  CO_RETURN_IF_ERROR(options_.room.Check(package.size));
  const ClusterLinks& cluster = context_.cluster;
  Arriving arriving{.release = release,
                    .package = package,
                    .bytes = {context_.blobs, options_.room, package.digest, *fill},
                    .lease = {cluster, "fill:" + package.digest.hex(), context_.log}};
  // Offered first: a server that finds the lease must find the bytes.
  std::shared_ptr<const void> offer;
  if (cluster.offers != nullptr) offer = cluster.offers->Offer(package.digest, std::move(fill));
  if (distrusted_.Find(package.digest, context_.clock.Now())) arriving.lease.SkipLease();
  Status brought;
  std::exception_ptr thrown;
  try {
    brought = co_await Arrive(std::move(place), arriving);
  } catch (...) {
    thrown = std::current_exception();
  }
  co_await arriving.lease.GiveBack();
  if (thrown) std::rethrow_exception(thrown);
  co_return brought;
}

// Fetches the package from any source that has it, until it is here.
Task<void> ProviderFetch::Arrive(FairPool::Slot place, Arriving& arriving) {
  for (;;) {
    FetchLease::LeaseState standing = co_await arriving.lease.Acquire();
    if (standing != FetchLease::LeaseState::kAlone) {
      // Others may have stored it since it was looked for.
      if (standing == FetchLease::LeaseState::kOthers) ReleaseSlot(place, arriving);
      ASSIGN_OR_CO_RETURN(bool stored, co_await TakeStored(arriving));
      if (stored) co_return Status();
    }
    if (standing != FetchLease::LeaseState::kOthers) {
      Status brought = co_await FetchFromUpstream(std::move(place), arriving);
      if (brought || !arriving.bytes.open()) co_return brought;
      // Perhaps this server was thought dead, and another one was quicker.
      bool stored = false;
      if (standing == FetchLease::LeaseState::kOurs) {
        ASSIGN_OR_CO_RETURN(stored, co_await TakeStored(arriving));
      }
      if (stored) co_return Status();
      co_return brought;
    }
    ASSIGN_OR_CO_RETURN(bool whole, co_await FollowOther(arriving));
    if (whole) co_return co_await KeepFollowed(arriving);
    CO_RETURN_IF_ERROR(co_await AwaitOther(arriving));
  }
}

// A coroutine that waits for other servers holds no thread.
void ProviderFetch::ReleaseSlot(FairPool::Slot& place, Arriving& arriving) {
  place.Release();
  arriving.waited = true;
}

Task<bool> ProviderFetch::IsHeldByNow(const Arriving& arriving) {
  const UpstreamRelease& release = arriving.release;
  Result<UpstreamRelease> now =
      co_await context_.catalog.FindUpstreamRelease(release.provider, release.version);
  if (!now) co_return false;
  auto package =
      std::ranges::find(now->packages, arriving.package.platform, &UpstreamPackage::platform);
  co_return package != now->packages.end() && package->held &&
      package->digest == arriving.package.digest;
}

// Returns whether the package is in the store by now; the rest of it is then read from there.
Task<bool> ProviderFetch::TakeStored(Arriving& arriving) {
  ASSIGN_OR_CO_RETURN(bool held, co_await IsHeldByNow(arriving));
  if (!held) co_return false;
  Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(arriving.package.digest);
  if (!blob) co_return false;
  if (arriving.bytes.size() == 0) {
    arriving.bytes.fill().Serve({arriving.package.digest, *std::move(blob)});
    co_return true;
  }
  Time deadline = std::chrono::steady_clock::now() + options_.startup_retry;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                      co_await context_.pools.packages.Enter("this server's store", deadline));
  CO_RETURN_IF_ERROR(arriving.bytes.Begin(arriving.bytes.size(), (*blob)->size()));
  std::vector<std::byte> piece(kStoredPiece);
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::size_t got, co_await (*blob)->ReadAt(arriving.bytes.size(), piece));
    if (got == 0) break;
    CO_RETURN_IF_ERROR(arriving.bytes.AcceptBytes(std::span(piece).first(got)));
  }
  CO_RETURN_IF_ERROR(Verify(arriving));
  co_return true;
}

// Verifies the bytes, all of which have arrived. Only then do readers get the last of them.
Status ProviderFetch::Verify(Arriving& arriving) {
  ASSIGN_OR_RETURN(BlobInfo info, arriving.bytes.Finish());
  if (info.digest == arriving.package.digest) return {};
  if (!arriving.followed) {
    ++counters_.changed;
    return Changed(NameOf(arriving.release, arriving.package), arriving.package.digest,
                   info.digest.hex());
  }
  Distrust(arriving);
  return FailUnavailable("{}: another server sent wrong bytes; try again",
                         NameOf(arriving.release, arriving.package));
}

// The next request gets the package from its registry, whichever server is fetching it.
void ProviderFetch::Distrust(const Arriving& arriving) {
  ++counters_.contradictions;
  distrusted_.Put(arriving.package.digest, true, context_.clock.Now() + kDistrust);
}

// Reads the package from the server that holds the lease. Returns whether all of it is here and
// verified.
Task<bool> ProviderFetch::FollowOther(Arriving& arriving) {
  const LeaseRecord other = arriving.lease.other();
  // Who was silent is asked again when they were heard of since.
  bool heard = other.holder != arriving.silent.holder || other.until > arriving.silent.until;
  if (other.address.empty() || context_.cluster.peers == nullptr || !heard) co_return false;
  peers::PeerAnswer answer{.end = peers::PeerEnd::kGone, .why = "it has this server's address"};
  if (other.address != context_.cluster.address) {
    Time deadline = std::chrono::steady_clock::now() + options_.startup_retry;
    ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                        co_await context_.pools.packages.Enter(other.address, deadline));
    ASSIGN_OR_CO_RETURN(answer, ReceiveFrom(other.address, arriving));
    if (answer.end == peers::PeerEnd::kComplete) {
      CO_RETURN_IF_ERROR(Verify(arriving));
      co_return true;
    }
  }
  LogReason(arriving, answer);
  if (answer.end == peers::PeerEnd::kSilent) arriving.silent = other;
  if (answer.end != peers::PeerEnd::kGone) co_return false;
  bool ours = co_await arriving.lease.TakeOver();
  if (ours) ++counters_.take_overs;
  co_return false;
}

void ProviderFetch::LogReason(Arriving& arriving, const peers::PeerAnswer& answer) {
  if (arriving.why == answer.why) return;
  arriving.why = answer.why;
  context_.log.Info("another server sends no package, or only a part",
                    {{"package", NameOf(arriving.release, arriving.package)},
                     {"server", arriving.lease.other().address},
                     {"bytes", arriving.bytes.size()},
                     {"reason", answer.why}});
}

// Blocks.
Result<peers::PeerAnswer> ProviderFetch::ReceiveFrom(const std::string& address,
                                                     Arriving& arriving) {
  PackageArrival& bytes = arriving.bytes;
  peers::PeerTransfer transfer{.address = address,
                               .digest = arriving.package.digest,
                               .offset = bytes.size(),
                               .max_bytes = MostBytes(arriving.package)};
  transfer.stop = context_.pools.packages.stopping();
  transfer.on_start = [&bytes](std::uint64_t length) { return bytes.Begin(bytes.size(), length); };
  transfer.sink = [&](std::span<const std::byte> piece) -> Status {
    arriving.followed = true;
    RETURN_IF_ERROR(bytes.AcceptBytes(piece));
    counters_.peer_bytes += piece.size();
    arriving.progress = std::chrono::steady_clock::now();
    return {};
  };
  Result<peers::PeerAnswer> answer = context_.cluster.peers->Fetch(transfer);
  bytes.PublishBytes();
  if (bytes.contradicted()) Distrust(arriving);
  return answer;
}

// Until it makes sense to look at the sources again. Fails: kUnavailable when none of them has sent
// anything for too long, or this server stops.
Task<void> ProviderFetch::AwaitOther(Arriving& arriving) {
  std::stop_token stop = context_.pools.packages.stopping();
  Time now = std::chrono::steady_clock::now();
  bool readable = !arriving.lease.other().address.empty() && context_.cluster.peers != nullptr;
  Time patience_ends = arriving.progress + options_.others_timeout;
  if (!readable) patience_ends = arriving.began + kStoreTimeout;
  if (now >= patience_ends) co_return NobodySends(arriving.release, arriving.package);
  bool ours = arriving.lease.IsOurs();
  if (!ours) co_await PauseForOthers(stop, kLongestPause);
  if (stop.stop_requested()) co_return upstream::GivenUp();
  co_return Status();
}

std::uint64_t ProviderFetch::MostBytes(const UpstreamPackage& package) const {
  return package.size > 0 ? package.size : options_.zip_bytes;
}

Task<void> ProviderFetch::FetchFromUpstream(FairPool::Slot place, Arriving& arriving) {
  FairPool& pool = context_.pools.packages;
  Time deadline = std::chrono::steady_clock::now() + options_.startup_retry;
  if (arriving.waited) {
    ASSIGN_OR_CO_RETURN(place,
                        co_await pool.Enter(arriving.release.provider.host.ascii(), deadline));
  }
  ASSIGN_OR_CO_RETURN(std::string location,
                      LocationOf(arriving.release, arriving.package, {deadline, pool.stopping()}));
  // From here on it is another host that is waited for.
  place.Release();
  ASSIGN_OR_CO_RETURN(place, co_await pool.Enter(upstream::AuthorityOf(location), deadline));
  CO_RETURN_IF_ERROR(Receive(location, arriving));
  CO_RETURN_IF_ERROR(Verify(arriving));
  if (context_.counter != nullptr) context_.counter->RecordFetched(arriving.bytes.size());
  co_await KeepIfPossible(arriving);
  co_return Status();
}

// From the beginning: archives of other registries are not asked for in parts.
Status ProviderFetch::Receive(const std::string& location, Arriving& arriving) {
  PackageArrival& bytes = arriving.bytes;
  upstream::ArchiveTransfer transfer{.url = location, .max_bytes = MostBytes(arriving.package)};
  transfer.patience.stop = context_.pools.packages.stopping();
  transfer.on_start = [&bytes](std::optional<std::uint64_t> length) {
    return bytes.Begin(0, length);
  };
  transfer.sink = [&](std::span<const std::byte> piece) -> Status {
    counters_.bytes += piece.size();
    return bytes.AcceptBytes(piece);
  };
  Status received = source_.FetchArchive(transfer);
  bytes.PublishBytes();
  if (bytes.contradicted()) Distrust(arriving);
  return received;
}

// Once the other server has stored the package, this one has it, too, and commits its own copy to
// the store's local cache. If that server dies first, this one stores the package.
Task<void> ProviderFetch::KeepFollowed(Arriving& arriving) {
  std::stop_token stop = context_.pools.packages.stopping();
  const Time end = std::chrono::steady_clock::now() + kStoreTimeout;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    FetchLease::LeaseState standing = co_await arriving.lease.Acquire();
    ASSIGN_OR_CO_RETURN(bool held, co_await IsHeldByNow(arriving));
    if (held) {
      Status kept = co_await arriving.bytes.writer().Commit();
      if (!kept) context_.log.Failure("a package is not cached", kept.error());
      co_return Status();
    }
    if (standing != FetchLease::LeaseState::kOthers) {
      co_await KeepIfPossible(arriving);
      co_return Status();
    }
    co_await PauseForOthers(stop, kLongestPause);
  }
  co_return Status();
}

// A failure costs another fetch, and no reader anything.
Awaitable<void> ProviderFetch::KeepIfPossible(Arriving& arriving) {
  Status kept = co_await StorePackage(arriving.release, arriving.package, arriving.bytes.writer());
  if (kept) co_return;
  context_.log.Failure("a package was served, but could not be stored: " +
                           NameOf(arriving.release, arriving.package),
                       kept.error());
}

// Returns no hash for a package that breaks the rules for archives. Its bytes have been sent by
// then, and are the ones that its author signed: they are stored as its registry has them, and
// logged once. Upstream's h1 is not used, as it was not computed here.
std::vector<std::string> ProviderFetch::ComputeH1(const UpstreamRelease& release,
                                                  const UpstreamPackage& package,
                                                  const BlobWriter& writer) {
  auto inspection = InspectProviderPackage(writer.staged_file(), writer.size(),
                                           release.provider.address.type(), options_.archive);
  if (inspection) return std::move(inspection->h1);
  context_.log.Failure(
      "a package is stored that would be rejected as an upload: " + NameOf(release, package),
      inspection.error());
  context_.log.TakeLimit(inspection.error());
  return {};
}

Task<void> ProviderFetch::StorePackage(const UpstreamRelease& release,
                                       const UpstreamPackage& package, BlobWriter& writer) {
  UpstreamPackage held = package;
  held.size = writer.size();
  held.held = true;
  held.used_at = context_.clock.Now();
  held.hashes = ComputeH1(release, package, writer);
  CO_RETURN_IF_ERROR(co_await writer.Commit());
  CO_RETURN_IF_ERROR(
      co_await context_.catalog.HoldPackage(release.provider, release.version, std::move(held)));
  ++counters_.packages;
  const bool was_held = std::ranges::any_of(release.packages, &UpstreamPackage::held);
  if (!was_held) IndexSoon(context_, release.provider, release.version);
  co_return Status();
}

}  // namespace koya::service
