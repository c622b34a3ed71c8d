#include "service/mirror/provider_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "domain/release_file.h"
#include "obs/log.h"
#include "service/common/freeze.h"
#include "service/common/last_used_tracker.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/gate.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/provider_fetch.h"
#include "upstream/foreign_answers.h"

namespace koya::service {
namespace {

bool Offers(const wire::ProviderVersion& offered, const Platform& platform) {
  return std::ranges::any_of(offered.platforms, [&](const wire::PlatformName& each) {
    return each.os == platform.os() && each.arch == platform.arch();
  });
}

// Whether the same may succeed soon, and says nothing of what there is.
bool IsPassing(const Error& error) {
  return error.kind == ErrorKind::kUnavailable || error.kind == ErrorKind::kUpstreamTimeout;
}

}  // namespace

ProviderMirror::ProviderMirror(MirrorContext context, upstream::ProviderSource& source,
                               ProviderFetch& fetch, MirrorOptions options)
    : context_(context),
      fetch_(fetch),
      options_(options),
      lists_(std::make_unique<CachedIndex<ProviderLists>>(context, ProviderLists{source},
                                                          options.freshness)) {}

ProviderMirror::~ProviderMirror() = default;

const ListCounters& ProviderMirror::list_counters() const { return lists_->counters(); }

Task<MirroredVersions> ProviderMirror::ListVersions(UpstreamProvider provider) {
  const Time deadline = DocumentDeadline();
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(provider.Key()));
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListAll(provider, deadline));
  if (gate.AllowsAll()) co_return list;
  std::vector<std::string> versions;
  for (const wire::ProviderVersion& each : list.document->versions) {
    versions.push_back(each.version);
  }
  ASSIGN_OR_CO_RETURN(gate, co_await JudgeListed(std::move(gate), std::move(provider), versions,
                                                 list.times, deadline));
  GatedList gated = JudgeListFor(context_, gate, versions);
  auto document = std::make_shared<wire::ProviderVersions>(*list.document);
  std::size_t at = 0;
  std::erase_if(document->versions, [&](const auto& /*each*/) { return !gated.shown[at++]; });
  list.document = std::move(document);
  list.times = std::move(gate.facts.times);
  list.changes_at = gated.changes_at;
  list.notes = std::move(gated.notes);
  co_return list;
}

Task<std::vector<Version>> ProviderMirror::ListHeld(UpstreamProvider provider) {
  const Time deadline = DocumentDeadline();
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(provider.Key()));
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListAll(provider, deadline));
  std::vector<std::string> versions;
  for (const wire::ProviderVersion& each : list.document->versions) {
    versions.push_back(each.version);
  }
  ASSIGN_OR_CO_RETURN(gate, co_await JudgeListed(std::move(gate), std::move(provider), versions,
                                                 std::move(list.times), deadline));
  std::vector<Version> held;
  for (const std::string& text : versions) {
    Result<Version> version = Version::ParseLookup(text);
    if (version && gate.Judge(*version).verdict == policy::Verdict::kHold) {
      held.push_back(*std::move(version));
    }
  }
  std::ranges::sort(held, std::ranges::greater());
  if (held.size() > kMostHeld) held.erase(held.begin() + kMostHeld, held.end());
  std::ranges::reverse(held);
  co_return held;
}

