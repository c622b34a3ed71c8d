#include "service/mirror/policies.h"

#include <algorithm>
#include <expected>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "catalog/policy_catalog.h"
#include "catalog/upstream_catalog.h"
#include "catalog/usage_catalog.h"
#include "domain/audit_record.h"
#include "domain/upstream_record.h"
#include "policy/policy.h"
#include "service/common/reading.h"
#include "service/mirror/cached_index.h"
#include "service/mirror/explanation.h"
#include "service/mirror/gate.h"
#include "service/mirror/pull_policy.h"
#include "wire/modules.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kKeysAtOnce = 1000;  // the catalog's longest page

Status CheckPolicyReason(std::string_view reason) {
  constexpr std::size_t kLongest = 1000;
  if (!reason.empty() && reason.size() <= kLongest && IsPlainText(reason)) return {};
  return FailInvalid("a change of the policy needs a reason: 1 to {} bytes of plain text",
                     kLongest);
}

// How providers and modules are found.
struct ProviderStock {
  using Lists = ProviderLists;
  using Address = ProviderAddress;
  static constexpr std::string_view kKindOfList = "provider-versions:";
  static auto ListSummaries(UpstreamCatalog& catalog, PageRequest page) {
    return catalog.ListMirroredProviders({}, page);
  }
  static auto ListPinned(UpstreamCatalog& catalog, UpstreamProvider provider) {
    return catalog.ListUpstreamVersions(std::move(provider));
  }
};
struct ModuleStock {
  using Lists = ModuleLists;
  using Address = ModuleAddress;
  static constexpr std::string_view kKindOfList = "module-versions:";
  static auto ListSummaries(UpstreamCatalog& catalog, PageRequest page) {
    return catalog.ListMirroredModules({}, page);
  }
  static auto ListPinned(UpstreamCatalog& catalog, UpstreamModule module) {
    return catalog.ListUpstreamModuleVersions(std::move(module));
  }
};

// Parses "HOST/ADDRESS".
template <class Stock>
Result<typename Stock::Lists::Subject> ParseSubject(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return FailInvalid("\"{}\" is no address", Printable(text));
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(text.substr(0, slash)));
  ASSIGN_OR_RETURN(typename Stock::Address address, Stock::Address::Parse(text.substr(slash + 1)));
  return typename Stock::Lists::Subject{std::move(host), std::move(address)};
}

// The versions of a stored list that can be read: clients ignore the others.
template <class Lists>
std::set<std::string> VersionsOf(const CachedDocument& stored) {
  std::set<std::string> versions;
  const Result<typename Lists::Document> document = Lists::Decode(stored.body);
  if (!document) return versions;
  for (const ListedRelease& each : Lists::Releases(*document)) {
    if (Result<Version> version = Version::Parse(each.version)) {
      versions.insert(version->ToString());
    }
  }
  return versions;
}

struct StoredList {
  std::set<std::string> versions;
  ReleaseTimes times;
};

// Empty if there is none.
template <class Stock, class Subject>
Task<StoredList> ReadStoredList(MirrorContext context, Subject subject) {
  Result<CachedDocument> stored =
      co_await context.catalog.FindDocument(Stock::Lists::DocumentKey(subject));
  if (!stored && stored.error().kind == ErrorKind::kNotFound) co_return StoredList();
  if (!stored) co_return std::unexpected(stored.error());
  auto read = [&stored] { return VersionsOf<typename Stock::Lists>(*stored); };
  StoredList list{.versions = co_await Offload(context.pools.workers, std::move(read)),
                  .times = std::move(stored->times)};
  co_return list;
}

// Of one provider or module: those that are pinned, and those of its stored list.
template <class Stock, class Subject>
Task<std::set<std::string>> ListKnownVersions(MirrorContext context, Subject subject) {
  ASSIGN_OR_CO_RETURN(const std::vector<Version> pinned,
                      co_await Stock::ListPinned(context.catalog, subject));
  ASSIGN_OR_CO_RETURN(StoredList list, co_await ReadStoredList<Stock>(context, std::move(subject)));
  for (const Version& version : pinned) list.versions.insert(version.ToString());
  co_return std::move(list.versions);
}

// Collects the providers or modules that match a pattern, by key.
template <class Stock>
class Matches {
 public:
  using Subjects = std::map<std::string, typename Stock::Lists::Subject>;

