#include "service/mirror/provider_fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "archive/provider_package.h"
#include "blobs/staged_blob.h"
#include "upstream/fetcher.h"
#include "upstream/promised.h"
#include "upstream/verification.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

constexpr std::chrono::seconds kLocationLife(120);  // signed URLs of other registries live minutes
// Readers are woken for so many new bytes at a time.
constexpr std::size_t kPiece = 256 * 1024;

std::string PackageKey(const UpstreamProvider& provider, const Version& version,
                       const Platform& platform) {
  return fmt::format("{}@{}/{}", provider.Key(), version.ToString(), platform.ToString());
}

// Wishes with one key are one fetch.
std::string KeyOf(const ReleaseWish& wish) {
  std::string_view what;
  if (wish.mode == PinMode::kComplete) what = " complete";
  if (wish.mode == PinMode::kRestore) what = " restore";
  return fmt::format("{}@{}{}", wish.provider.Key(), wish.version.ToString(), what);
}

std::string Name(const UpstreamRelease& release, const UpstreamPackage& package) {
  return fmt::format("{} {} {}", release.provider.Key(), release.version.ToString(),
                     package.platform.ToString());
}

// The hashes that upstream reports of a platform besides the zip's own, which is pinned.
std::vector<std::string> ReportedHashes(const upstream::FetchedDownload& download,
                                        const Platform& platform) {
  std::vector<std::string> hashes = download.hashes;
  auto reported = download.packages.find(platform.ToString());
  if (reported != download.packages.end()) hashes = reported->second.hashes;
  std::erase_if(hashes, [](const std::string& hash) { return !hash.starts_with("h1:"); });
  return hashes;
}

std::uint64_t ReportedSize(const upstream::FetchedDownload& download, const Platform& platform) {
  auto reported = download.packages.find(platform.ToString());
  return reported == download.packages.end() ? 0 : reported->second.package_size;
}

std::vector<UpstreamPackage> PackagesOf(const upstream::FetchedDownload& download,
                                        const upstream::VerifiedDownload& verified,
                                        const Platform& platform) {
  std::vector<UpstreamPackage> packages;
  for (const upstream::VerifiedDownload::Package& each : verified.packages) {
    packages.push_back({.platform = each.platform,
                        .filename = each.filename,
                        .digest = each.digest,
                        .size = ReportedSize(download, each.platform),
                        .hashes = ReportedHashes(download, each.platform)});
  }
  if (packages.empty()) {
    packages.push_back({.platform = platform,
                        .filename = download.filename,
                        .digest = verified.digest,
                        .size = verified.size.value_or(0),
                        .hashes = ReportedHashes(download, platform)});
  }
  std::ranges::sort(packages, {}, &UpstreamPackage::platform);
  return packages;
}

Failure Changed(const std::string& name, const Digest& first, std::string_view now) {
  return Fail(ErrorKind::kBadUpstream,
              fmt::format("{} is not what it was: SHA-256 {} was seen first, upstream now says {}; "
                          "the first is kept, and nothing else is served",
                          name, first.hex(), now));
}

// Whether what is kept of a release is what upstream says of it now. SHA256SUMS name every package
// that there is; a mirror need not name them all.
Status CheckAgrees(const UpstreamRelease& kept, const UpstreamRelease& now) {
  for (const UpstreamPackage& package : kept.packages) {
    auto listed = std::ranges::find(now.packages, package.platform, &UpstreamPackage::platform);
    const bool missing = listed == now.packages.end();
    if (missing && !now.sums) continue;
    if (!missing && listed->digest == package.digest) continue;
    return Changed(Name(kept, package), package.digest,
                   missing ? "that there is none" : listed->digest.hex());
  }
  return {};
}

}  // namespace

// ---- releases

// A verified release; its documents are written, and not stored yet.
struct ProviderFetch::Staged {
  UpstreamRelease release;
  std::vector<StagedBlob> documents;
  bool add_platforms = false;
};

Task<UpstreamRelease> ProviderFetch::FetchRelease(ReleaseWish wish, Ended ended, Time deadline) {
  std::string key = KeyOf(wish);
  Error late = TooLate(fmt::format("{} {}", wish.provider.Key(), wish.version.ToString()));
  Task<UpstreamRelease> fetch = FetchOnce(std::move(wish), ended, deadline);
  co_return co_await releases_.Do(std::move(key), std::move(fetch), deadline + kAnswerGrace,
                                  std::move(late));
}

