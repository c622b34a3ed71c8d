#include "service/mirror/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/offload.h"
#include "catalog/policy_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/actor.h"
#include "domain/attachment.h"
#include "domain/policy_record.h"
#include "domain/topic.h"
#include "policy/policy_file.h"
#include "service/mirror/pull_policy.h"

namespace koya::service {
namespace {

using policy::Condition;
using policy::Verdict;

constexpr std::string_view kAdvice = "ask the administrators of this registry";

// Parsing a shorter one takes less time than handing it to another thread.
constexpr std::size_t kShortPolicy = 4096;

std::string AgeText(std::chrono::seconds age) {
  const std::int64_t seconds = age.count();
  auto text = [](std::int64_t count, std::string_view unit) {
    return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
  };
  if (seconds % 86'400 == 0) return text(seconds / 86'400, "day");
  if (seconds % 3600 == 0) return text(seconds / 3600, "hour");
  return text((seconds + 59) / 60, "minute");
}

policy::Proof ProofOf(const PinnedFacts& facts) {
  policy::Proof proof{.key = facts.is_signed ? facts.signer : std::string()};
  for (const std::string& name : facts.attachments) {
    const std::optional<AttachmentKind> kind = FindAttachmentKind(name);
    if (kind) proof.attachments.emplace(AttachmentEnd(*kind));
  }
  return proof;
}

// `proof` has a key and attachments at least as `before`.
bool IsNoLess(const policy::Proof& proof, const policy::Proof& before) {
  if (!before.key.empty() && proof.key != before.key) return false;
  return std::ranges::includes(proof.attachments, before.attachments);
}

std::string ListKey(const UpstreamProvider& provider) {
  return "provider-versions:" + provider.Key();
}
std::string ListKey(const UpstreamModule& module) { return "module-versions:" + module.Key(); }

std::string NamespaceOf(const UpstreamProvider& provider) {
  return std::string(provider.address.ns());
}
std::string NamespaceOf(const UpstreamModule& module) { return std::string(module.address.ns()); }

}  // namespace

// ---- one provider or module

// A version with less proof than the ones before sets no example, unless it was admitted: else a
// second one like it would pass.
void SubjectFacts::AddPinned(const std::vector<PinnedFacts>& facts) {
  for (const PinnedFacts& each : facts) {
    Pinned entry{.seen_at = each.seen_at, .changed = each.changed_at != 0};
    // A signature whose key was not recorded proves nothing, and lacks nothing.
    if (!each.is_signed || !each.signer.empty()) {
      entry.proof = ProofOf(each);
      entry.proof_before = last_proof;
      const bool sets_example = !last_proof || admitted.contains(each.version.ToString()) ||
                                IsNoLess(*entry.proof, *last_proof);
      if (sets_example) last_proof = entry.proof;
    }
    pinned.emplace(each.version, std::move(entry));
  }
}

void SubjectFacts::AddSigned(const Version& version, std::string signer, UnixSeconds now) {
  const auto [entry, is_new] = pinned.try_emplace(version, Pinned{.seen_at = now});
  if (is_new) entry->second.proof_before = last_proof;
  if (!entry->second.proof) entry->second.proof.emplace();
  entry->second.proof->key = std::move(signer);
}

SubjectGate::SubjectGate(std::shared_ptr<const PolicyInForce> policy, std::string subject,
                         UnixSeconds now, policy::Way way)
    : policy_(std::move(policy)),
      address_(policy_->policy.ForAddress(subject)),
      subject_(std::move(subject)),
      now_(now),
      judged_at_(now),
      way_(way) {}

policy::Facts SubjectGate::FactsOf(const Version& version) const {
  const std::string text = version.ToString();
  policy::Facts out{.version = version, .seen = now_, .way = way_};
  out.stated = facts.times.FindTime(text);
  out.admitted = facts.admitted.contains(text);
  if (const auto seen = facts.times.FindFirstSeen(text)) out.seen = std::min(out.seen, *seen);
  const auto pinned = facts.pinned.find(version);
  if (pinned == facts.pinned.end()) return out;
  out.seen = std::min(out.seen, pinned->second.seen_at);
  out.changed = pinned->second.changed;
  out.proof = pinned->second.proof;
  out.proof_before = pinned->second.proof_before;
  // The first key of a namespace is taken at its word.
  out.key_known = facts.signers.empty() || (out.proof && facts.signers.contains(out.proof->key));
  return out;
}

Status SubjectGate::CheckSubject() const {
  const policy::Rule* denial = address_.FindDenial(now_, way_);
  if (denial == nullptr) return {};
  if (denial->name == PullPolicy::kAllowSetting) {
    return FailForbidden("{} is not mirrored here: no rule of policy.allow allows it; {}", subject_,
                         kAdvice);
  }
  if (denial->name == PullPolicy::kDenySetting) {
    const std::vector<std::string> parts = policy::AddressParts(subject_);
    const auto pattern = std::ranges::find_if(
        denial->match, [&](const policy::PullPattern& each) { return each.Matches(parts); });
    return FailForbidden("{} is not mirrored here: the rule policy.deny \"{}\" forbids it; {}",
                         subject_, pattern->text(), kAdvice);
  }
  return FailForbidden(
      "{} is not mirrored here: the rule \"{}\" of the policy {}; {}", subject_, denial->name,
      denial->condition == Condition::kOnly ? "does not list it" : "forbids it", kAdvice);
}

// Why the rule stops a version, or would if that were new.
std::string SubjectGate::DescribeStop(const Version& version, const policy::Rule& rule) const {
  switch (rule.condition) {
    case Condition::kMinimumAge:
      return fmt::format("releases must be {} old", AgeText(rule.minimum_age));
    case Condition::kDeny:
      return "it is forbidden";
    case Condition::kOnly:
      return "no rule allows it";
    case Condition::kPrereleases:
      return "prereleases are not handed out";
    case Condition::kSignature:
      return "its author did not sign it";
    case Condition::kPinnedKey: {
      const std::optional<policy::Proof> proof = FactsOf(version).proof;
      if (!proof || proof->key.empty()) return "its author did not sign it";
      return fmt::format("it is signed by the key {}, which is new to its namespace", proof->key);
    }
    case Condition::kNoLessProof:
      break;
  }
  std::string text = "it has less proof than the version before it";
  const policy::Facts judged = FactsOf(version);
  if (!judged.proof || !judged.proof_before) return text;
  for (const std::string& kind : judged.proof_before->attachments) {
    if (!judged.proof->attachments.contains(kind)) text += ", no attachment " + kind;
  }
  return text;
}

// Why the rule lets a version through.
std::string SubjectGate::DescribePass(const Version& version, const policy::Rule& rule) const {
  const std::optional<policy::Proof> proof = FactsOf(version).proof;
  switch (rule.condition) {
    case Condition::kMinimumAge:
      return fmt::format("releases must be {} old, and it is", AgeText(rule.minimum_age));
    case Condition::kDeny:
    case Condition::kOnly:
      return "a rule allows it";
    case Condition::kPrereleases:
      return "it is no prerelease";
    case Condition::kSignature:
    case Condition::kPinnedKey:
    case Condition::kNoLessProof:
      break;
  }
  if (!proof) return "its proof is judged when its documents are here";
  if (rule.condition == Condition::kNoLessProof) return "it has no less proof than the one before";
  return fmt::format("it is signed by the key {}", proof->key);
}

// The exception that would lift the rule; for a hold that ends, one of that length.
std::string SubjectGate::DescribeWayOut(const Version& version,
                                        const policy::Reason& reason) const {
  const std::string& name = reason.rule->name;
  if (name == PullPolicy::kAllowSetting || name == PullPolicy::kDenySetting) {
    return "no exception lifts it: it is a setting of the server";
  }
  constexpr UnixSeconds kDay = 86'400;
  constexpr UnixSeconds kUsualDays = 30;
  const UnixSeconds until = reason.until.value_or(judged_at_ + kUsualDays * kDay) + kDay - 1;
  const std::string day = FormatRfc3339(until);
  return fmt::format(
      R"(an exception lifts it: rules = ["{}"], match = ["{}"], versions = ["{}"], until = {})",
      name, subject_, version.ToString(), day.substr(0, day.find('T')));
}

std::string SubjectGate::ExplainReason(const Version& version, const policy::Reason& reason,
                                       bool stops) const {
  std::string text =
      stops ? DescribeStop(version, *reason.rule) : DescribePass(version, *reason.rule);
  if (reason.from) {
    const std::string text_of_time = FormatRfc3339(*reason.from);
    text += reason.from_registry
                ? fmt::format("; released {}, as its registry states", text_of_time)
                : fmt::format("; first seen here {}", text_of_time);
  }
  if (reason.lifted_by != nullptr) {
    return text + fmt::format("; an exception lifts the rule until {}: {}",
                              FormatRfc3339(reason.lifted_by->until), reason.lifted_by->reason);
  }
  if (reason.verdict >= Verdict::kHold) return text + "; " + DescribeWayOut(version, reason);
  return text + (stops ? "; but the version is admitted" : "");
}

std::vector<std::string> SubjectGate::ExplainReasons(const Version& version,
                                                     const policy::Judgement& judgement) const {
  policy::Facts as_new = FactsOf(version);
  as_new.admitted = false;
  const policy::Judgement of_new = address_.Judge(as_new, judged_at_);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < judgement.reasons.size(); ++i) {
    const policy::Reason& reason = of_new.reasons[i];
    const bool stops = reason.verdict != Verdict::kAllow || reason.lifted_by != nullptr;
    texts.push_back(ExplainReason(version, judgement.reasons[i], stops));
  }
  return texts;
}

