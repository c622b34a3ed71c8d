// Packages: fetched from their registry, verified, stored, recorded.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "archive/provider_package.h"
#include "catalog/upstream_catalog.h"
#include "domain/mirrored_subject.h"
#include "obs/log.h"
#include "service/common/freeze.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/package_arrival.h"
#include "service/mirror/package_words.h"
#include "service/mirror/provider_fetch.h"
#include "service/search/index_queue.h"
#include "upstream/fetcher.h"

namespace koya::service {

std::shared_ptr<Fill> ProviderFetch::FetchPackage(PackageRequest wish, FetchesEnded ended) {
  std::string key = PackageKey(wish.provider, wish.version, wish.platform);
  auto begin = [&](std::shared_ptr<Fill> fill) {
    context_.pools.packages.Spawn(RunFill(key, std::move(wish), ended, std::move(fill)));
  };
  return fills_.Join(key, begin);
}

Awaitable<void> ProviderFetch::RunFill(std::string key, PackageRequest wish, FetchesEnded ended,
                                       std::shared_ptr<Fill> fill) {
  Status filled;
  try {
    filled = co_await TryFill(std::move(wish), ended, std::move(fill));
  } catch (const std::exception& exception) {
    filled = Fail(ErrorKind::kInternal, "the package could not be fetched; see the log",
                  exception.what());
  }
  fills_.EndFill(key, std::move(filled));
}

Task<void> ProviderFetch::TryFill(PackageRequest wish, FetchesEnded ended,
                                  std::shared_ptr<Fill> fill) {
  FairPool& pool = context_.pools.packages;
  Time deadline = std::chrono::steady_clock::now() + options_.startup_retry;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                      co_await pool.Enter(wish.provider.host.ascii(), deadline));
  upstream::Deadline patience{deadline, pool.stopping()};
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await ReleaseOf(wish, ended, std::move(patience)));
  auto package = std::ranges::find(release.packages, wish.filename, &UpstreamPackage::filename);
  if (package == release.packages.end()) {
    co_return FailNotFound("{} {} has no file \"{}\"", wish.provider.Key(), wish.version.ToString(),
                           wish.filename);
  }
  if (package->held) {
    // Another fill has ended since the caller looked: upstream is not asked twice.
    Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(package->digest);
    if (blob) {
      fill->Serve({package->digest, *std::move(blob)});
      co_return Status();
    }
  }
  Status filled = co_await FillPackage(std::move(place), release, *package, std::move(fill));
  if (!filled) {
    // Too large, or gone although it is pinned: that is upstream's, not what the client asks for.
    Error& error = filled.error();
    bool upstreams = error.kind == ErrorKind::kTooLarge || error.kind == ErrorKind::kNotFound;
    if (upstreams) error.kind = ErrorKind::kBadUpstream;
    context_.log.TakeLimit(error);
    if (pool.stopping().stop_requested()) co_return filled;  // no failure: the server stops
    ++counters_.failures;
    // Another URL may work better next time.
    locations_.Erase(PackageKey(release.provider, release.version, package->platform));
    context_.log.Failure("a package could not be fetched: " + NameOf(release, *package), error);
  }
  co_return filled;
}

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
  ArrivingPackage arriving{
      release, package, {context_.blobs, options_.room, package.digest, *fill}};
  if (context_.cluster != nullptr) {
    co_return co_await FillInCluster(std::move(place), arriving, fill);
  }
  const Time deadline = std::chrono::steady_clock::now() + options_.startup_retry;
  CO_RETURN_IF_ERROR(co_await Receive(place, arriving, deadline));
  CO_RETURN_IF_ERROR(Verify(arriving));
  if (context_.counter != nullptr) context_.counter->RecordFetched(arriving.bytes.size());
  co_await StoreIfPossible(arriving);
  co_return Status();
}

std::uint64_t ProviderFetch::MostBytes(const UpstreamPackage& package) const {
  return package.size > 0 ? package.size : options_.zip_bytes;
}

