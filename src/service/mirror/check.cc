#include "service/mirror/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include "blobs/blob_store.h"
#include "catalog/storage_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/audit_record.h"
#include "obs/log.h"
#include "service/common/change_feed.h"
#include "service/common/freeze.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/mirror/provider_fetch.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {
namespace {

using State = CheckReport::State;

// A file that belongs to a release, and is fetched again as a whole.
struct NamedBlob {
  std::string name;
  BlobInfo blob;
};

std::vector<NamedBlob> DocumentsOf(const UpstreamRelease& release) {
  const std::string prefix =
      fmt::format("{} {} ", release.provider.Key(), release.version.ToString());
  std::vector<NamedBlob> documents;
  for (const ReleaseDocument& document : {*release.sums, *release.signature}) {
    documents.push_back({prefix + "SHA256SUMS", {document.digest, document.size}});
  }
  for (const UpstreamAttachment& each : release.attachments) {
    documents.push_back({prefix + each.file.name, {each.file.digest, each.file.size}});
  }
  return documents;
}

// Those whose descriptions name all documents.
std::set<Platform> DescribedBy(const UpstreamRelease& release) {
  std::set<Platform> platforms;
  for (const UpstreamAttachment& each : release.attachments) platforms.insert(each.platform);
  if (platforms.empty()) platforms.insert(release.packages.front().platform);
  return platforms;
}

// Clients wait longer for a repair than for a document.
constexpr std::chrono::seconds kRestoreTimeout(60);
// As in mirror_space.cc: a publish of the same bytes may have stored them and be about to
// reference them.
constexpr std::chrono::seconds kYoungest(60);

constexpr std::string_view kFrozenText =
    "the registry is frozen: nothing was removed or fetched; verify it again after that";

Status CheckSource(const PullPolicy& policy, const HostName& host) {
  if (policy.MayPull(host)) return {};
  return FailNotFound("pulling from {} is not allowed (upstream.hosts): import it again",
                      host.display());
}

// Of bytes that are not what they were.
std::string_view StateWord(State state) { return state == State::kDamaged ? "damaged" : "missing"; }

}  // namespace

// A blob that was repaired from an intact copy here counts as whole.
Task<State> MirrorCheck::Examine(BlobInfo blob, CheckRequest request) {
  BlobChecker checker{context_.blobs, context_.pools.workers};
  ASSIGN_OR_CO_RETURN(const BlobCheck check, co_await checker.Check(blob, request));
  co_return check.repaired ? State::kOk : check.state;
}

// A blob that is damaged or missing.
struct MirrorCheck::Finding {
  std::string name;
  Digest digest;
  State state = State::kOk;
  UnixSeconds began = 0;  // when its check began
};

void MirrorCheck::LogFinding(const Finding& finding, bool removed) {
  // Others may name the same bytes, and have them open.
  changes_.Announce("");
  context_.log.Warn("mirrored bytes have changed in storage",
                    {{"of", finding.name},
                     {"digest", finding.digest.ToString()},
                     {"state", StateWord(finding.state)},
                     {"removed", removed}});
}

// Blobs that were stored again since the check stay, and so do blobs that a publish has stored and
// is about to reference: blobs that are too young are left to garbage collection. A missing blob is
// not deleted either: if it exists now, it was stored again. A step of the clock moves both times
// alike.
Task<bool> MirrorCheck::RemoveDamaged(Finding finding, std::vector<Digest> unneeded) {
  if (finding.state != State::kDamaged || unneeded.empty()) co_return false;
  std::chrono::seconds since(context_.clock.Now() - finding.began + 1);
  co_return co_await context_.blobs.RemoveIfOlder(finding.digest, std::max(since, kYoungest));
}

// Releases the record first: it must not count as a reference, and a later garbage collection
// deletes damaged bytes that are unreferenced.
Task<void> MirrorCheck::EvictArchive(Actor by, Finding finding) {
  CO_RETURN_IF_ERROR(co_await context_.catalog.ReleaseHeld(std::move(by), finding.digest,
                                                           std::string(StateWord(finding.state))));
  std::vector<Digest> digests = {finding.digest};
  ASSIGN_OR_CO_RETURN(std::vector<Digest> unneeded,
                      co_await context_.references.FindUnreferenced(std::move(digests)));
  ASSIGN_OR_CO_RETURN(bool removed, co_await RemoveDamaged(finding, std::move(unneeded)));
  LogFinding(finding, removed);
  co_return Status();
}

// The pinned release still references the document and fetches it again on demand.
Task<void> MirrorCheck::EvictDocument(Finding finding) {
  std::vector<Digest> digests = {finding.digest};
  ASSIGN_OR_CO_RETURN(std::vector<Digest> unneeded,
                      co_await context_.references.FindUnpublished(std::move(digests)));
  ASSIGN_OR_CO_RETURN(bool removed, co_await RemoveDamaged(finding, std::move(unneeded)));
  LogFinding(finding, removed);
  co_return Status();
}

Task<void> MirrorCheck::RestorePackage(PackageId id) {
  CO_RETURN_IF_ERROR(CheckSource(context_.policy, id.provider.host));
  CO_RETURN_IF_ERROR(co_await context_.gate.CheckSubject(id.provider.Key()));
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await context_.catalog.FindUpstreamRelease(id.provider, id.version));
  PackageRequest wish{id.provider, id.version, id.platform,
                      FindPackage(release, id.platform)->filename, release};
  std::shared_ptr<Fill> fill = fetch_.FetchPackage(std::move(wish), fetch_.ended());
  CO_RETURN_IF_ERROR(co_await fill->WaitForEnd());
  ASSIGN_OR_CO_RETURN(release,
                      co_await context_.catalog.FindUpstreamRelease(id.provider, id.version));
  if (FindPackage(release, id.platform)->held) co_return Status();
  co_return FailInternal("it was fetched, but could not be stored; see the log");
}