Task<ProviderMirror::Ahead> ProviderMirror::LookAhead(UpstreamProvider provider, Version version) {
  const Time deadline = DocumentDeadline();
  const FetchesEnded ended = fetch_.ended();
  CO_RETURN_IF_ERROR(context_.policy.CheckHost(provider.host, provider.Key()));
  Result<UpstreamRelease> pinned = co_await context_.catalog.FindUpstreamRelease(provider, version);
  if (!pinned && pinned.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(pinned).error());
  }
  if (pinned) {
    // Attachments are compared with the description that named them.
    Platform described_by = pinned->attachments.empty() ? pinned->packages.front().platform
                                                        : pinned->attachments.front().platform;
    ReleaseRequest wish{provider, version, std::move(described_by), PinMode::kComplete};
    ASSIGN_OR_CO_RETURN(const bool same,
                        co_await fetch_.IsUnchanged(std::move(wish), *std::move(pinned), deadline));
    co_return same ? Ahead::kSame : Ahead::kChanged;
  }
  ASSIGN_OR_CO_RETURN(const MirroredVersions list, co_await ListAll(provider, deadline));
  ASSIGN_OR_CO_RETURN(Platform platform, ChoosePlatform(provider, version, list, std::nullopt));
  ReleaseRequest wish{std::move(provider), std::move(version), std::move(platform),
                      PinMode::kFirst};
  CO_RETURN_IF_ERROR(co_await fetch_.FetchRelease(std::move(wish), ended, deadline));
  co_return Ahead::kPinned;
}

// The policy for the provider, if it lets any version through.
Task<SubjectGate> ProviderMirror::OpenGate(std::string subject) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await context_.gate.Open(std::move(subject)));
  CO_RETURN_IF_ERROR(CheckSubjectFor(context_, gate));
  co_return gate;
}

// The gate with facts about listed versions. Asks the registry for their times where these matter.
Task<SubjectGate> ProviderMirror::JudgeListed(SubjectGate gate, UpstreamProvider provider,
                                              std::vector<std::string> versions, ReleaseTimes times,
                                              Time deadline) {
  ASSIGN_OR_CO_RETURN(gate,
                      co_await context_.gate.AddFacts(std::move(gate), provider, std::move(times)));
  if (!context_.policy.MayPull(provider.host)) co_return gate;
  std::vector<Version> undated = VersionsToDate(gate, versions);
  if (!undated.empty()) {
    ASSIGN_OR_CO_RETURN(gate.facts.times,
                        co_await lists_->LearnTimes(provider, std::move(undated), deadline));
  }
  // A frozen registry pins nothing.
  if (co_await IsFrozen(context_.freeze)) co_return gate;
  const std::vector<Version> unpinned = VersionsToPin(gate, versions);
  for (const Version& version : unpinned) {
    const Result<Ahead> pinned = co_await LookAhead(provider, version);
    // Who requests it gets the failure; the list has it until then.
    if (!pinned) context_.log.Failure("a release could not be pinned ahead", pinned.error());
  }
  if (unpinned.empty()) co_return gate;
  ReleaseTimes known = std::move(gate.facts.times);
  co_return co_await context_.gate.AddFacts(std::move(gate), std::move(provider), std::move(known));
}

// Checks a version that is about to be handed out, and records that it was. `signer`: of the
// release, which a frozen registry has not pinned.
Task<void> ProviderMirror::LetThrough(UpstreamProvider provider, Version version,
                                      std::string signer) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(provider.Key()));
  ASSIGN_OR_CO_RETURN(
      gate, co_await context_.gate.AddFacts(std::move(gate), std::move(provider), std::nullopt));
  const bool is_frozen = co_await IsFrozen(context_.freeze);
  if (is_frozen && !gate.facts.pinned.contains(version)) {
    gate.facts.AddSigned(version, std::move(signer), gate.now());
  }
  CO_RETURN_IF_ERROR(CheckVersionFor(context_, gate, version));
  if (is_frozen) co_return Status();
  co_return co_await context_.gate.Admit(gate, version);
}

Task<MirroredVersions> ProviderMirror::ListKept(UpstreamProvider provider) {
  Result<CachedList<wire::ProviderVersions>> list = co_await lists_->ReadHeld(provider);
  if (list) {
    co_return co_await AddHeld(std::move(provider), {list->document, list->stale, list->checked_at,
                                                     list->times, list->source});
  }
  if (list.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(list).error());
  Error unknown{ErrorKind::kNotFound,
                fmt::format("nothing of {} is stored here, and no client has requested it yet",
                            provider.Key()),
                {}};
  ASSIGN_OR_CO_RETURN(MirroredVersions pinned,
                      co_await ListPinned(std::move(provider), std::move(unknown)));
  pinned.checked_at = 0;  // upstream was not asked
  co_return pinned;
}

