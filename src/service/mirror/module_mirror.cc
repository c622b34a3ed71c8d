#include "service/mirror/module_mirror.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/module_fetch.h"
#include "service/mirror/pull_policy.h"
#include "wire/modules.h"

namespace koya::service {

ModuleMirror::ModuleMirror(MirrorContext context, upstream::ModuleSource& source,
                           ModuleFetch& fetch, ModuleMirrorOptions options)
    : context_(context),
      fetch_(fetch),
      options_(options),
      lists_(std::make_unique<CachedIndex<ModuleLists>>(context, ModuleLists{source},
                                                        options.freshness)) {}

ModuleMirror::~ModuleMirror() = default;

const ListCounters& ModuleMirror::list_counters() const { return lists_->counters(); }

Status ModuleMirror::CheckEnabled() const {
  if (options_.enabled) return {};
  return FailNotFound("modules of other registries are not mirrored here (mirror.modules is off)");
}

Status ModuleMirror::Check(const UpstreamModule& module) const {
  RETURN_IF_ERROR(CheckEnabled());
  return CheckForClient(context_, module);
}

Task<MirroredModuleVersions> ModuleMirror::ListVersions(UpstreamModule module) {
  CO_RETURN_IF_ERROR(Check(module));
  Time deadline = std::chrono::steady_clock::now() + options_.patience;
  ASSIGN_OR_CO_RETURN(MirroredModuleVersions list, co_await ListOffered(module, deadline));
  co_return co_await AddHeld(std::move(module), std::move(list));
}

Task<MirroredModuleVersions> ModuleMirror::ListOffered(UpstreamModule module, Time deadline) {
  Status pulled = context_.policy.CheckHost(module.host, module.Key());
  Task<CachedList<wire::ModuleVersions>> read =
      pulled ? lists_->Read(module, deadline) : lists_->ReadHeld(module);
  Result<CachedList<wire::ModuleVersions>> list = co_await std::move(read);
  if (list) {
    co_return MirroredModuleVersions{list->document->versions, list->stale, list->checked_at,
                                     std::move(list->times), std::move(list->source)};
  }
  bool unknown = list.error().kind == ErrorKind::kNotFound;
  Error why = !pulled && unknown ? std::move(pulled).error() : std::move(list).error();
  co_return co_await ListPinned(std::move(module), std::move(why));
}

// Modules whose list was never seen, but of which versions are kept: imported ones, mostly.
Task<MirroredModuleVersions> ModuleMirror::ListPinned(UpstreamModule module, Error why) {
  HostName host = module.host;
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await context_.catalog.ListUpstreamModuleVersions(std::move(module)));
  if (versions.empty()) co_return Failure(std::move(why));
  MirroredModuleVersions list{.versions = {}, .stale = why.kind != ErrorKind::kNotFound};
  // A registry that has none was asked just now, and will be again when that is no longer fresh.
  if (!list.stale && context_.policy.MayPull(host)) list.checked_at = context_.clock.Now();
  for (const Version& version : versions) list.versions.push_back(version.ToString());
  co_return list;
}

// Adds stored versions: upstream may not list imported ones, and versions that upstream removed
// stay installable.
Task<MirroredModuleVersions> ModuleMirror::AddHeld(UpstreamModule module,
                                                   MirroredModuleVersions list) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await context_.catalog.ListUpstreamModuleVersions(module));
  std::set<std::string> offered(list.versions.begin(), list.versions.end());
  for (const Version& version : versions) {
    if (offered.contains(version.ToString())) continue;
    ASSIGN_OR_CO_RETURN(UpstreamModuleVersion pinned,
                        co_await context_.catalog.FindUpstreamModule(module, version));
    if (pinned.held) list.versions.push_back(version.ToString());
  }
  co_return list;
}

Task<ModuleArrival> ModuleMirror::Fetch(UpstreamModule module, Version version, std::uint64_t ended,
                                        Time deadline) {
  CO_RETURN_IF_ERROR(context_.policy.CheckHost(module.host, module.Key()));
  Error late{ErrorKind::kUnavailable,
             fmt::format("{}@{} is still being fetched from its registry; try again in {} seconds",
                         module.Key(), version.ToString(), options_.retry_after),
             {}};
  late.retry_after = options_.retry_after;
  co_return co_await fetch_.Fetch(std::move(module), std::move(version), ended, deadline,
                                  std::move(late));
}

Task<UpstreamModuleVersion> ModuleMirror::FindVersion(UpstreamModule module, Version version) {
  CO_RETURN_IF_ERROR(Check(module));
  Time deadline = std::chrono::steady_clock::now() + options_.patience;
  std::uint64_t ended = fetch_.ended();
  Result<UpstreamModuleVersion> pinned =
      co_await context_.catalog.FindUpstreamModule(module, version);
  if (pinned || pinned.error().kind != ErrorKind::kNotFound) co_return pinned;
  ASSIGN_OR_CO_RETURN(ModuleArrival fetched, co_await Fetch(module, version, ended, deadline));
  // As for providers.
  lists_->LearnDetails(std::move(module), std::move(version));
  co_return std::move(fetched.version);
}

Task<OpenMirroredModule> ModuleMirror::OpenArchive(UpstreamModule module, Version version,
                                                   ArchiveKind kind) {
  CO_RETURN_IF_ERROR(Check(module));
  Time deadline = std::chrono::steady_clock::now() + options_.archive_timeout;
  std::uint64_t ended = fetch_.ended();
  Result<UpstreamModuleVersion> pinned =
      co_await context_.catalog.FindUpstreamModule(module, version);
  if (!pinned && pinned.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(pinned).error());
  }
  if (kind != (pinned ? pinned->kind : ArchiveKind::kTarGz)) {
    co_return FailNotFound("this version's archive has another name");
  }
  if (pinned && pinned->held) {
    Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(pinned->digest);
    if (blob) {
      context_.uses.TouchCached(pinned->digest, context_.clock.Now());
      co_return OpenMirroredModule{*std::move(pinned), *std::move(blob)};
    }
    // It was removed behind our back; the same bytes can be fetched again.
    if (blob.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(blob).error());
  }
  CO_RETURN_IF_ERROR(context_.policy.CheckHost(module.host, module.Key()));
  Result<ModuleArrival> fetched =
      co_await Fetch(std::move(module), std::move(version), ended, deadline);
  // It exists, for it is pinned: that its registry no longer has it is the registry's failure.
  bool gone = pinned && !fetched && fetched.error().kind == ErrorKind::kNotFound;
  if (gone) fetched.error().kind = ErrorKind::kBadUpstream;
  if (!fetched) co_return Failure(std::move(fetched).error());
  auto& [held, blob] = *fetched;
  if (!blob) {
    ASSIGN_OR_CO_RETURN(blob, co_await context_.blobs.Open(held.digest));
  }
  co_return OpenMirroredModule{std::move(held), std::move(blob)};
}

}  // namespace koya::service