std::string SubjectGate::DescribeReasons(const Version& version,
                                         const policy::Judgement& judgement) const {
  if (judgement.verdict == Verdict::kAllow) return {};
  std::string reasons;
  if (judgement.changed) {
    reasons = kChangedText;
  }
  for (const policy::Reason& reason : judgement.reasons) {
    if (reason.verdict != judgement.verdict) continue;
    reasons += fmt::format("{}{} (rule {})", reasons.empty() ? "" : ", and ",
                           DescribeStop(version, *reason.rule), reason.rule->name);
  }
  return reasons;
}

std::string SubjectGate::Describe(const Version& version,
                                  const policy::Judgement& judgement) const {
  if (judgement.verdict == Verdict::kAllow) return {};
  std::string state = "is refused";
  if (judgement.verdict == Verdict::kNote) state = "is noted";
  if (judgement.verdict == Verdict::kHold) state = "is held";
  if (judgement.until) state += " until " + FormatRfc3339(*judgement.until);
  return fmt::format("{} {} {}: {}", subject_, version.ToString(), state,
                     DescribeReasons(version, judgement));
}

Status SubjectGate::Check(const Version& version) const {
  const policy::Judgement judgement = Judge(version);
  if (judgement.Admits()) return {};
  return FailForbidden("{}; {}", Describe(version, judgement), kAdvice);
}