  Matches(policy::PullPattern pattern, std::size_t most)
      : pattern_(std::move(pattern)), most_(most) {}

  void Add(std::string_view text) {
    auto subject = ParseSubject<Stock>(text);
    if (!subject) return;  // no version of it can be requested
    std::string key = subject->Key();
    if (pattern_.Matches(policy::AddressParts(key))) {
      subjects_.try_emplace(std::move(key), *std::move(subject));
    }
  }
  bool TooMany() const { return subjects_.size() > most_; }
  Subjects Take() { return std::move(subjects_); }

 private:
  policy::PullPattern pattern_;
  std::size_t most_;
  Subjects subjects_;
};

// Those with a pinned version, or with a stored list of versions. More than `most` may be some
// only.
template <class Stock>
Task<typename Matches<Stock>::Subjects> FindMatches(MirrorContext context,
                                                    policy::PullPattern pattern, std::size_t most) {
  Matches<Stock> matches(std::move(pattern), most);
  bool more = true;
  for (PageRequest next{.offset = 0, .limit = kKeysAtOnce}; more; next.offset += next.limit) {
    ASSIGN_OR_CO_RETURN(const Page<UpstreamSummary> page,
                        co_await Stock::ListSummaries(context.catalog, next));
    for (const UpstreamSummary& each : page.items) {
      matches.Add(each.host.ascii() + "/" + each.address);
    }
    more = page.more && !matches.TooMany();
  }
  const std::string kind(Stock::kKindOfList);
  std::vector<std::string> keys = {kind};
  while (!keys.empty() && !matches.TooMany()) {
    std::string last = keys.back();
    ASSIGN_OR_CO_RETURN(
        keys, co_await context.catalog.ListDocumentKeys(kind, std::move(last), kKeysAtOnce));
    for (const std::string& key : keys) matches.Add(std::string_view(key).substr(kind.size()));
  }
  co_return matches.Take();
}

// At most one more than can be admitted at once: the catalog says that they are too many.
template <class Stock>
Task<std::vector<Admission>> CollectAdmissions(MirrorContext context, policy::PullPattern pattern) {
  constexpr std::size_t kMost = PolicyCatalog::kMostAdmissions + 1;
  // More could not be admitted at once, however many versions they have.
  ASSIGN_OR_CO_RETURN(
      const auto subjects,
      co_await FindMatches<Stock>(context, std::move(pattern), PolicyCatalog::kMostAdmissions));
  std::vector<Admission> admissions;
  for (const auto& [key, subject] : subjects) {
    ASSIGN_OR_CO_RETURN(const std::set<std::string> versions,
                        co_await ListKnownVersions<Stock>(context, subject));
    for (const std::string& version : versions) {
      if (admissions.size() == kMost) co_return admissions;
      admissions.push_back({key, version});
    }
  }
  co_return admissions;
}

// ---- judged versions

// A provider or module whose facts are known, with the versions that are known, as clients choose
// them: releases before prereleases, the newest first.
struct KnownSubject {
  SubjectFacts facts;
  std::vector<Version> versions;
};

std::vector<Version> SortVersions(const std::set<std::string>& texts, const SubjectFacts& facts) {
  std::set<Version> versions;
  for (const std::string& text : texts) {
    if (Result<Version> version = Version::Parse(text)) versions.insert(*std::move(version));
  }
  for (const auto& [version, pinned] : facts.pinned) versions.insert(version);
  std::vector<Version> sorted(versions.rbegin(), versions.rend());
  std::ranges::sort(sorted, [](const Version& a, const Version& b) {
    return a.is_prerelease() == b.is_prerelease() ? b < a : b.is_prerelease();
  });
  return sorted;
}

template <class Stock, class Subject>
Task<KnownSubject> ReadKnown(MirrorContext context, Subject subject) {
  ASSIGN_OR_CO_RETURN(StoredList list, co_await ReadStoredList<Stock>(context, subject));
  ASSIGN_OR_CO_RETURN(SubjectFacts facts,
                      co_await context.gate.ReadFacts(std::move(subject), std::move(list.times)));
  auto sort = [&list, &facts] { return SortVersions(list.versions, facts); };
  std::vector<Version> versions = co_await Offload(context.pools.workers, std::move(sort));
  co_return KnownSubject{std::move(facts), std::move(versions)};
}

