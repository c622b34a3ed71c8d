#include "service/mirror/provider_fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "peers/peer_source.h"
#include "service/mirror/package_words.h"
#include "upstream/foreign_answers.h"
#include "upstream/provider_source.h"
#include "upstream/verification.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

constexpr std::chrono::seconds kLocationLife(120);  // signed URLs of other registries live minutes
std::string PackageKey(const UpstreamProvider& provider, const Version& version,
                       const Platform& platform) {
  return fmt::format("{}@{}/{}", provider.Key(), version.ToString(), platform.ToString());
}

// Wishes with one key are one fetch.
std::string KeyOf(const ReleaseRequest& wish) {
  std::string_view what;
  if (wish.mode == PinMode::kComplete) what = " complete";
  if (wish.mode == PinMode::kRestore) what = " restore";
  return fmt::format("{}@{}{}", wish.provider.Key(), wish.version.ToString(), what);
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
  packages.reserve(verified.packages.size());
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

// Checks that the stored release agrees with upstream's current one. SHA256SUMS name every package
// that exists; a mirror need not name them all.
Status CheckAgrees(const UpstreamRelease& kept, const UpstreamRelease& now) {
  for (const UpstreamPackage& package : kept.packages) {
    auto listed = std::ranges::find(now.packages, package.platform, &UpstreamPackage::platform);
    const bool missing = listed == now.packages.end();
    if (missing && !now.sums) continue;
    if (!missing && listed->digest == package.digest) continue;
    return Changed(NameOf(kept, package), package.digest,
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
  PendingUploads::Texts texts;  // of them
  bool add_platforms = false;
};

Task<UpstreamRelease> ProviderFetch::FetchRelease(ReleaseRequest wish, FetchesEnded ended,
                                                  Time deadline) {
  std::string key = KeyOf(wish);
  Error late = TooLate(fmt::format("{} {}", wish.provider.Key(), wish.version.ToString()));
  Task<UpstreamRelease> fetch = FetchOnce(std::move(wish), ended, deadline);
  co_return co_await releases_.Do(std::move(key), std::move(fetch), deadline + kAnswerGrace,
                                  std::move(late));
}

Task<UpstreamRelease> ProviderFetch::FetchOnce(ReleaseRequest wish, FetchesEnded ended,
                                               Time deadline) {
  FairPool& pool = context_.pools.documents;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                      co_await pool.Enter(wish.provider.host.ascii(), deadline));
  if (wish.mode == PinMode::kFirst && releases_.landed() != ended.releases) {
    // Perhaps this one, since the catalog was asked: upstream is not asked twice.
    auto landed = co_await context_.catalog.FindUpstreamRelease(wish.provider, wish.version);
    if (landed) co_return landed;
  }
  upstream::Deadline patience{deadline, pool.stopping()};
  co_return co_await FetchRelease(std::move(wish), std::move(patience));
}

// Additions to a stored release must come from a release that agrees with it.
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
Task<UpstreamRelease> ProviderFetch::FetchRelease(ReleaseRequest wish,
                                                  upstream::Deadline patience) {
  ASSIGN_OR_CO_RETURN(Staged staged, Stage(wish, patience));
  if (staged.add_platforms) CO_RETURN_IF_ERROR(co_await RefuseOther(staged.release));
  std::vector<BlobWriter*> writers;
  writers.reserve(staged.documents.size());
  for (const StagedBlob& document : staged.documents) writers.push_back(document.writer.get());
  if (!writers.empty()) {
    Status stored = co_await context_.blobs.CommitAll(std::move(writers));
    // A stop ends it in the same way: that is not a store that is away.
    const bool stopped = patience.stop.stop_requested();
    if (!stored && stored.error().kind == ErrorKind::kUnavailable && !stopped) {
      co_return co_await FetchUnstored(wish.mode, std::move(staged), std::move(stored).error());
    }
    CO_RETURN_IF_ERROR(std::move(stored));
  }
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept, co_await context_.catalog.PinRelease(
                                                std::move(staged.release), staged.add_platforms));
  ++counters_.releases;
  co_return kept;
}

// Pins the packages only; the documents prove them to others, and can come later.
Task<UpstreamRelease> ProviderFetch::PinBare(UpstreamRelease whole, bool add_platforms) {
  whole.sums.reset();
  whole.signature.reset();
  whole.keys.clear();
  whole.fit_for_origin = false;
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept,
                      co_await context_.catalog.PinRelease(std::move(whole), add_platforms));
  ++counters_.releases;
  co_return kept;
}