Task<MirroredVersions> ProviderMirror::ListAll(UpstreamProvider provider, Time deadline) {
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListOffered(provider, deadline));
  co_return co_await AddHeld(std::move(provider), std::move(list));
}

Task<MirroredVersions> ProviderMirror::ListOffered(UpstreamProvider provider, Time deadline) {
  Status pulled = context_.policy.CheckHost(provider.host, provider.Key());
  Task<CachedList<wire::ProviderVersions>> read =
      pulled ? lists_->Read(provider, deadline) : lists_->ReadHeld(provider);
  Result<CachedList<wire::ProviderVersions>> list = co_await std::move(read);
  if (list) {
    co_return MirroredVersions{list->document, list->stale, list->checked_at,
                               std::move(list->times), std::move(list->source)};
  }
  bool unknown = list.error().kind == ErrorKind::kNotFound;
  Error why = !pulled && unknown ? std::move(pulled).error() : std::move(list).error();
  co_return co_await ListPinned(std::move(provider), std::move(why));
}

// The release with the platforms that can be had of it.
wire::ProviderVersion ProviderMirror::Listed(const UpstreamRelease& release) const {
  wire::ProviderVersion listed{
      .version = release.version.ToString(), .protocols = release.protocols, .platforms = {}};
  for (const UpstreamPackage& package : release.packages) {
    if (!CanServe(release, package)) continue;
    listed.platforms.push_back({package.platform.os(), package.platform.arch()});
  }
  return listed;
}

// Providers whose list was never seen, but of which releases are kept: imported ones, mostly.
Task<MirroredVersions> ProviderMirror::ListPinned(UpstreamProvider provider, Error why) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await context_.catalog.ListUpstreamVersions(provider));
  auto document = std::make_shared<wire::ProviderVersions>();
  for (const Version& version : versions) {
    ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                        co_await context_.catalog.FindUpstreamRelease(provider, version));
    wire::ProviderVersion listed = Listed(release);
    if (!listed.platforms.empty()) document->versions.push_back(std::move(listed));
  }
  if (document->versions.empty()) co_return Failure(std::move(why));
  MirroredVersions list{std::move(document), why.kind != ErrorKind::kNotFound, 0};
  // A registry that has none was asked just now, and will be again when that is no longer fresh.
  if (!list.stale && context_.policy.MayPull(provider.host)) {
    list.checked_at = context_.clock.Now();
  }
  co_return list;
}

// Adds stored versions: upstream may not list imported ones, and versions that upstream removed
// stay installable.
Task<MirroredVersions> ProviderMirror::AddHeld(UpstreamProvider provider, MirroredVersions list) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await context_.catalog.ListUpstreamVersions(provider));
  std::set<std::string_view> offered;
  if (!versions.empty()) {
    for (const wire::ProviderVersion& each : list.document->versions) offered.insert(each.version);
  }
  std::vector<wire::ProviderVersion> held;
  for (const Version& version : versions) {
    if (offered.contains(version.ToString())) continue;
    ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                        co_await context_.catalog.FindUpstreamRelease(provider, version));
    if (std::ranges::any_of(release.packages, &UpstreamPackage::held)) {
      held.push_back(Listed(release));
    }
  }
  if (held.empty()) co_return list;
  auto document = std::make_shared<wire::ProviderVersions>(*list.document);
  std::ranges::move(held, std::back_inserter(document->versions));
  list.document = std::move(document);
  co_return list;
}

// A release is described platform by platform; any one leads to the sums of all.
Result<Platform> ProviderMirror::ChoosePlatform(const UpstreamProvider& provider,
                                                const Version& version,
                                                const MirroredVersions& list,
                                                std::optional<Platform> wanted) const {
  std::string spelled = version.ToString();
  const auto& versions = list.document->versions;
  auto offered = std::ranges::find(versions, spelled, &wire::ProviderVersion::version);
  Platform usual = *Platform::Parse("linux_amd64");
  if (offered == versions.end()) {
    // A list that could not be refreshed may lack newer versions.
    if (list.stale) return wanted.value_or(usual);
    return FailNotFound("{} has no version {}", provider.Key(), spelled);
  }
  if (wanted && (offered->platforms.empty() || Offers(*offered, *wanted))) return *wanted;
  if (offered->platforms.empty() || Offers(*offered, usual)) return usual;
  for (const wire::PlatformName& each : offered->platforms) {
    Result<Platform> platform = Platform::FromParts(each.os, each.arch);
    if (platform) return platform;
  }
  return FailNotFound("{} {} is for no known platform", provider.Key(), spelled);
}