// Those that are known, each at most Policies::kMostJudged by key.
struct KnownSubjects {
  std::vector<UpstreamProvider> providers;
  std::vector<UpstreamModule> modules;
  bool more = false;
};

template <class Item>
void KeepFirst(std::vector<Item>& items, std::size_t most, bool& more) {
  if (items.size() <= most) return;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(most), items.end());
  more = true;
}

template <class Stock, class Subject>
Task<std::vector<Subject>> ListKnown(MirrorContext context, std::string_view pattern) {
  auto all = policy::PullPattern::Parse(pattern);
  if (!all) co_return std::unexpected(all.error());
  ASSIGN_OR_CO_RETURN(auto found,
                      co_await FindMatches<Stock>(context, *std::move(all), Policies::kMostJudged));
  std::vector<Subject> subjects;
  for (auto& [key, subject] : found) subjects.push_back(std::move(subject));
  co_return subjects;
}

Task<KnownSubjects> ListAllKnown(MirrorContext context) {
  constexpr std::size_t kMost = Policies::kMostJudged;
  KnownSubjects all;
  ASSIGN_OR_CO_RETURN(all.providers,
                      co_await (ListKnown<ProviderStock, UpstreamProvider>(context, "*/*/*")));
  ASSIGN_OR_CO_RETURN(all.modules,
                      co_await (ListKnown<ModuleStock, UpstreamModule>(context, "*/*/*/*")));
  KeepFirst(all.providers, kMost, all.more);
  KeepFirst(all.modules, kMost - all.providers.size(), all.more);
  co_return all;
}

// Keeps the first items in the order of `less`.
template <class Item, class Less>
void SortFirst(std::vector<Item>& items, std::size_t most, Less less, bool& more) {
  std::ranges::sort(items, less);
  KeepFirst(items, most, more);
}

// Adds to a list of which SortFirst keeps the first: it has at most twice as many in between.
template <class Item, class Less>
void AddFirst(std::vector<Item>& items, Item item, std::size_t most, Less less, bool& more) {
  items.push_back(std::move(item));
  if (items.size() == 2 * most) SortFirst(items, most, less, more);
}

// As clients meet it: where all versions are let through, a changed one is, too.
policy::Judgement JudgeKnown(const SubjectGate& gate, const Version& version) {
  if (!gate.AllowsAll()) return gate.Judge(version);
  policy::Facts facts = gate.FactsOf(version);
  facts.changed = false;
  return gate.address().Judge(facts, gate.now());
}

// ---- explanations

// The hold that ends last counts: it is the one that people wait for.
void AddClock(const policy::Judgement& judgement, PolicyExplanation& explanation) {
  const policy::Reason* last = nullptr;
  for (const policy::Reason& each : judgement.reasons) {
    if (each.from && (last == nullptr || *last->until < *each.until)) last = &each;
  }
  if (last != nullptr) explanation.clock_registry = last->from_registry;
}

void AddSight(const SubjectFacts& facts, const Version& version, PolicyExplanation& explanation) {
  explanation.seen_at = facts.times.FindFirstSeen(version.ToString());
  const auto pinned = facts.pinned.find(version);
  if (pinned == facts.pinned.end()) return;
  explanation.pinned_at = pinned->second.seen_at;
  explanation.seen_at =
      std::min(explanation.seen_at.value_or(pinned->second.seen_at), pinned->second.seen_at);
}

PolicyExplanation ExplanationOf(const SubjectGate& gate) {
  PolicyExplanation explanation;
  explanation.revision = gate.revision();
  explanation.by = gate.policy().by;
  return explanation;
}

PolicyExplanation ExplainVersion(const SubjectGate& gate, const std::vector<Version>& versions,
                                 const Version& version) {
  PolicyExplanation explanation = ExplanationOf(gate);
  const policy::Judgement judgement = JudgeKnown(gate, version);
  const std::vector<std::string> texts = gate.ExplainReasons(version, judgement);
  explanation.version = version.ToString();
  explanation.verdict = judgement.verdict;
  explanation.until = judgement.until;
  AddClock(judgement, explanation);
  AddSight(gate.facts, version, explanation);
  if (judgement.changed) {
    explanation.reasons.push_back(
        {.rule = "", .verdict = judgement.verdict, .until = {}, .text = std::string(kChangedText)});
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const policy::Reason& reason = judgement.reasons[i];
    explanation.reasons.push_back({.rule = reason.rule->name,
                                   .verdict = reason.verdict,
                                   .until = reason.until,
                                   .text = texts[i]});
  }
  auto is_shown = [&gate](const Version& each) { return JudgeKnown(gate, each).Admits(); };
  const auto shown = std::ranges::find_if(versions, is_shown);
  if (shown != versions.end()) explanation.instead = shown->ToString();
  return explanation;
}