// From the beginning: archives of other registries are not asked for in parts.
Task<void> ProviderFetch::Receive(FairPool::Slot& place, ArrivingPackage& arriving, Time deadline) {
  FairPool& pool = context_.pools.packages;
  ASSIGN_OR_CO_RETURN(PackageLocation found,
                      LocationOf(arriving.release, arriving.package, {deadline, pool.stopping()}));
  const std::string location = std::move(found.url);
  arriving.attachments = std::move(found.attachments);
  // From here on it is another host that is waited for.
  place.Release();
  ASSIGN_OR_CO_RETURN(place, co_await pool.Enter(upstream::AuthorityOf(location), deadline));
  PackageArrival& bytes = arriving.bytes;
  upstream::ArchiveTransfer transfer{.url = location, .max_bytes = MostBytes(arriving.package)};
  transfer.patience.stop = pool.stopping();
  transfer.on_start = [&bytes](std::optional<std::uint64_t> length) {
    return bytes.Begin(0, length);
  };
  transfer.sink = [this, &bytes](std::span<const std::byte> piece) -> Status {
    counters_.bytes += piece.size();
    return bytes.AcceptBytes(piece);
  };
  Status received = source_.FetchArchive(transfer);
  bytes.PublishBytes();
  co_return received;
}

// Verifies the bytes, all of which have arrived. Only then do readers get the last of them.
Status ProviderFetch::Verify(ArrivingPackage& arriving) {
  ASSIGN_OR_RETURN(BlobInfo info, arriving.bytes.Finish());
  if (info.digest == arriving.package.digest) return {};
  ++counters_.changed;
  return Changed(NameOf(arriving.release, arriving.package), arriving.package.digest,
                 info.digest.hex());
}

// A failure costs another fetch, and no reader anything.
Awaitable<void> ProviderFetch::StoreIfPossible(ArrivingPackage& arriving) {
  if (co_await IsFrozen(context_.freeze)) co_return;
  Status stored = co_await StorePackage(arriving);
  if (stored) co_return;
  context_.log.Failure("a package was served, but could not be stored: " +
                           NameOf(arriving.release, arriving.package),
                       stored.error());
}

Task<void> ProviderFetch::StorePackage(ArrivingPackage& arriving) {
  const UpstreamRelease& release = arriving.release;
  const UpstreamPackage& package = arriving.package;
  UpstreamPackage held = package;
  held.size = arriving.bytes.size();
  held.held = true;
  held.used_at = context_.clock.Now();
  held.hashes = ComputeH1(arriving);
  CO_RETURN_IF_ERROR(co_await arriving.bytes.writer().Commit());
  CO_RETURN_IF_ERROR(
      co_await context_.catalog.HoldPackage(release.provider, release.version, std::move(held)));
  ++counters_.packages;
  const bool was_held = std::ranges::any_of(release.packages, &UpstreamPackage::held);
  if (!was_held && context_.index != nullptr) {
    context_.index->Add(MirroredSubject(release.provider, release.version));
  }
  co_return co_await PinLateAttachments(arriving);
}

// Pins attachments that only this platform's description names, or that failed when the release was
// pinned.
Task<void> ProviderFetch::PinLateAttachments(ArrivingPackage& arriving) {
  if (arriving.attachments.empty()) co_return Status();
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await context_.catalog.FindUpstreamRelease(arriving.release.provider,
                                                                    arriving.release.version));
  AttachmentWish wish{std::move(release), arriving.package.platform,
                      std::move(arriving.attachments)};
  co_return co_await PinAttachments(std::move(wish),
                                    {SteadyTime::max(), context_.pools.packages.stopping()});
}

// Returns no hash for a package that breaks the rules for archives. Its bytes have been sent by
// then, and are the ones that its author signed: they are stored as its registry has them, and
// logged once. Upstream's h1 is not used, as it was not computed here.
std::vector<std::string> ProviderFetch::ComputeH1(ArrivingPackage& arriving) {
  const BlobWriter& writer = arriving.bytes.writer();
  auto inspection =
      InspectProviderPackage(writer.staged_file(), writer.size(),
                             arriving.release.provider.address.type(), options_.archive);
  if (inspection) return std::move(inspection->h1);
  context_.log.Failure("a package is stored that would be rejected as an upload: " +
                           NameOf(arriving.release, arriving.package),
                       inspection.error());
  context_.log.TakeLimit(inspection.error());
  return {};
}

}  // namespace koya::service