Task<UpstreamRelease> ProviderMirror::FindRelease(UpstreamProvider provider, Version version,
                                                  std::optional<Platform> wanted) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await FindBy(provider, version, std::move(wanted), DocumentDeadline()));
  CO_RETURN_IF_ERROR(co_await LetThrough(std::move(provider), std::move(version), release.signer));
  co_return release;
}

Task<UpstreamRelease> ProviderMirror::FindBy(UpstreamProvider provider, Version version,
                                             std::optional<Platform> wanted, Time deadline) {
  FetchesEnded ended = fetch_.ended();
  Result<UpstreamRelease> pinned = co_await context_.catalog.FindUpstreamRelease(provider, version);
  if (pinned || pinned.error().kind != ErrorKind::kNotFound) co_return pinned;
  CO_RETURN_IF_ERROR(co_await OpenGate(provider.Key()));
  CO_RETURN_IF_ERROR(context_.policy.CheckHost(provider.host, provider.Key()));
  co_return co_await FetchListed(std::move(provider), std::move(version), std::move(wanted), ended,
                                 deadline);
}

// Fetches a release that was never pinned, if the gate lets it through by its list.
Task<UpstreamRelease> ProviderMirror::FetchListed(UpstreamProvider provider, Version version,
                                                  std::optional<Platform> wanted,
                                                  FetchesEnded ended, Time deadline) {
  ASSIGN_OR_CO_RETURN(MirroredVersions list, co_await ListAll(provider, deadline));
  ASSIGN_OR_CO_RETURN(Platform platform,
                      ChoosePlatform(provider, version, list, std::move(wanted)));
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(provider.Key()));
  if (!gate.AllowsAll()) {
    std::vector<std::string> one{version.ToString()};
    ASSIGN_OR_CO_RETURN(gate, co_await JudgeListed(std::move(gate), provider, std::move(one),
                                                   std::move(list.times), deadline));
    CO_RETURN_IF_ERROR(CheckVersionFor(context_, gate, version));
  }
  ReleaseRequest wish{provider, version, std::move(platform), PinMode::kFirst};
  Result<UpstreamRelease> fetched = co_await fetch_.FetchRelease(std::move(wish), ended, deadline);
  // Versions that are in use are few: only for them are the details worth a request.
  if (fetched) lists_->LearnDetails(std::move(provider), std::move(version));
  co_return fetched;
}

// A release may have been imported with its zips only. If its registry contradicts them or fails
// permanently, clients still get the stored packages, without documents. A transient failure is
// returned: the client may retry.
Task<UpstreamRelease> ProviderMirror::FindSigned(UpstreamProvider provider, Version version,
                                                 Platform wanted) {
  Time deadline = DocumentDeadline();
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await FindBy(provider, version, wanted, deadline));
  Result<UpstreamRelease> documented = co_await WithDocuments(release, wanted, deadline);
  CO_RETURN_IF_ERROR(co_await LetThrough(std::move(provider), std::move(version), release.signer));
  if (documented || IsPassing(documented.error())) co_return documented;
  const bool here = std::ranges::count(release.packages, wanted, &UpstreamPackage::platform) > 0;
  if (!here) co_return documented;
  context_.log.Failure("an imported release has no documents of its author", documented.error());
  co_return release;
}