// Serves a release without storing its documents while the store is away. Pins the listed packages
// before any client sees them.
Task<UpstreamRelease> ProviderFetch::FetchUnstored(PinMode mode, Staged staged, Error why) {
  const UpstreamRelease& whole = staged.release;
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept, co_await PinBare(whole, staged.add_platforms));
  // By another server, which reaches the store.
  if (kept.signature && mode != PinMode::kRestore) co_return kept;
  const bool owed = pending_.AddDocuments(kept, whole, std::move(staged.texts));
  if (!owed && mode != PinMode::kFirst) co_return Failure(std::move(why));
  context_.log.Failure(fmt::format("the documents of {} {} are {}: the store is unreachable",
                                   whole.provider.Key(), whole.version.ToString(),
                                   owed ? "in memory until they can be stored" : "not stored"),
                       why);
  co_return pending_.Complete(std::move(kept));
}

Result<ProviderFetch::Staged> ProviderFetch::Stage(const ReleaseRequest& wish,
                                                   const upstream::Deadline& patience) {
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
    return FailBadUpstream(
        "{} {} cannot be pinned: its mirror lists no \"zh:\" hash for it; "
        "import the mirror instead (koya mirror import)",
        provider.Key(), version.ToString());
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
  staged.texts = {std::move(download.sums), std::move(download.signature)};
  return staged;
}

Result<upstream::FetchedDownload> ProviderFetch::Describe(const UpstreamProvider& provider,
                                                          const Version& version,
                                                          const Platform& platform,
                                                          const upstream::Deadline& patience) {
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
  ASSIGN_OR_CO_RETURN(bool served, co_await ServeHeld(*package, *fill));
  if (served) co_return Status();
  Status brought = co_await FillPackage(std::move(place), release, *package, std::move(fill));
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
Task<UpstreamRelease> ProviderFetch::ReleaseOf(const PackageRequest& wish, FetchesEnded ended,
                                               upstream::Deadline patience) {
  bool known = wish.release.has_value();
  bool current = known ? fills_.ended() == ended.packages : releases_.landed() == ended.releases;
  if (!current) {
    auto found = co_await context_.catalog.FindUpstreamRelease(wish.provider, wish.version);
    if (found) co_return found;
  }
  if (known) co_return *wish.release;
  ReleaseRequest release{wish.provider, wish.version, wish.platform, PinMode::kFirst};
  std::string key = KeyOf(release);
  Task<UpstreamRelease> bring = FetchRelease(std::move(release), std::move(patience));
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
  if (context_.pools.packages.stopping().stop_requested()) return;  // no failure: the server stops
  ++counters_.failures;
  // Another URL may work better next time.
  locations_.Erase(PackageKey(release.provider, release.version, package.platform));
  context_.log.Failure("a package could not be fetched: " + NameOf(release, package), error);
}

// Returns the package's location upstream. The package must still be the one first seen. As the
// release is pinned, clients get an error about a registry that lost it, not "no such release".
Result<std::string> ProviderFetch::LocationOf(const UpstreamRelease& release,
                                              const UpstreamPackage& package,
                                              const upstream::Deadline& patience) {
  std::string key = PackageKey(release.provider, release.version, package.platform);
  if (auto known = locations_.Find(key, context_.clock.Now())) return *std::move(known);
  ASSIGN_OR_RETURN(upstream::FetchedDownload download,
                   upstream::NotFoundAsBadGateway(
                       Describe(release.provider, release.version, package.platform, patience)));
  if (!download.shasum.empty() && download.shasum != package.digest.hex()) {
    ++counters_.changed;
    return Changed(NameOf(release, package), package.digest, download.shasum);
  }
  if (download.download_url.empty()) {
    return FailBadUpstream("{}: its mirror no longer has a package", NameOf(release, package));
  }
  return download.download_url;
}

}  // namespace koya::service
