#include "service/mirror/provider_fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/common/freeze.h"
#include "service/mirror/package_words.h"
#include "upstream/foreign_answers.h"
#include "upstream/provider_source.h"
#include "upstream/verification.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

constexpr std::chrono::seconds kLocationLife(120);  // signed URLs of other registries live minutes

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

// Whether SHA256SUMS names a package of the stored release with another digest. Some registries
// keep their documents when a release is built again: these contradict the new SHA256SUMS, so that
// the verification fails and says nothing of the change.
bool NamesOtherBytes(const UpstreamRelease& kept, std::string_view sums) {
  const upstream::ForeignSums listed = upstream::ReadForeignSums(sums);
  return std::ranges::any_of(kept.packages, [&](const UpstreamPackage& package) {
    const auto found = listed.Find(package.filename);
    return found && found->is_digest && found->digest != package.digest;
  });
}

}  // namespace

// ---- releases

// A verified release; its documents and attachments are written, and not stored yet.
struct ProviderFetch::Staged {
  UpstreamRelease release;
  std::vector<StagedBlob> documents;                 // SHA256SUMS and signature first
  PendingUploads::Texts texts;                       // of them
  std::vector<wire::ForeignAttachment> attachments;  // that upstream names
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

Task<bool> ProviderFetch::IsUnchanged(ReleaseRequest wish, UpstreamRelease pinned, Time deadline) {
  std::string key = KeyOf(wish);
  Error late = TooLate(fmt::format("{} {}", wish.provider.Key(), wish.version.ToString()));
  Task<bool> compare = CompareWithUpstream(std::move(wish), std::move(pinned), deadline);
  co_return co_await comparisons_.Do(std::move(key), std::move(compare), deadline + kAnswerGrace,
                                     std::move(late));
}

Task<bool> ProviderFetch::CompareWithUpstream(ReleaseRequest wish, UpstreamRelease pinned,
                                              Time deadline) {
  FairPool& pool = context_.pools.documents;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place,
                      co_await pool.Enter(wish.provider.host.ascii(), deadline));
  const upstream::Deadline patience{deadline, pool.stopping()};
  ASSIGN_OR_CO_RETURN(upstream::FetchedDownload download,
                      Describe(wish.provider, wish.version, wish.platform, patience));
  if (NamesOtherBytes(pinned, download.sums)) {
    ++counters_.changed;
    co_return false;
  }
  ASSIGN_OR_CO_RETURN(Staged staged, Stage(wish, std::move(download)));
  if (!CheckAgrees(pinned, staged.release)) {
    ++counters_.changed;
    co_return false;
  }
  AttachmentWish attachments{std::move(staged.release), std::move(wish.platform),
                             std::move(staged.attachments), AttachmentWish::Pinned::kCompare};
  attachments.release.attachments = std::move(pinned.attachments);
  CO_RETURN_IF_ERROR(co_await PinAttachments(std::move(attachments), patience));
  co_return true;
}

// Pins those of a pinned release that are new, and records those that have changed.
Task<void> ProviderFetch::PinAttachments(AttachmentWish wish, upstream::Deadline patience) {
  if (wish.named.empty()) co_return Status();
  UpstreamRelease release = wish.release;
  PulledAttachments pulled = co_await attachments_.Pull(std::move(wish), std::move(patience));
  if (pulled.found.empty()) co_return Status();
  std::vector<BlobWriter*> writers;
  for (const StagedBlob& blob : pulled.blobs) writers.push_back(blob.writer.get());
  if (!writers.empty()) CO_RETURN_IF_ERROR(co_await context_.blobs.CommitAll(std::move(writers)));
  release.attachments = std::move(pulled.found);
  CO_RETURN_IF_ERROR(co_await context_.catalog.PinAttachments(std::move(release)));
  co_return Status();
}

// The attachments of a release that may be pinned. Additions to it must come from a release that
// agrees with it.
Task<std::vector<UpstreamAttachment>> ProviderFetch::FindPinned(const UpstreamRelease& now,
                                                                bool must_agree) {
  Result<UpstreamRelease> kept =
      co_await context_.catalog.FindUpstreamRelease(now.provider, now.version);
  if (!kept && kept.error().kind == ErrorKind::kNotFound) {
    co_return std::vector<UpstreamAttachment>();
  }
  if (!kept) co_return Failure(std::move(kept).error());
  Status agrees = must_agree ? CheckAgrees(*kept, now) : Status();
  if (!agrees) ++counters_.changed;
  if (!agrees) co_return Failure(std::move(agrees).error());
  co_return std::move(kept->attachments);
}