Task<UpstreamRelease> ProviderFetch::FetchOnce(ReleaseWish wish, Ended ended, Time deadline) {
  FairPool& pool = context_.pools.documents;
  ASSIGN_OR_CO_RETURN(FairPool::Place place,
                      co_await pool.Enter(wish.provider.host.ascii(), deadline));
  if (wish.mode == PinMode::kFirst && releases_.landed() != ended.releases) {
    // Perhaps this one, since the catalog was asked: upstream is not asked twice.
    auto landed = co_await context_.catalog.FindUpstreamRelease(wish.provider, wish.version);
    if (landed) co_return landed;
  }
  upstream::Patience patience{deadline, pool.stopping()};
  co_return co_await Bring(std::move(wish), std::move(patience));
}

// What is added to a release that is kept must come from one that agrees with it.
Task<void> ProviderFetch::RefuseOther(const UpstreamRelease& now) {
  Result<UpstreamRelease> kept =
      co_await context_.catalog.FindUpstreamRelease(now.provider, now.version);
  if (!kept && kept.error().kind == ErrorKind::kNotFound) co_return Status();
  if (!kept) co_return Failure(std::move(kept).error());
  Status agrees = CheckAgrees(*kept, now);
  if (!agrees) ++counters_.changed;
  co_return agrees;
}

// On a thread that may block.
Task<UpstreamRelease> ProviderFetch::Bring(ReleaseWish wish, upstream::Patience patience) {
  ASSIGN_OR_CO_RETURN(Staged staged, Stage(wish, patience));
  if (staged.add_platforms) CO_RETURN_IF_ERROR(co_await RefuseOther(staged.release));
  std::vector<BlobWriter*> writers;
  for (const StagedBlob& document : staged.documents) writers.push_back(document.writer.get());
  if (!writers.empty()) CO_RETURN_IF_ERROR(co_await context_.blobs.CommitAll(std::move(writers)));
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept, co_await context_.catalog.PinRelease(
                                                std::move(staged.release), staged.add_platforms));
  ++counters_.releases;
  co_return kept;
}

Result<ProviderFetch::Staged> ProviderFetch::Stage(const ReleaseWish& wish,
                                                   const upstream::Patience& patience) {
  const auto& [provider, version, platform, mode] = wish;
  ASSIGN_OR_RETURN(upstream::FetchedDownload download,
                   Describe(provider, version, platform, patience));
  auto verified = upstream::VerifyDownload(download, provider.host, provider.address, version,
                                           platform, context_.clock.Now());
  if (!verified) {
    ++counters_.failures;
    return std::unexpected(std::move(verified).error());
  }
  if (!verified->digest_known && verified->packages.empty()) {
    ++counters_.failures;
    return Fail(ErrorKind::kBadUpstream,
                fmt::format("{} {} cannot be pinned: its mirror says no \"zh:\" hash of it; import "
                            "the mirror instead (koya mirror import)",
                            provider.Key(), version.ToString()));
  }
  for (const std::string& warning : verified->warnings) {
    context_.log.Warn(
        "upstream release",
        {{"provider", provider.Key()}, {"version", version.ToString()}, {"warning", warning}});
  }
  Staged staged{.release = {.provider = provider,
                            .version = version,
                            .protocols = download.protocols,
                            .sums = {},
                            .signature = {},
                            .keys = {},
                            .fit_for_origin = false,
                            .packages = PackagesOf(download, *verified, platform),
                            .seen_at = context_.clock.Now()},
                // A mirror that said nothing of other platforms may do so later.
                .add_platforms = download.from_mirror || mode == PinMode::kComplete};
  if (download.from_mirror) return staged;
  for (const std::string* text : {&download.sums, &download.signature}) {
    ASSIGN_OR_RETURN(StagedBlob document, StageText(context_.blobs, *text));
    staged.documents.push_back(std::move(document));
  }
  const BlobInfo& sums = staged.documents[0].info;
  const BlobInfo& signature = staged.documents[1].info;
  staged.release.sums = {sums.digest, sums.size};
  staged.release.signature = {signature.digest, signature.size};
  staged.release.keys = wire::EncodeSigningKeys(download.keys);
  staged.release.fit_for_origin = !verified->blank_lines;
  return staged;
}

Result<upstream::FetchedDownload> ProviderFetch::Describe(const UpstreamProvider& provider,
                                                          const Version& version,
                                                          const Platform& platform,
                                                          const upstream::Patience& patience) {
  auto download = source_.Download(provider.host, provider.address, version, platform, patience);
  if (!download) {
    if (download.error().kind != ErrorKind::kNotFound) ++counters_.failures;
    context_.log.TakeLimit(download.error());
    return download;
  }
  locations_.Put(PackageKey(provider, version, platform), download->download_url,
                 context_.clock.Now() + kLocationLife.count());
  return download;
}

// ---- packages

// A package on its way: where its bytes go, and who is waiting for them.
struct ProviderFetch::Arriving {
  Digest digest;
  Fill& fill;
  std::shared_ptr<BlobWriter> writer;
  std::uint64_t max_bytes = 0;
  std::uint64_t told = 0;  // how many bytes the readers know of
};