Task<UpstreamRelease> ProviderMirror::WithDocuments(UpstreamRelease release, Platform wanted,
                                                    Time deadline) {
  release = fetch_.owed().Complete(std::move(release));
  if (release.signature || !context_.policy.MayPull(release.provider.host)) co_return release;
  ReleaseRequest wish{release.provider, release.version, std::move(wanted), PinMode::kComplete};
  co_return co_await fetch_.FetchRelease(std::move(wish), fetch_.ended(), deadline);
}

// Another server may have named these documents to a client without being able to store them: that
// they are unavailable now does not mean that there are none.
Task<UpstreamRelease> ProviderMirror::WithPromised(UpstreamRelease release) {
  Platform any = release.packages.front().platform;
  Result<UpstreamRelease> fetched =
      co_await WithDocuments(std::move(release), std::move(any), DocumentDeadline());
  fetched = upstream::NotFoundAsBadGateway(std::move(fetched));
  if (!fetched || fetched->signature) co_return fetched;
  if (!context_.policy.MayPull(fetched->provider.host)) co_return fetched;
  co_return FailBadUpstream(
      "{} {} is stored without its author's SHA256SUMS and signature, and "
      "its registry does not have them",
      fetched->provider.Key(), fetched->version.ToString());
}

Task<MirroredFile> ProviderMirror::OpenFile(UpstreamProvider provider, Version version,
                                            std::string file) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await OpenGate(provider.Key()));
  FetchesEnded ended = fetch_.ended();
  Result<UpstreamRelease> release =
      co_await context_.catalog.FindUpstreamRelease(provider, version);
  if (!release && release.error().kind == ErrorKind::kNotFound) {
    CO_RETURN_IF_ERROR(context_.policy.CheckHost(provider.host, provider.Key()));
    // A zip's name gives the platform: no other request is needed first, unless a rule does.
    Result<ReleaseFile> named = ParseReleaseFile(file, provider.address, version);
    if (named && named->platform && gate.AllowsAll()) {
      PackageRequest wish{provider, version, *std::move(named->platform), std::move(file),
                          std::nullopt};
      ASSIGN_OR_CO_RETURN(MirroredFile opened, co_await Follow(std::move(wish), ended));
      // By now it is pinned: a version that does not exist is never admitted.
      CO_RETURN_IF_ERROR(co_await LetThrough(std::move(provider), std::move(version), ""));
      co_return opened;
    }
    release = co_await FindBy(provider, version, std::nullopt, DocumentDeadline());
  }
  if (!release) co_return Failure(std::move(release).error());
  CO_RETURN_IF_ERROR(co_await LetThrough(std::move(provider), std::move(version), release->signer));
  co_return co_await OpenOf(*std::move(release), std::move(file), ended);
}

Task<MirroredFile> ProviderMirror::OpenOf(UpstreamRelease release, std::string file,
                                          FetchesEnded ended) {
  const UpstreamProvider provider = release.provider;
  const Version version = release.version;
  const bool document = file == SumsFileName(provider.address, version) ||
                        file == SignatureFileName(provider.address, version);
  if (document && !release.signature) {
    ASSIGN_OR_CO_RETURN(release, co_await WithPromised(std::move(release)));
  }
  if (release.sums && file == SumsFileName(provider.address, version)) {
    Digest digest = release.sums->digest;
    Platform any = release.packages.front().platform;
    co_return co_await OpenDocument(std::move(release), any, digest, std::move(file));
  }
  if (release.signature && file == SignatureFileName(provider.address, version)) {
    Digest digest = release.signature->digest;
    Platform any = release.packages.front().platform;
    co_return co_await OpenDocument(std::move(release), any, digest, std::move(file));
  }
  auto package = std::ranges::find(release.packages, file, &UpstreamPackage::filename);
  if (package == release.packages.end()) {
    co_return FailNotFound("{} {} has no file \"{}\"", provider.Key(), version.ToString(),
                           Printable(file));
  }
  UpstreamPackage chosen = *package;
  co_return co_await OpenPackage(std::move(release), std::move(chosen), ended);
}

