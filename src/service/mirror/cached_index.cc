#include "service/mirror/cached_index.h"

#include <utility>

#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/common/freeze.h"
#include "service/mirror/module_fetch.h"
#include "service/mirror/provider_fetch.h"
#include "upstream/provider_source.h"
#include "wire/modules.h"

namespace koya::service {
namespace {

// Decoding a shorter list takes less time than handing it to another thread.
constexpr std::size_t kShortBody = 16 * 1024;

// For a request that no client waits for.
constexpr std::chrono::seconds kDetailsTimeout(8);

}  // namespace

std::string ProviderLists::DocumentKey(const Subject& provider) {
  return "provider-versions:" + provider.Key();
}
std::string ProviderLists::Encode(const Document& document) { return wire::Encode(document); }
Result<wire::ProviderVersions> ProviderLists::Decode(const std::string& body) {
  return wire::Decode<wire::ProviderVersions>(body);
}
Result<FetchedList<wire::ProviderVersions>> ProviderLists::FetchList(
    const Subject& provider, const upstream::Validators& held, const upstream::Deadline& patience) {
  ASSIGN_OR_RETURN(upstream::FetchedVersions fetched,
                   source.Versions(provider.host, provider.address, held, patience));
  return FetchedList<Document>{fetched.unchanged, std::move(fetched.document), fetched.skipped,
                               std::move(fetched.validators)};
}
Result<wire::ForeignDetails> ProviderLists::FetchDetails(const Subject& provider,
                                                         const Version& version,
                                                         const upstream::Deadline& patience) {
  return source.Details(provider.host, provider.address, version, patience);
}
std::vector<ListedRelease> ProviderLists::Releases(const Document& document) {
  std::vector<ListedRelease> releases;
  releases.reserve(document.versions.size());
  for (const wire::ProviderVersion& each : document.versions) {
    releases.push_back({each.version, each.discovered});
  }
  return releases;
}
void ProviderLists::DropTimes(Document& document) {
  for (wire::ProviderVersion& each : document.versions) each.discovered.clear();
}

std::string ModuleLists::DocumentKey(const Subject& module) {
  return "module-versions:" + module.Key();
}
std::string ModuleLists::Encode(const Document& document) {
  return wire::EncodeModuleVersions(document);
}
Result<wire::ModuleVersions> ModuleLists::Decode(const std::string& body) {
  return wire::DecodeModuleVersions(body);
}
Result<FetchedList<wire::ModuleVersions>> ModuleLists::FetchList(
    const Subject& module, const upstream::Validators& held, const upstream::Deadline& patience) {
  ASSIGN_OR_RETURN(upstream::FetchedModuleVersions fetched,
                   source.Versions(module.host, module.address, held, patience));
  Document document{.source = module.address.ToString(),
                    .versions = {},
                    .discovered = std::move(fetched.discovered)};
  for (const Version& version : fetched.versions) document.versions.push_back(version.ToString());
  return FetchedList<Document>{fetched.unchanged, std::move(document), fetched.skipped,
                               std::move(fetched.validators)};
}
Result<wire::ForeignDetails> ModuleLists::FetchDetails(const Subject& module,
                                                       const Version& version,
                                                       const upstream::Deadline& patience) {
  return source.Details(module.host, module.address, version, patience);
}
std::vector<ListedRelease> ModuleLists::Releases(const Document& document) {
  std::vector<ListedRelease> releases;
  releases.reserve(document.versions.size());
  for (const std::string& version : document.versions) {
    auto time = document.discovered.find(version);
    const bool stated = time != document.discovered.end();
    releases.push_back({version, stated ? std::string_view(time->second) : std::string_view()});
  }
  return releases;
}
void ModuleLists::DropTimes(Document& document) { document.discovered.clear(); }

template <class Kind>
bool CachedIndex<Kind>::IsFresh(const CachedDocument& document) const {
  // A check time in the future was recorded while a clock was ahead, and is ignored.
  const UnixSeconds age = context_.clock.Now() - document.checked_at;
  return age >= 0 && age < Kind::Freshness(document, freshness_).count();
}

template <class Kind>
Task<CachedList<typename Kind::Document>> CachedIndex<Kind>::Decoded(Held held, bool stale) {
  auto decode = [&held] { return Kind::Decode(held->body); };
  if (held->body.size() <= kShortBody) {
    ASSIGN_OR_CO_RETURN(typename Kind::Document document, decode());
    co_return List{std::make_shared<const typename Kind::Document>(std::move(document)), stale,
                   held->checked_at, held->times, held->source};
  }
  ASSIGN_OR_CO_RETURN(typename Kind::Document document,
                      co_await Offload(context_.pools.workers, std::move(decode)));
  co_return List{std::make_shared<const typename Kind::Document>(std::move(document)), stale,
                 held->checked_at, held->times, held->source};
}

template <class Kind>
Task<CachedList<typename Kind::Document>> CachedIndex<Kind>::ReadHeld(Subject subject) {
  ASSIGN_OR_CO_RETURN(CachedDocument held,
                      co_await context_.catalog.FindDocument(Kind::DocumentKey(subject)));
  co_return co_await Decoded(std::make_shared<const CachedDocument>(std::move(held)), false);
}

template <class Kind>
Task<CachedList<typename Kind::Document>> CachedIndex<Kind>::Read(Subject subject, Time deadline) {
  std::uint64_t landed = flights_.landed();
  std::string key = Kind::DocumentKey(subject);
  Result<CachedDocument> found = co_await context_.catalog.FindDocument(key);
  if (!found && found.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(found).error());
  }
  Held held;
  if (found) held = std::make_shared<const CachedDocument>(*std::move(found));
  if (held && IsFresh(*held)) co_return co_await Decoded(std::move(held), false);
  Task<List> fetch = Fetch(subject, held, landed, deadline);
  Result<List> fetched = co_await flights_.Do(std::move(key), std::move(fetch),
                                              deadline + kAnswerGrace, TooLate(subject.Key()));
  if (fetched || !held) co_return fetched;
  ++counters_.stale;
  context_.log.Warn("upstream fails; serving stored copies",
                    {{"of", subject.Key()},
                     {"held_for_s", context_.clock.Now() - held->checked_at},
                     {"detail", fetched.error().message}});
  co_return co_await Decoded(std::move(held), true);
}