// No version is known here.
Result<PolicyExplanation> ExplainUnknown(const SubjectGate& gate) {
  const policy::Rule* denial = gate.address().FindDenial(gate.now());
  if (denial == nullptr) {
    return FailNotFound("no version of {} is known here: name one", gate.subject());
  }
  PolicyExplanation explanation = ExplanationOf(gate);
  explanation.verdict = policy::Verdict::kRefuse;
  explanation.reasons.push_back({.rule = denial->name,
                                 .verdict = policy::Verdict::kRefuse,
                                 .until = {},
                                 .text = gate.CheckSubject().error().message});
  return explanation;
}

template <class Stock, class Subject>
Task<PolicyExplanation> ExplainSubject(MirrorContext context, Subject subject,
                                       std::optional<Version> version,
                                       std::optional<UnixSeconds> at) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await context.gate.Open(subject.Key()));
  if (at) gate.JudgeAsOf(*at);
  ASSIGN_OR_CO_RETURN(KnownSubject known, co_await ReadKnown<Stock>(context, std::move(subject)));
  gate.facts = std::move(known.facts);
  if (!version && known.versions.empty()) co_return ExplainUnknown(gate);
  if (!version) version = known.versions.front();
  auto explain = [&] { return ExplainVersion(gate, known.versions, *version); };
  co_return co_await Offload(context.pools.workers, std::move(explain));
}

// ---- held versions

Failure TooManyReports() {
  return FailUnavailable("{} reports on all versions are under way: try again in a few seconds",
                         Policies::kMostReports);
}

bool EndsBefore(const HeldVersions::Item& a, const HeldVersions::Item& b) {
  return std::tuple(!a.until, a.until, std::tie(a.address, a.version)) <
         std::tuple(!b.until, b.until, std::tie(b.address, b.version));
}

void AddHeld(const SubjectGate& gate, const std::vector<Version>& versions, HeldVersions& held) {
  for (const Version& version : versions) {
    const policy::Judgement judgement = gate.Judge(version);
    if (judgement.Admits()) continue;
    HeldVersions::Item item{.address = gate.subject(),
                            .version = version.ToString(),
                            .verdict = judgement.verdict,
                            .until = judgement.until,
                            .rules = {},
                            .reason = gate.DescribeReasons(version, judgement)};
    for (const policy::Reason& each : judgement.reasons) {
      if (each.verdict >= policy::Verdict::kHold) item.rules.push_back(each.rule->name);
    }
    AddFirst(held.items, std::move(item), HeldVersions::kMostListed, EndsBefore, held.more);
  }
}

template <class Stock, class Subject>
Task<HeldVersions> AddHeldOf(MirrorContext context, std::vector<Subject> subjects,
                             HeldVersions held) {
  for (const Subject& subject : subjects) {
    ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await context.gate.Open(subject.Key()));
    if (gate.AllowsAll()) continue;
    ASSIGN_OR_CO_RETURN(KnownSubject known, co_await ReadKnown<Stock>(context, subject));
    gate.facts = std::move(known.facts);
    auto add = [&] {
      AddHeld(gate, known.versions, held);
      return true;
    };
    co_await Offload(context.pools.workers, std::move(add));
  }
  co_return held;
}

// ---- trials

bool IsRequestedMore(const PolicyTrial::Item& a, const PolicyTrial::Item& b) {
  return std::tie(b.requests, a.address, a.version) < std::tie(a.requests, b.address, b.version);
}

// Two policies on one provider or module, by the same facts.
struct TriedSubject {
  SubjectGate now;
  SubjectGate next;
  std::vector<Version> versions = {};

  bool AllowsAll() const { return now.AllowsAll() && next.AllowsAll(); }
  void Add(KnownSubject known) {
    versions = std::move(known.versions);
    now.facts = std::move(known.facts);
    next.facts = now.facts;
    if (now.revision() > 0) return;
    for (const auto& [version, pinned] : now.facts.pinned) {
      next.facts.admitted.insert(version.ToString());
    }
  }
};