// ---- lists

std::vector<Version> VersionsToDate(const SubjectGate& gate,
                                    const std::vector<std::string>& versions) {
  std::vector<Version> found;
  for (const std::string& text : versions) {
    Result<Version> version = Version::ParseLookup(text);
    if (!version || !gate.facts.times.MayAskFor(text)) continue;
    const policy::Judgement judgement = gate.Judge(*version);
    const bool held_for_age = std::ranges::any_of(judgement.reasons, [](const auto& reason) {
      return reason.verdict == Verdict::kHold && reason.rule->condition == Condition::kMinimumAge &&
             reason.rule->age_by_registry;
    });
    if (held_for_age && gate.address().believes_registry()) found.push_back(*std::move(version));
  }
  std::ranges::sort(found, std::ranges::greater());
  if (found.size() > kMostDated) found.erase(found.begin() + kMostDated, found.end());
  return found;
}

std::vector<Version> VersionsToPin(const SubjectGate& gate,
                                   const std::vector<std::string>& versions) {
  auto is_on_proof = [](const policy::Reason& reason) {
    const Condition condition = reason.rule->condition;
    return condition == Condition::kSignature || condition == Condition::kPinnedKey ||
           condition == Condition::kNoLessProof;
  };
  std::vector<Version> found;
  for (const std::string& text : versions) {
    Result<Version> version = Version::ParseLookup(text);
    if (!version || gate.facts.pinned.contains(*version)) continue;
    const policy::Judgement judgement = gate.Judge(*version);
    if (!gate.facts.admitted.contains(text) &&
        std::ranges::any_of(judgement.reasons, is_on_proof)) {
      found.push_back(*std::move(version));
    }
  }
  std::ranges::sort(found, std::ranges::greater());
  if (found.size() > kMostPinnedAhead) {
    found.erase(found.begin() + kMostPinnedAhead, found.end());
  }
  std::ranges::reverse(found);
  return found;
}