// Performs one exchange with upstream and caches the list.
template <class Kind>
Task<CachedList<typename Kind::Document>> CachedIndex<Kind>::Fetch(Subject subject, Held held,
                                                                   std::uint64_t landed,
                                                                   Time deadline) {
  FairPool& pool = context_.pools.documents;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place, co_await pool.Enter(subject.host.ascii(), deadline));
  if (flights_.landed() != landed) {
    // Perhaps this one, since the catalog was asked: upstream is not asked twice.
    auto found = co_await context_.catalog.FindDocument(Kind::DocumentKey(subject));
    if (found && IsFresh(*found)) {
      co_return co_await Decoded(std::make_shared<const CachedDocument>(*std::move(found)), false);
    }
  }
  upstream::Validators validators;
  // A list that was stored without the times of its versions is asked for once more.
  if (held && !(Kind::kHasTimes && !held->times.HasFirstSeen())) {
    validators = {held->etag, held->last_modified};
  }
  auto answer = kind_.FetchList(subject, validators, {deadline, pool.stopping()});
  if (!answer) {
    if (answer.error().kind != ErrorKind::kNotFound) ++counters_.failures;
    context_.log.TakeLimit(answer.error());
    co_return Failure(std::move(answer).error());
  }
  if (answer->skipped > 0) {
    context_.log.Warn("upstream lists unusable entries; ignoring them",
                      {{"of", subject.Key()}, {"skipped", answer->skipped}});
  }
  co_return co_await StoreList(std::move(subject), std::move(held), *std::move(answer));
}