std::shared_ptr<Fill> ProviderFetch::FetchPackage(PackageWish wish, Ended ended) {
  std::string key = PackageKey(wish.provider, wish.version, wish.platform);
  auto begin = [&](std::shared_ptr<Fill> fill) {
    context_.pools.packages.Spawn(RunFill(key, std::move(wish), ended, std::move(fill)));
  };
  return fills_.Join(key, begin);
}

Awaitable<void> ProviderFetch::RunFill(std::string key, PackageWish wish, Ended ended,
                                       std::shared_ptr<Fill> fill) {
  Status filled;
  try {
    filled = co_await TryFill(std::move(wish), ended, *fill);
  } catch (const std::exception& exception) {
    filled = Fail(ErrorKind::kInternal, "the package could not be fetched; the log says why",
                  exception.what());
  }
  fills_.Leave(key, std::move(filled));
}

Task<void> ProviderFetch::TryFill(PackageWish wish, Ended ended, Fill& fill) {
  FairPool& pool = context_.pools.packages;
  Time deadline = std::chrono::steady_clock::now() + options_.start_patience;
  ASSIGN_OR_CO_RETURN(FairPool::Place place,
                      co_await pool.Enter(wish.provider.host.ascii(), deadline));
  upstream::Patience patience{deadline, pool.stopping()};
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await ReleaseOf(wish, ended, std::move(patience)));
  auto package = std::ranges::find(release.packages, wish.filename, &UpstreamPackage::filename);
  if (package == release.packages.end()) {
    co_return Fail(ErrorKind::kNotFound,
                   fmt::format("{} {} has no file \"{}\"", wish.provider.Key(),
                               wish.version.ToString(), wish.filename));
  }
  ASSIGN_OR_CO_RETURN(bool served, co_await ServeHeld(*package, fill));
  if (served) co_return Status();
  CO_RETURN_IF_ERROR(options_.room.Check(package->size));
  Status brought = co_await BringPackage(std::move(place), release, *package, fill);
  if (!brought) {
    // Too large, or gone although it is pinned: that is upstream's, not what the client asks for.
    Error& error = brought.error();
    bool upstreams = error.kind == ErrorKind::kTooLarge || error.kind == ErrorKind::kNotFound;
    if (upstreams) error.kind = ErrorKind::kBadUpstream;
    NoteFailure(release, *package, error);
    context_.log.TakeLimit(error);
  }
  co_return brought;
}

// The release as it is now: what ended since the caller looked may have changed it, or pinned it.
Task<UpstreamRelease> ProviderFetch::ReleaseOf(const PackageWish& wish, Ended ended,
                                               upstream::Patience patience) {
  bool known = wish.release.has_value();
  bool current = known ? fills_.ended() == ended.packages : releases_.landed() == ended.releases;
  if (!current) {
    auto found = co_await context_.catalog.FindUpstreamRelease(wish.provider, wish.version);
    if (found) co_return found;
  }
  if (known) co_return *wish.release;
  ReleaseWish release{wish.provider, wish.version, wish.platform, PinMode::kFirst};
  std::string key = KeyOf(release);
  Task<UpstreamRelease> bring = Bring(std::move(release), std::move(patience));
  co_return co_await releases_.DoHere(std::move(key), std::move(bring));
}

// Another fill may have ended since the caller looked: then its bytes are served, and upstream is
// not asked twice.
Task<bool> ProviderFetch::ServeHeld(const UpstreamPackage& package, Fill& fill) {
  if (!package.held) co_return false;
  Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(package.digest);
  if (!blob) co_return false;
  fill.Serve({package.digest, *std::move(blob)});
  co_return true;
}

void ProviderFetch::NoteFailure(const UpstreamRelease& release, const UpstreamPackage& package,
                                const Error& error) {
  if (context_.pools.packages.stopping().stop_requested()) return;  // nobody's fault
  ++counters_.failures;
  // Another URL may work better next time.
  locations_.Erase(PackageKey(release.provider, release.version, package.platform));
  context_.log.Failure("a package could not be fetched: " + Name(release, package), error);
}

