#include "service/mirror_check.h"

#include <fmt/format.h>

#include <chrono>
#include <span>
#include <utility>

#include "base/run_task.h"
#include "base/sha256.h"
#include "service/blob_source.h"

namespace koya::service {
namespace {

using State = CheckReport::State;

// Blocks.
Result<Digest> HashBlob(std::shared_ptr<Blob> blob) {
  BlobSource source(std::move(blob));
  Sha256Hasher hasher;
  while (true) {
    ASSIGN_OR_RETURN(std::span<const std::byte> bytes, RunTask(source.Read()));
    if (bytes.empty()) return Digest(hasher.Finish());
    hasher.Update(bytes);
  }
}

}  // namespace

Task<State> MirrorCheck::Examine(Digest digest) {
  Result<std::shared_ptr<Blob>> blob = co_await parts_.blobs.Open(digest);
  if (!blob && blob.error().kind == ErrorKind::kNotFound) co_return State::kMissing;
  if (!blob && blob.error().kind == ErrorKind::kCorrupt) co_return State::kDamaged;
  if (!blob) co_return Failure(std::move(blob).error());
  auto hash = [blob = *std::move(blob)] { return HashBlob(blob); };
  Result<Digest> found = co_await Offload(parts_.workers, std::move(hash));
  if (!found && found.error().kind != ErrorKind::kCorrupt) {
    co_return Failure(std::move(found).error());
  }
  co_return found && *found == digest ? State::kOk : State::kDamaged;
}

// The blob first: after a crash in between, the record names what is missing, which is fetched
// again; the other way round the right bytes would meet the damaged ones and give way to them.
Task<void> MirrorCheck::Remove(Digest digest, std::string name, State state) {
  CO_RETURN_IF_ERROR(co_await parts_.blobs.RemoveIfOlder(digest, std::chrono::seconds(0)));
  CO_RETURN_IF_ERROR(co_await parts_.catalog.ReleaseHeld(digest));
  // Others may name the same bytes, and have them open.
  parts_.changes.Announce("");
  parts_.log.Warn("bytes kept of another registry were not what they should be; they are gone",
                  {{"of", name},
                   {"digest", digest.ToString()},
                   {"state", state == State::kDamaged ? "damaged" : "missing"}});
  co_return Status();
}

Status MirrorCheck::CheckSource(const HostName& host) const {
  if (mirror_.MayPull(host)) return {};
  return Fail(ErrorKind::kNotFound,
              fmt::format("{} is not one that may be pulled from (upstream.hosts): import it again",
                          host.display()));
}

Task<void> MirrorCheck::RestorePackage(PackageId id) {
  CO_RETURN_IF_ERROR(CheckSource(id.provider.host));
  CO_RETURN_IF_ERROR(parts_.policy.Check(id.provider));
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await parts_.catalog.FindUpstreamRelease(id.provider, id.version));
  UpstreamPackage package = *FindPackage(release, id.platform);
  auto restore = [this, &release, &package] { return fetch_.RestorePackage(release, package); };
  CO_RETURN_IF_ERROR(co_await Offload(parts_.workers, std::move(restore)));
  ASSIGN_OR_CO_RETURN(release,
                      co_await parts_.catalog.FindUpstreamRelease(id.provider, id.version));
  if (FindPackage(release, id.platform)->held) co_return Status();
  co_return Fail(ErrorKind::kInternal, "it was fetched, but could not be kept; the log says why");
}

Task<CheckReport> MirrorCheck::Package(PackageId id, CheckRequest request) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await parts_.catalog.FindUpstreamRelease(id.provider, id.version));
  const UpstreamPackage* package = FindPackage(release, id.platform);
  if (package == nullptr) {
    co_return Fail(ErrorKind::kNotFound, fmt::format("{} is not known here", id.ToString()));
  }
  CheckReport report;
  report.state = State::kNotHeld;
  if (!package->held) co_return report;
  ASSIGN_OR_CO_RETURN(report.state, co_await Examine(package->digest));
  if (report.state == State::kOk) co_return report;
  CO_RETURN_IF_ERROR(co_await Remove(package->digest, id.ToString(), report.state));
  if (!request.repair) co_return report;
  Status restored = co_await RestorePackage(std::move(id));
  report.repaired = restored.has_value();
  if (!restored) report.problem = std::move(restored).error().message;
  co_return report;
}

Task<void> MirrorCheck::RestoreDocuments(UpstreamRelease release) {
  CO_RETURN_IF_ERROR(CheckSource(release.provider.host));
  CO_RETURN_IF_ERROR(parts_.policy.Check(release.provider));
  auto fetch = [this, &release] {
    return fetch_.FetchRelease(release.provider, release.version, release.packages.front().platform,
                               PinMode::kFirst);
  };
  CO_RETURN_IF_ERROR(co_await Offload(parts_.workers, std::move(fetch)));
  for (const Digest& digest : {release.sums->digest, release.signature->digest}) {
    ASSIGN_OR_CO_RETURN(State state, co_await Examine(digest));
    if (state == State::kOk) continue;
    co_return Fail(
        ErrorKind::kBadUpstream,
        "upstream's SHA256SUMS or signature are no longer the ones that were seen first");
  }
  co_return Status();
}

Task<CheckReport> MirrorCheck::Documents(UpstreamProvider provider, Version version,
                                         CheckRequest request) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await parts_.catalog.FindUpstreamRelease(provider, version));
  CheckReport report;
  report.state = State::kNotHeld;
  if (!release.sums || !release.signature) co_return report;
  report.state = State::kOk;
  std::string name = fmt::format("{} {} SHA256SUMS", provider.Key(), version.ToString());
  for (const Digest& digest : {release.sums->digest, release.signature->digest}) {
    ASSIGN_OR_CO_RETURN(State state, co_await Examine(digest));
    if (state == State::kOk) continue;
    report.state = state;
    CO_RETURN_IF_ERROR(co_await Remove(digest, name, state));
  }
  if (report.state == State::kOk || !request.repair) co_return report;
  Status restored = co_await RestoreDocuments(std::move(release));
  report.repaired = restored.has_value();
  if (!restored) report.problem = std::move(restored).error().message;
  co_return report;
}

Task<CheckReport> MirrorCheck::Module(ModuleId id, CheckRequest request) {
  ASSIGN_OR_CO_RETURN(UpstreamModuleVersion version,
                      co_await parts_.catalog.FindUpstreamModule(id.module, id.version));
  CheckReport report;
  report.state = State::kNotHeld;
  if (!version.held) co_return report;
  ASSIGN_OR_CO_RETURN(report.state, co_await Examine(version.digest));
  if (report.state == State::kOk) co_return report;
  CO_RETURN_IF_ERROR(co_await Remove(version.digest, id.ToString(), report.state));
  if (request.repair) report.problem = "the next request for it brings the same bytes back";
  co_return report;
}

}  // namespace koya::service