Task<CheckReport> MirrorCheck::Package(Actor by, PackageId id, CheckRequest request) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await context_.catalog.FindUpstreamRelease(id.provider, id.version));
  const UpstreamPackage* package = FindPackage(release, id.platform);
  if (package == nullptr) {
    co_return FailNotFound("{} is not known here", id.ToString());
  }
  CheckReport report;
  report.state = State::kNotHeld;
  if (!package->held) co_return report;
  BlobInfo blob{package->digest, package->size};
  Finding finding{.name = id.ToString(), .digest = blob.digest, .began = context_.clock.Now()};
  ASSIGN_OR_CO_RETURN(report.state, co_await Examine(blob, request));
  if (report.state == State::kOk && !request.quick) {
    ASSIGN_OR_CO_RETURN(report.warnings,
                        co_await review_.ForeignPackage(blob.digest, id.provider.address.type()));
  }
  if (report.state == State::kOk) co_return report;
  finding.state = report.state;
  if (co_await IsFrozen(context_.freeze)) {
    report.problem = kFrozenText;
    co_return report;
  }
  CO_RETURN_IF_ERROR(co_await EvictArchive(std::move(by), std::move(finding)));
  if (!request.repair) co_return report;
  Status restored = co_await RestorePackage(std::move(id));
  report.repaired = restored.has_value();
  if (!restored) report.problem = std::move(restored).error().message;
  co_return report;
}

Task<void> MirrorCheck::RestoreDocuments(UpstreamRelease release) {
  CO_RETURN_IF_ERROR(CheckSource(context_.policy, release.provider.host));
  CO_RETURN_IF_ERROR(co_await context_.gate.CheckSubject(release.provider.Key()));
  const auto deadline = std::chrono::steady_clock::now() + kRestoreTimeout;
  const std::set<Platform> platforms = DescribedBy(release);
  for (const Platform& platform : platforms) {
    ReleaseRequest wish{release.provider, release.version, platform, PinMode::kRestore};
    CO_RETURN_IF_ERROR(co_await fetch_.FetchRelease(std::move(wish), fetch_.ended(), deadline));
  }
  CheckRequest thorough;
  const std::vector<NamedBlob> documents = DocumentsOf(release);
  for (const NamedBlob& document : documents) {
    ASSIGN_OR_CO_RETURN(State state, co_await Examine(document.blob, thorough));
    if (state == State::kOk) continue;
    if (fetch_.owed().OpenDocument(document.blob.digest)) {
      co_return FailUnavailable(
          "they were fetched, and are stored as soon as the store can be reached again");
    }
    co_return FailBadUpstream("upstream does not have {} as it was seen first", document.name);
  }
  co_return Status();
}

Task<CheckReport> MirrorCheck::Documents(UpstreamProvider provider, Version version,
                                         CheckRequest request) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await context_.catalog.FindUpstreamRelease(provider, version));
  CheckReport report;
  report.state = State::kNotHeld;
  if (!release.sums || !release.signature) co_return report;
  report.state = State::kOk;
  const bool is_frozen = co_await IsFrozen(context_.freeze);
  const std::vector<NamedBlob> documents = DocumentsOf(release);
  for (const NamedBlob& document : documents) {
    Finding finding{
        .name = document.name, .digest = document.blob.digest, .began = context_.clock.Now()};
    ASSIGN_OR_CO_RETURN(finding.state, co_await Examine(document.blob, request));
    if (finding.state == State::kOk) continue;
    report.state = finding.state;
    if (is_frozen) continue;
    CO_RETURN_IF_ERROR(co_await EvictDocument(std::move(finding)));
  }
  if (is_frozen && report.state != State::kOk) report.problem = kFrozenText;
  if (report.state == State::kOk || is_frozen || !request.repair) co_return report;
  Status restored = co_await RestoreDocuments(std::move(release));
  report.repaired = restored.has_value();
  if (!restored) report.problem = std::move(restored).error().message;
  co_return report;
}

Task<CheckReport> MirrorCheck::Module(Actor by, ModuleId id, CheckRequest request) {
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion version,
                      co_await context_.catalog.FindUpstreamModule(id.module, id.version));
  CheckReport report;
  report.state = State::kNotHeld;
  if (!version.held) co_return report;
  BlobInfo blob{version.digest, version.size};
  Finding finding{.name = id.ToString(), .digest = blob.digest, .began = context_.clock.Now()};
  ASSIGN_OR_CO_RETURN(report.state, co_await Examine(blob, request));
  if (report.state == State::kOk && !request.quick) {
    ASSIGN_OR_CO_RETURN(report.warnings, co_await review_.ForeignModule(blob.digest));
  }
  if (report.state == State::kOk) co_return report;
  finding.state = report.state;
  if (co_await IsFrozen(context_.freeze)) {
    report.problem = kFrozenText;
    co_return report;
  }
  CO_RETURN_IF_ERROR(co_await EvictArchive(std::move(by), std::move(finding)));
  if (request.repair) report.problem = "the next request fetches the same bytes again";
  co_return report;
}

}  // namespace koya::service