// A pinned document that is missing from the store is fetched again; it is never "not found".
// `described_by`: the platform whose description names it.
Task<MirroredFile> ProviderMirror::OpenDocument(UpstreamRelease release, Platform described_by,
                                                Digest digest, std::string file) {
  if (std::shared_ptr<Blob> owed = fetch_.owed().OpenDocument(digest))
    co_return MirroredFile{digest, owed};
  Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(digest);
  bool gone = !blob && blob.error().kind == ErrorKind::kNotFound;
  std::string why;
  if (gone && context_.policy.MayPull(release.provider.host)) {
    ReleaseRequest wish{release.provider, release.version, std::move(described_by),
                        PinMode::kRestore};
    auto fetched =
        co_await fetch_.FetchRelease(std::move(wish), fetch_.ended(), DocumentDeadline());
    if (std::shared_ptr<Blob> owed = fetch_.owed().OpenDocument(digest)) {
      co_return MirroredFile{digest, std::move(owed)};
    }
    blob = co_await context_.blobs.Open(digest);
    gone = !blob && blob.error().kind == ErrorKind::kNotFound;
    if (gone && !fetched && IsPassing(fetched.error())) {
      co_return Failure(std::move(fetched).error());
    }
    if (!fetched) why = fetched.error().message;
  }
  if (gone) {
    co_return Fail(ErrorKind::kCorrupt,
                   fmt::format("{} of {} is missing from this server's storage, and its registry "
                               "does not have the same bytes: import the release again",
                               file, release.provider.Key()),
                   std::move(why));
  }
  if (!blob) co_return Failure(std::move(blob).error());
  co_return MirroredFile{digest, *std::move(blob)};
}

Task<ProviderMirror::OpenAttachment> ProviderMirror::FindAttachment(UpstreamProvider provider,
                                                                    Version version,
                                                                    std::string name) {
  ASSIGN_OR_CO_RETURN(UpstreamRelease release,
                      co_await FindRelease(std::move(provider), std::move(version), std::nullopt));
  auto found = std::ranges::find_if(
      release.attachments, [&](const UpstreamAttachment& each) { return each.file.name == name; });
  if (found == release.attachments.end()) {
    co_return FailNotFound("{} {} has no attachment \"{}\"", release.provider.Key(),
                           release.version.ToString(), Printable(name));
  }
  const UpstreamAttachment attachment = *found;
  ASSIGN_OR_CO_RETURN(MirroredFile file,
                      co_await OpenDocument(std::move(release), attachment.platform,
                                            attachment.file.digest, std::move(name)));
  co_return OpenAttachment{attachment.file, std::move(file.blob)};
}

Task<MirroredFile> ProviderMirror::OpenPackage(UpstreamRelease release, UpstreamPackage package,
                                               FetchesEnded ended) {
  if (package.held) {
    Result<std::shared_ptr<Blob>> blob = co_await context_.blobs.Open(package.digest);
    if (blob) {
      context_.uses.TouchCached(package.digest, context_.clock.Now());
      co_return MirroredFile{package.digest, *std::move(blob)};
    }
    // It was removed behind our back; the same bytes can be fetched again.
    if (blob.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(blob).error());
  }
  CO_RETURN_IF_ERROR(context_.policy.CheckHost(release.provider.host, release.provider.Key()));
  PackageRequest wish{release.provider, release.version, package.platform, package.filename,
                      release};
  co_return co_await Follow(std::move(wish), ended);
}

Task<MirroredFile> ProviderMirror::Follow(PackageRequest wish, FetchesEnded ended) {
  Error late{
      ErrorKind::kUnavailable,
      fmt::format("{} of {} is still being fetched from its registry; try again in {} seconds",
                  wish.filename, wish.provider.Key(), options_.retry_after),
      {}};
  late.retry_after = options_.retry_after;
  Time deadline = std::chrono::steady_clock::now() + options_.package_timeout;
  std::shared_ptr<Fill> fill = fetch_.FetchPackage(std::move(wish), ended);
  ASSIGN_OR_CO_RETURN(Fill::Opened opened, co_await fill->Open(deadline, std::move(late)));
  co_return MirroredFile{opened.digest, std::move(opened.blob)};
}

}  // namespace koya::service