// Stages the attachments of a release that is about to be pinned.
Task<void> ProviderFetch::StageAttachments(const ReleaseRequest& wish, Staged& staged,
                                           upstream::Deadline patience) {
  AttachmentWish attachments{staged.release, wish.platform, std::move(staged.attachments)};
  const bool may_be_pinned = wish.mode != PinMode::kFirst && !attachments.named.empty();
  if (may_be_pinned || staged.add_platforms) {
    ASSIGN_OR_CO_RETURN(attachments.release.attachments,
                        co_await FindPinned(staged.release, staged.add_platforms));
  }
  if (wish.mode == PinMode::kRestore) attachments.pinned = AttachmentWish::Pinned::kRestore;
  PulledAttachments pulled =
      co_await attachments_.Pull(std::move(attachments), std::move(patience));
  staged.release.attachments = std::move(pulled.found);
  std::ranges::move(pulled.blobs, std::back_inserter(staged.documents));
  co_return Status();
}

// On a thread that may block.
Task<UpstreamRelease> ProviderFetch::FetchRelease(ReleaseRequest wish,
                                                  upstream::Deadline patience) {
  ASSIGN_OR_CO_RETURN(upstream::FetchedDownload download,
                      Describe(wish.provider, wish.version, wish.platform, patience));
  ASSIGN_OR_CO_RETURN(Staged staged, Stage(wish, std::move(download)));
  if (co_await IsFrozen(context_.freeze)) {
    co_return co_await FetchFrozen(wish.mode, std::move(staged));
  }
  CO_RETURN_IF_ERROR(co_await StageAttachments(wish, staged, patience));
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

// Serves a release without storing its documents while the store is away. Pins the listed packages
// before any client sees them.
Task<UpstreamRelease> ProviderFetch::FetchUnstored(PinMode mode, Staged staged, Error why) {
  staged.release.attachments.clear();  // they come with a package
  const UpstreamRelease& whole = staged.release;
  UpstreamRelease bare = whole;  // the documents prove its packages to others, and can come later
  bare.sums.reset();
  bare.signature.reset();
  bare.keys.clear();
  bare.fit_for_origin = false;
  ASSIGN_OR_CO_RETURN(UpstreamRelease kept,
                      co_await context_.catalog.PinRelease(std::move(bare), staged.add_platforms));
  ++counters_.releases;
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

// Passes a release on without pinning it: its documents stay in memory for the requests that
// follow, and its attachments come when it is pinned.
Task<UpstreamRelease> ProviderFetch::FetchFrozen(PinMode mode, Staged staged) {
  const UpstreamRelease& whole = staged.release;
  Result<UpstreamRelease> kept =
      co_await context_.catalog.FindUpstreamRelease(whole.provider, whole.version);
  if (!kept && kept.error().kind == ErrorKind::kNotFound) kept = whole;
  if (!kept) co_return kept;
  Status agrees = mode == PinMode::kComplete ? CheckAgrees(*kept, whole) : Status();
  if (!agrees) {
    ++counters_.changed;
    co_return Failure(std::move(agrees).error());
  }
  if (whole.sums) {
    pending_.MakeRoom();
    pending_.AddDocuments(*kept, whole, std::move(staged.texts));
  }
  co_return pending_.Complete(*std::move(kept));
}

Result<ProviderFetch::Staged> ProviderFetch::Stage(const ReleaseRequest& wish,
                                                   upstream::FetchedDownload download) {
  const auto& [provider, version, platform, mode] = wish;
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
  staged.release.signer = verified->signer;
  staged.attachments = std::move(download.attachments);
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
  if (!download->attachments_dropped.empty()) {
    context_.log.Warn("upstream release: attachments are left out",
                      {{"provider", provider.Key()},
                       {"version", version.ToString()},
                       {"platform", platform.ToString()},
                       {"reason", download->attachments_dropped}});
  }
  locations_.Put(PackageKey(provider, version, platform),
                 PackageLocation{download->download_url, download->attachments},
                 context_.clock.Now() + kLocationLife.count());
  return download;
}

// ---- for packages

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

// Returns the package's location upstream. The package must still be the one first seen. As the
// release is pinned, clients get an error about a registry that lost it, not "no such release".
Result<ProviderFetch::PackageLocation> ProviderFetch::LocationOf(
    const UpstreamRelease& release, const UpstreamPackage& package,
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
  return PackageLocation{std::move(download.download_url), std::move(download.attachments)};
}

}  // namespace koya::service