struct ChangedVersion {
  Version version;
  std::vector<PolicyTrial::Item> PolicyTrial::* list;
};

std::vector<ChangedVersion> Compare(const TriedSubject& subject) {
  std::vector<ChangedVersion> changed;
  for (const Version& version : subject.versions) {
    const policy::Verdict next = JudgeKnown(subject.next, version).verdict;
    const bool admits = next < policy::Verdict::kHold;
    if (JudgeKnown(subject.now, version).Admits() == admits) continue;
    auto list = &PolicyTrial::lifted;
    if (next == policy::Verdict::kHold) list = &PolicyTrial::held;
    if (next == policy::Verdict::kRefuse) list = &PolicyTrial::refused;
    changed.push_back({version, list});
  }
  return changed;
}

struct TrialContext {
  MirrorContext mirror;
  UsageCatalog& usage;
  std::shared_ptr<const PolicyInForce> now;
  std::shared_ptr<const PolicyInForce> next;
  UsageDay since = 0;
};

// Fetches of each version.
Task<std::map<std::string, std::uint64_t>> CountRequests(TrialContext context, UsageItem item) {
  UsageFilter filter{
      .kind = item.kind, .address = std::move(item.address), .ns = {}, .since = context.since};
  ASSIGN_OR_CO_RETURN(const std::vector<UsageSum> sums,
                      co_await context.usage.ListUsage(std::move(filter)));
  std::map<std::string, std::uint64_t> requests;
  for (const UsageSum& sum : sums) requests[sum.item.version] += sum.counts.fetches;
  co_return requests;
}

template <class Stock, class Subject>
Task<PolicyTrial> TrySubjects(TrialContext context, std::vector<Subject> subjects,
                              PolicyTrial trial) {
  const UnixSeconds now = context.mirror.clock.Now();
  for (const Subject& each : subjects) {
    TriedSubject subject{{context.now, each.Key(), now, policy::Way::kPull},
                         {context.next, each.Key(), now, policy::Way::kPull}};
    if (subject.AllowsAll()) continue;
    ASSIGN_OR_CO_RETURN(KnownSubject known, co_await ReadKnown<Stock>(context.mirror, each));
    subject.Add(std::move(known));
    auto compare = [&subject] { return Compare(subject); };
    const auto changed = co_await Offload(context.mirror.pools.workers, std::move(compare));
    if (changed.empty()) continue;
    ASSIGN_OR_CO_RETURN(auto requests, co_await CountRequests(context, UsageItem::OfAll(each)));
    for (const ChangedVersion& change : changed) {
      PolicyTrial::Item item{each.Key(), change.version.ToString(), 0};
      item.requests = requests[item.version];
      if (item.requests == 0 && !subject.now.facts.pinned.contains(change.version)) continue;
      AddFirst(trial.*change.list, std::move(item), PolicyTrial::kMostListed, IsRequestedMore,
               trial.more);
    }
  }
  co_return trial;
}

}  // namespace

Task<PolicyRevision> Policies::FindPolicy() { co_return co_await catalog_.FindPolicy(); }

Task<PolicyRevision> Policies::FindRevision(std::int64_t revision) {
  co_return co_await catalog_.FindPolicyRevision(revision);
}

Task<std::vector<PolicyRevision>> Policies::ListRevisions() {
  co_return co_await catalog_.ListPolicyRevisions(kMostListed);
}

Task<PolicyChange> Policies::SetPolicy(Actor by, NewPolicyRevision next) {
  CO_RETURN_IF_ERROR(CheckPolicyReason(next.reason));
  auto read = [&next] { return policy::ParsePolicy(next.text); };
  auto parsed = co_await Offload(context_.pools.workers, std::move(read));
  if (!parsed) co_return PolicyChange{.revision = 0, .problems = std::move(parsed).error()};
  ASSIGN_OR_CO_RETURN(const std::int64_t revision,
                      co_await catalog_.SetPolicy(std::move(by), std::move(next)));
  co_return PolicyChange{.revision = revision, .problems = {}};
}