Task<void> ProviderFetch::BringPackage(FairPool::Place place, const UpstreamRelease& release,
                                       const UpstreamPackage& package, Fill& fill) {
  FairPool& pool = context_.pools.packages;
  if (package.size > options_.zip_bytes) {
    co_return FailLimit(ErrorKind::kBadUpstream, "limits.provider_zip_bytes",
                        fmt::format("{} has {} bytes, its registry says; limits.provider_zip_bytes "
                                    "takes {}",
                                    Name(release, package), package.size, options_.zip_bytes));
  }
  Time deadline = std::chrono::steady_clock::now() + options_.start_patience;
  ASSIGN_OR_CO_RETURN(std::string location,
                      LocationOf(release, package, {deadline, pool.stopping()}));
  // From here on it is another host that is waited for.
  place.Leave();
  ASSIGN_OR_CO_RETURN(place, co_await pool.Enter(upstream::AuthorityOf(location), deadline));
  ASSIGN_OR_CO_RETURN(std::shared_ptr<BlobWriter> writer, context_.blobs.Create());
  Arriving arriving{.digest = package.digest,
                    .fill = fill,
                    .writer = writer,
                    .max_bytes = package.size > 0 ? package.size : options_.zip_bytes};
  CO_RETURN_IF_ERROR(Receive(location, arriving));
  // The bytes are here: are they the right ones? Only then do readers get the last of them.
  ASSIGN_OR_CO_RETURN(BlobInfo info, writer->Finish());
  if (info.digest != package.digest) {
    ++counters_.changed;
    co_return Changed(Name(release, package), package.digest, info.digest.hex());
  }
  fill.Succeed();
  Status kept = co_await Keep(release, package, *writer);
  // A failure costs another fetch, and no reader anything.
  if (!kept) {
    context_.log.Failure("a package was served, but could not be kept: " + Name(release, package),
                         kept.error());
  }
  co_return Status();
}

// Where the package lies upstream. What is asked for must still be what was seen first: the release
// is pinned, so that clients hear of a registry that lost it, not that there is no such release.
Result<std::string> ProviderFetch::LocationOf(const UpstreamRelease& release,
                                              const UpstreamPackage& package,
                                              const upstream::Patience& patience) {
  std::string key = PackageKey(release.provider, release.version, package.platform);
  if (auto known = locations_.Find(key, context_.clock.Now())) return *std::move(known);
  ASSIGN_OR_RETURN(
      upstream::FetchedDownload download,
      upstream::Promised(Describe(release.provider, release.version, package.platform, patience)));
  if (!download.shasum.empty() && download.shasum != package.digest.hex()) {
    ++counters_.changed;
    return Changed(Name(release, package), package.digest, download.shasum);
  }
  if (download.download_url.empty()) {
    return Fail(ErrorKind::kBadUpstream,
                fmt::format("{}: its mirror has no package any more", Name(release, package)));
  }
  return download.download_url;
}

Status ProviderFetch::Receive(const std::string& location, Arriving& arriving) {
  BlobWriter& writer = *arriving.writer;
  auto tell = [&arriving, &writer] {
    arriving.told = writer.size();
    arriving.fill.Grow(arriving.told);
  };
  upstream::ArchiveTransfer transfer{.url = location, .max_bytes = arriving.max_bytes};
  transfer.patience.stop = context_.pools.packages.stopping();
  ArrivalRoom room(options_.room);
  transfer.on_start = [&](std::optional<std::uint64_t> length) -> Status {
    RETURN_IF_ERROR(options_.room.Check(length.value_or(0)));
    arriving.fill.Start({arriving.digest, arriving.writer, writer.staged_file(), length});
    return {};
  };
  transfer.sink = [&](std::span<const std::byte> bytes) -> Status {
    RETURN_IF_ERROR(room.Add(bytes.size()));
    RETURN_IF_ERROR(writer.Write(bytes));
    counters_.bytes += bytes.size();
    // The first bytes are told at once: somebody is looking at a progress bar.
    if (arriving.told == 0 || writer.size() - arriving.told >= kPiece) tell();
    return {};
  };
  RETURN_IF_ERROR(source_.FetchArchive(transfer));
  tell();
  return {};
}

// None of a package that the rules for archives refuse. Its bytes have been sent by then, and are
// the ones that its author signed: they are kept, as its registry has them, and the log says so
// once. What upstream says of its h1 is not what was computed here.
std::vector<std::string> ProviderFetch::ComputeH1(const UpstreamRelease& release,
                                                  const UpstreamPackage& package,
                                                  const BlobWriter& writer) {
  auto inspection = InspectProviderPackage(writer.staged_file(), writer.size(),
                                           release.provider.address.type(), options_.archive);
  if (inspection) return std::move(inspection->h1);
  context_.log.Failure(
      "a package is kept that would be refused as an upload: " + Name(release, package),
      inspection.error());
  context_.log.TakeLimit(inspection.error());
  return {};
}

Task<void> ProviderFetch::Keep(const UpstreamRelease& release, const UpstreamPackage& package,
                               BlobWriter& writer) {
  UpstreamPackage held = package;
  held.size = writer.size();
  held.held = true;
  held.used_at = context_.clock.Now();
  held.hashes = ComputeH1(release, package, writer);
  CO_RETURN_IF_ERROR(co_await writer.Commit());
  CO_RETURN_IF_ERROR(
      co_await context_.catalog.HoldPackage(release.provider, release.version, std::move(held)));
  ++counters_.packages;
  co_return Status();
}

}  // namespace koya::service