template <class Kind>
Task<CachedList<typename Kind::Document>> CachedIndex<Kind>::StoreList(
    Subject subject, Held held, FetchedList<typename Kind::Document> answer) {
  UnixSeconds now = context_.clock.Now();
  const bool is_frozen = co_await IsFrozen(context_.freeze);
  if (answer.unchanged && held) {
    CachedDocument confirmed = *held;
    confirmed.checked_at = now;
    if (!is_frozen) {
      CO_RETURN_IF_ERROR(co_await context_.catalog.ConfirmDocument(confirmed.key, now));
    }
    co_return co_await Decoded(std::make_shared<const CachedDocument>(std::move(confirmed)), false);
  }
  ReleaseTimes times;
  if constexpr (Kind::kHasTimes) {
    if (held) times = held->times;
    times.AddList(Kind::Releases(answer.document), now);
    Kind::DropTimes(answer.document);
  }
  std::optional<SourceRepository> source;
  if (held) source = held->source;
  if (is_frozen) {
    co_return List{std::make_shared<const typename Kind::Document>(std::move(answer.document)),
                   false, now, std::move(times), std::move(source)};
  }
  CachedDocument document{.key = Kind::DocumentKey(subject),
                          .body = Kind::Encode(answer.document),
                          .etag = std::move(answer.validators.etag),
                          .last_modified = std::move(answer.validators.last_modified),
                          .checked_at = now,
                          .changed_at = now,
                          .times = std::move(times)};
  ASSIGN_OR_CO_RETURN(ReleaseTimes stored,
                      co_await context_.catalog.PutDocument(std::move(document)));
  co_return List{std::make_shared<const typename Kind::Document>(std::move(answer.document)), false,
                 now, std::move(stored), std::move(source)};
}

template <class Kind>
void CachedIndex<Kind>::LearnDetails(Subject subject, Version version)
  requires Kind::kHasTimes
{
  std::string key = Kind::DocumentKey(subject) + "@" + version.ToString();
  details_.Start(std::move(key), FetchDetails(std::move(subject), std::move(version)));
}

template <class Kind>
Task<ReleaseTimes> CachedIndex<Kind>::LearnTimes(Subject subject, std::vector<Version> versions,
                                                 Time deadline)
  requires Kind::kHasTimes
{
  const std::string key = Kind::DocumentKey(subject);
  for (const Version& each : versions) LearnDetails(subject, each);
  for (const Version& each : versions) {  // they are under way: each joins its own
    Task<void> fetch = FetchDetails(subject, each);
    // What a registry does not say stays unknown.
    (void)co_await details_.Do(key + "@" + each.ToString(), std::move(fetch), deadline,
                               TooLate(subject.Key()));
  }
  ASSIGN_OR_CO_RETURN(CachedDocument held, co_await context_.catalog.FindDocument(key));
  co_return std::move(held.times);
}

template <class Kind>
Task<void> CachedIndex<Kind>::FetchDetails(Subject subject, Version version)
  requires Kind::kHasTimes
{
  const std::string key = Kind::DocumentKey(subject);
  const std::string spelled = version.ToString();
  ASSIGN_OR_CO_RETURN(CachedDocument held, co_await context_.catalog.FindDocument(key));
  if (!held.times.MayAskFor(spelled)) co_return Status();
  if (co_await IsFrozen(context_.freeze)) co_return Status();
  FairPool& pool = context_.pools.documents;
  const Time deadline = std::chrono::steady_clock::now() + kDetailsTimeout;
  ASSIGN_OR_CO_RETURN(FairPool::Slot place, co_await pool.Enter(subject.host.ascii(), deadline));
  Result<wire::ForeignDetails> details =
      kind_.FetchDetails(subject, version, {deadline, pool.stopping()});
  // A registry that has no details answers in the same way next time; one that fails may not.
  if (!details && details.error().kind != ErrorKind::kNotFound) {
    context_.log.TakeLimit(details.error());
    co_return Failure(std::move(details).error());
  }
  const wire::ForeignDetails stated = std::move(details).value_or(wire::ForeignDetails());
  ReleaseTimes times;
  times.AddDetails(spelled, stated.published_at, context_.clock.Now());
  std::optional<SourceRepository> source;  // one that is no repository's URL counts as none
  if (auto parsed = SourceRepository::Parse(stated.source)) source = *std::move(parsed);
  co_return co_await context_.catalog.AddDetails(key, std::move(times), std::move(source));
}

template class CachedIndex<ProviderLists>;
template class CachedIndex<ModuleLists>;
template class CachedIndex<DocLists>;

}  // namespace koya::service