void AddStoppingRules(const policy::Judgement& judgement, StoppingRules& rules) {
  for (const policy::Reason& each : judgement.reasons) {
    if (each.verdict < Verdict::kHold) continue;
    Verdict& verdict = rules[each.rule->name];
    verdict = std::max(verdict, each.verdict);
  }
}

GatedList JudgeList(const SubjectGate& gate, const std::vector<std::string>& versions) {
  GatedList list{.shown = std::vector<bool>(versions.size(), true)};
  if (gate.AllowsAll()) return list;
  struct Hidden {
    Version version;
    policy::Judgement judgement;
  };
  std::vector<Hidden> hidden;
  std::optional<Version> newest;  // of the shown ones
  for (std::size_t i = 0; i < versions.size(); ++i) {
    Result<Version> version = Version::ParseLookup(versions[i]);
    if (!version) continue;  // lists have sound versions only
    policy::Judgement judgement = gate.Judge(*version);
    if (judgement.changes_at && (!list.changes_at || *judgement.changes_at < *list.changes_at)) {
      list.changes_at = judgement.changes_at;
    }
    list.shown[i] = judgement.Admits();
    if (list.shown[i]) {
      if (!newest || *newest < *version) newest = *std::move(version);
    } else {
      AddStoppingRules(judgement, list.stopping);
      hidden.push_back({*std::move(version), std::move(judgement)});
    }
  }
  std::erase_if(hidden, [&](const Hidden& each) {
    return newest && each.version < *newest &&
           !gate.facts.admitted.contains(each.version.ToString());
  });
  std::ranges::sort(hidden, std::ranges::greater(), &Hidden::version);
  for (const Hidden& each : hidden) {
    if (list.notes.size() == GatedList::kMostNotes) break;
    list.notes.push_back(gate.Describe(each.version, each.judgement));
  }
  return list;
}

// ---- the gate

Result<std::shared_ptr<const PolicyInForce>> Gate::MakePolicy(
    const PolicyRevision& revision) const {
  policy::Policy stored;
  if (revision.revision > 0) {
    auto parsed = policy::ParsePolicy(revision.text);
    if (!parsed) {
      return FailInternal(
          "revision {} of the policy cannot be read by this version of Koya, so nothing is let "
          "through: set one that can be read (koya policy set). Line {}: {}",
          revision.revision, parsed.error().front().line, parsed.error().front().text);
    }
    stored = *std::move(parsed);
  }
  return std::make_shared<const PolicyInForce>(revision.revision, stored.With(settings_.Rules()),
                                               revision.by);
}

Task<std::shared_ptr<const PolicyInForce>> Gate::ReadPolicy() {
  std::uint64_t before = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (current_) co_return current_;
    before = invalidations_;
  }
  ASSIGN_OR_CO_RETURN(PolicyRevision revision, co_await catalog_.FindPolicy());
  auto make = [this, &revision] { return MakePolicy(revision); };
  Result<std::shared_ptr<const PolicyInForce>> policy;
  if (revision.text.size() <= kShortPolicy) {
    policy = make();
  } else {
    policy = co_await Offload(workers_, std::move(make));
  }
  if (!policy) co_return policy;
  const std::scoped_lock lock(mutex_);
  if (invalidations_ == before) current_ = *policy;
  co_return policy;
}

void Gate::Invalidate(std::string_view topic) {
  if (topic != kEverything) return;
  const std::scoped_lock lock(mutex_);
  current_.reset();
  ++invalidations_;
}

Task<SubjectGate> Gate::Open(std::string subject, policy::Way way) {
  ASSIGN_OR_CO_RETURN(std::shared_ptr<const PolicyInForce> policy, co_await ReadPolicy());
  co_return SubjectGate(std::move(policy), std::move(subject), clock_.Now(), way);
}