Task<PolicyChange> Policies::Rollback(Actor by, std::int64_t revision, std::string reason) {
  ASSIGN_OR_CO_RETURN(PolicyRevision earlier, co_await catalog_.FindPolicyRevision(revision));
  NewPolicyRevision next{.text = std::move(earlier.text),
                         .reason = std::move(reason),
                         .expected = {},
                         .copy_of = revision};
  co_return co_await SetPolicy(std::move(by), std::move(next));
}

Task<std::uint64_t> Policies::Baseline(Actor by, std::string pattern, std::string reason) {
  CO_RETURN_IF_ERROR(CheckPolicyReason(reason));
  ASSIGN_OR_CO_RETURN(policy::PullPattern parsed, policy::PullPattern::Parse(pattern));
  constexpr std::size_t kPartsOfProvider = 3;
  Task<std::vector<Admission>> collecting =
      parsed.size() == kPartsOfProvider
          ? CollectAdmissions<ProviderStock>(context_, std::move(parsed))
          : CollectAdmissions<ModuleStock>(context_, std::move(parsed));
  ASSIGN_OR_CO_RETURN(std::vector<Admission> admissions, co_await std::move(collecting));
  co_return co_await catalog_.AdmitAll(std::move(by), std::move(admissions), std::move(pattern),
                                       std::move(reason));
}

Task<PolicyExplanation> Policies::Explain(MirrorQuestion question, std::optional<UnixSeconds> at) {
  if (auto* provider = std::get_if<UpstreamProvider>(&question.thing)) {
    co_return co_await ExplainSubject<ProviderStock>(context_, std::move(*provider),
                                                     std::move(question.version), at);
  }
  co_return co_await ExplainSubject<ModuleStock>(
      context_, std::get<UpstreamModule>(std::move(question.thing)), std::move(question.version),
      at);
}

Task<std::vector<NamespaceSigner>> Policies::ListSigners(HostName host, std::string ns) {
  ASSIGN_OR_CO_RETURN(std::vector<NamespaceSigner> signers,
                      co_await catalog_.ListSigners(host.ascii(), ns, kMostSigners));
  if (!signers.empty()) co_return signers;
  co_return FailNotFound("no release of {}/{} is known here", host.display(), ns);
}

Task<HeldVersions> Policies::ListHeld() {
  const ConcurrencySlot slot(reports_, kMostReports);
  if (!slot.got()) co_return TooManyReports();
  ASSIGN_OR_CO_RETURN(KnownSubjects known, co_await ListAllKnown(context_));
  HeldVersions held{.items = {}, .more = known.more};
  ASSIGN_OR_CO_RETURN(held, co_await AddHeldOf<ProviderStock>(context_, std::move(known.providers),
                                                              std::move(held)));
  ASSIGN_OR_CO_RETURN(
      held, co_await AddHeldOf<ModuleStock>(context_, std::move(known.modules), std::move(held)));
  SortFirst(held.items, HeldVersions::kMostListed, EndsBefore, held.more);
  co_return held;
}

Task<PolicyTrial> Policies::TryPolicy(std::string text, UsageDay since) {
  PolicyTrial trial;
  auto read = [&text] { return policy::ParsePolicy(text); };
  auto parsed = co_await Offload(context_.pools.workers, std::move(read));
  if (!parsed) {
    trial.problems = std::move(parsed).error();
    co_return trial;
  }
  const ConcurrencySlot slot(reports_, kMostReports);
  if (!slot.got()) co_return TooManyReports();
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const PolicyInForce> now,
                      co_await context_.gate.ReadPolicy());
  auto next = std::make_shared<const PolicyInForce>(now->revision + 1,
                                                    parsed->With(context_.policy.Rules()), "");
  const TrialContext context{context_, usage_, std::move(now), std::move(next), since};
  ASSIGN_OR_CO_RETURN(KnownSubjects known, co_await ListAllKnown(context_));
  trial.more = known.more;
  ASSIGN_OR_CO_RETURN(trial, co_await TrySubjects<ProviderStock>(
                                 context, std::move(known.providers), std::move(trial)));
  ASSIGN_OR_CO_RETURN(trial, co_await TrySubjects<ModuleStock>(context, std::move(known.modules),
                                                               std::move(trial)));
  for (auto* list : {&trial.held, &trial.refused, &trial.lifted}) {
    SortFirst(*list, PolicyTrial::kMostListed, IsRequestedMore, trial.more);
  }
  co_return trial;
}

}  // namespace koya::service
