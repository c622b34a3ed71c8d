#include "service/mirror/module_mirror.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "service/common/freeze.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/gate.h"
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

// The policy for the module, if it lets any version through.
Task<SubjectGate> ModuleMirror::OpenGate(std::string subject) {
  CO_RETURN_IF_ERROR(CheckEnabled());
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await context_.gate.Open(std::move(subject)));
  CO_RETURN_IF_ERROR(CheckSubjectFor(context_, gate));
  co_return gate;
}

// As of ProviderMirror.
Task<SubjectGate> ModuleMirror::JudgeListed(SubjectGate gate, UpstreamModule module,
                                            std::vector<std::string> versions, ReleaseTimes times,
                                            Time deadline) {
  ASSIGN_OR_CO_RETURN(gate,
                      co_await context_.gate.AddFacts(std::move(gate), module, std::move(times)));
  std::vector<Version> undated = VersionsToDate(gate, versions);
  if (undated.empty() || !context_.policy.MayPull(module.host)) co_return gate;
  ASSIGN_OR_CO_RETURN(gate.facts.times,
                      co_await lists_->LearnTimes(std::move(module), std::move(undated), deadline));
  co_return gate;
}

// Checks a version that is about to be handed out, and records that it was.
Task<void> ModuleMirror::LetThrough(UpstreamModule module, Version version) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(module.Key()));
  ASSIGN_OR_CO_RETURN(
      gate, co_await context_.gate.AddFacts(std::move(gate), std::move(module), std::nullopt));
  CO_RETURN_IF_ERROR(CheckVersionFor(context_, gate, version));
  if (co_await IsFrozen(context_.freeze)) co_return Status();
  co_return co_await context_.gate.Admit(gate, version);
}

// Checks a version before it is fetched, by the facts of its list.
Task<void> ModuleMirror::CheckUnpinned(UpstreamModule module, Version version, Time deadline) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(module.Key()));
  if (gate.AllowsAll()) co_return Status();
  ASSIGN_OR_CO_RETURN(MirroredModuleVersions list, co_await ListOffered(module, deadline));
  std::vector<std::string> one{version.ToString()};
  ASSIGN_OR_CO_RETURN(gate, co_await JudgeListed(std::move(gate), std::move(module), std::move(one),
                                                 std::move(list.times), deadline));
  co_return CheckVersionFor(context_, gate, version);
}

Task<MirroredModuleVersions> ModuleMirror::ListVersions(UpstreamModule module) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(module.Key()));
  Time deadline = std::chrono::steady_clock::now() + options_.patience;
  ASSIGN_OR_CO_RETURN(MirroredModuleVersions list, co_await ListOffered(module, deadline));
  ASSIGN_OR_CO_RETURN(list, co_await AddHeld(module, std::move(list)));
  if (gate.AllowsAll()) co_return list;
  ASSIGN_OR_CO_RETURN(gate, co_await JudgeListed(std::move(gate), std::move(module), list.versions,
                                                 list.times, deadline));
  const GatedList gated = JudgeListFor(context_, gate, list.versions);
  std::size_t at = 0;
  std::erase_if(list.versions, [&](const auto& /*each*/) { return !gated.shown[at++]; });
  list.times = std::move(gate.facts.times);
  list.changes_at = gated.changes_at;
  co_return list;
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
  CO_RETURN_IF_ERROR(co_await OpenGate(module.Key()));
  Time deadline = std::chrono::steady_clock::now() + options_.patience;
  std::uint64_t ended = fetch_.ended();
  Result<UpstreamModuleVersion> pinned =
      co_await context_.catalog.FindUpstreamModule(module, version);
  if (pinned) {
    CO_RETURN_IF_ERROR(co_await LetThrough(std::move(module), std::move(version)));
    co_return pinned;
  }
  if (pinned.error().kind != ErrorKind::kNotFound) co_return pinned;
  CO_RETURN_IF_ERROR(co_await CheckUnpinned(module, version, deadline));
  ASSIGN_OR_CO_RETURN(ModuleArrival fetched, co_await Fetch(module, version, ended, deadline));
  CO_RETURN_IF_ERROR(co_await LetThrough(module, version));
  // As for providers.
  lists_->LearnDetails(std::move(module), std::move(version));
  co_return std::move(fetched.version);
}

Task<OpenMirroredModule> ModuleMirror::OpenArchive(UpstreamModule module, Version version,
                                                   ArchiveKind kind) {
  CO_RETURN_IF_ERROR(co_await OpenGate(module.Key()));
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
  if (pinned) {
    CO_RETURN_IF_ERROR(co_await LetThrough(module, version));
  } else {
    CO_RETURN_IF_ERROR(co_await CheckUnpinned(module, version, deadline));
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
  Result<ModuleArrival> fetched = co_await Fetch(module, version, ended, deadline);
  // It exists, for it is pinned: that its registry no longer has it is the registry's failure.
  bool gone = pinned && !fetched && fetched.error().kind == ErrorKind::kNotFound;
  if (gone) fetched.error().kind = ErrorKind::kBadUpstream;
  if (!fetched) co_return Failure(std::move(fetched).error());
  // A version that does not exist is never admitted.
  if (!pinned) CO_RETURN_IF_ERROR(co_await LetThrough(std::move(module), std::move(version)));
  auto& [held, blob] = *fetched;
  if (!blob) {
    ASSIGN_OR_CO_RETURN(blob, co_await context_.blobs.Open(held.digest));
  }
  co_return OpenMirroredModule{std::move(held), std::move(blob)};
}

}  // namespace koya::service