template <class Subject>
Task<SubjectGate> Gate::AddFactsOf(SubjectGate gate, Subject subject,
                                   std::optional<ReleaseTimes> times) {
  // Without a revision nothing is admitted: the first one admits the pinned versions.
  if (gate.revision() > 0) {
    ASSIGN_OR_CO_RETURN(gate.facts.admitted, co_await catalog_.ListAdmitted(gate.subject()));
  }
  if (gate.AllowsAll()) co_return gate;
  if (!times && gate.address().has_age_rules()) {
    Result<CachedDocument> list = co_await documents_.FindDocument(ListKey(subject));
    if (list) times = std::move(list->times);
    if (!list && list.error().kind != ErrorKind::kNotFound) {
      co_return Failure(std::move(list).error());
    }
  }
  gate.facts.times = std::move(times).value_or(ReleaseTimes());
  ASSIGN_OR_CO_RETURN(const std::vector<PinnedFacts> pinned,
                      co_await catalog_.ListPinnedFacts(subject));
  gate.facts.AddPinned(pinned);
  if (gate.address().has_key_rules()) {
    ASSIGN_OR_CO_RETURN(gate.facts.signers, co_await catalog_.ListKnownSigners(
                                                subject.host.ascii(), NamespaceOf(subject)));
  }
  co_return gate;
}

Task<SubjectGate> Gate::AddFacts(SubjectGate gate, UpstreamProvider provider,
                                 std::optional<ReleaseTimes> times) {
  return AddFactsOf(std::move(gate), std::move(provider), std::move(times));
}

Task<SubjectGate> Gate::AddFacts(SubjectGate gate, UpstreamModule module,
                                 std::optional<ReleaseTimes> times) {
  return AddFactsOf(std::move(gate), std::move(module), std::move(times));
}

template <class Subject>
Task<SubjectFacts> Gate::ReadFactsOf(Subject subject, ReleaseTimes times) {
  SubjectFacts facts;
  facts.times = std::move(times);
  ASSIGN_OR_CO_RETURN(facts.admitted, co_await catalog_.ListAdmitted(subject.Key()));
  ASSIGN_OR_CO_RETURN(facts.signers, co_await catalog_.ListKnownSigners(subject.host.ascii(),
                                                                        NamespaceOf(subject)));
  ASSIGN_OR_CO_RETURN(const std::vector<PinnedFacts> pinned,
                      co_await catalog_.ListPinnedFacts(std::move(subject)));
  facts.AddPinned(pinned);
  co_return facts;
}

Task<SubjectFacts> Gate::ReadFacts(UpstreamProvider provider, ReleaseTimes times) {
  return ReadFactsOf(std::move(provider), std::move(times));
}

Task<SubjectFacts> Gate::ReadFacts(UpstreamModule module, ReleaseTimes times) {
  return ReadFactsOf(std::move(module), std::move(times));
}

Task<void> Gate::CheckSubject(std::string subject) {
  ASSIGN_OR_CO_RETURN(const SubjectGate gate, co_await Open(std::move(subject)));
  co_return gate.CheckSubject();
}

Task<SubjectGate> Gate::CheckImport(UpstreamProvider provider, Version version,
                                    std::optional<std::string> signer) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await Open(provider.Key(), policy::Way::kImport));
  CO_RETURN_IF_ERROR(gate.CheckSubject());
  ASSIGN_OR_CO_RETURN(gate, co_await AddFacts(std::move(gate), std::move(provider), std::nullopt));
  if (signer) gate.facts.AddSigned(version, *std::move(signer), gate.now());
  CO_RETURN_IF_ERROR(gate.Check(version));
  co_return gate;
}

Task<SubjectGate> Gate::CheckImport(UpstreamModule module, Version version) {
  ASSIGN_OR_CO_RETURN(SubjectGate gate, co_await Open(module.Key(), policy::Way::kImport));
  CO_RETURN_IF_ERROR(gate.CheckSubject());
  ASSIGN_OR_CO_RETURN(gate, co_await AddFacts(std::move(gate), std::move(module), std::nullopt));
  CO_RETURN_IF_ERROR(gate.Check(version));
  co_return gate;
}

Task<void> Gate::MarkChanged(UpstreamProvider provider, Version version) {
  return catalog_.MarkChanged(Actor::Server(), std::move(provider), std::move(version));
}

Task<void> Gate::Admit(const SubjectGate& gate, const Version& version) {
  std::string text = version.ToString();
  if (gate.revision() == 0 || gate.facts.admitted.contains(text)) co_return Status();
  co_return co_await catalog_.Admit({gate.subject(), std::move(text)});
}

}  // namespace koya::service
