// The gate: decides which versions of other registries this server hands out and takes in, by the
// policy in the catalog and the settings policy.allow and policy.deny. It brings the facts together
// and puts judgements into words; policy/policy.h judges.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "domain/release_times.h"
#include "domain/upstream_record.h"
#include "policy/policy.h"

namespace koya {
class Clock;
class PolicyCatalog;
class UpstreamDocuments;
class WorkerPool;
struct PinnedFacts;
struct PolicyRevision;
}  // namespace koya

namespace koya::service {

class PullPolicy;

// Why a version that changed (policy::Judgement::changed) is refused.
inline constexpr std::string_view kChangedText =
    "its registry now offers other bytes than those seen first";

// A revision of the catalog's policy (0: none was set), with the rules of the settings.
struct PolicyInForce {
  std::int64_t revision = 0;
  policy::Policy policy;
  std::string by;  // PolicyRevision::by
};

// Facts about the versions of one provider or module.
struct SubjectFacts {
  std::set<std::string> admitted;  // versions
  // Of pinned ones, by version.
  struct Pinned {
    UnixSeconds seen_at = 0;
    bool changed = false;
    std::optional<policy::Proof> proof;  // nullopt: not known
    // Of the version that it is compared with: the last one before it that had no less proof than
    // its predecessor, or was admitted with less.
    std::optional<policy::Proof> proof_before;
  };
  std::map<Version, Pinned> pinned;
  std::optional<policy::Proof> last_proof;  // with which the next version is compared
  std::set<std::string> signers;            // of the namespace's admitted releases
  ReleaseTimes times;

  // Adds pinned versions, in the order in which they were first seen.
  void AddPinned(const std::vector<PinnedFacts>& facts);
  // Adds the proof of a version whose documents are here, and which may be pinned.
  void AddSigned(const Version& version, std::string signer, UnixSeconds now);
};

// The versions of one provider or module, as the policy judges them. Thread-safe.
class SubjectGate {
 public:
  SubjectGate(std::shared_ptr<const PolicyInForce> policy, std::string subject, UnixSeconds now,
              policy::Way way);

  // True if every version is let through, whatever its facts.
  bool AllowsAll() const { return address_.AllowsAll(); }
  // Checks that some version may be let through. Fails: kForbidden, with the rule and whom to ask.
  Status CheckSubject() const;
  policy::Facts FactsOf(const Version& version) const;
  policy::Judgement Judge(const Version& version) const {
    return address_.Judge(FactsOf(version), judged_at_);
  }
  // From here on versions are judged as of another time, by the facts of now().
  void JudgeAsOf(UnixSeconds time) { judged_at_ = time; }
  // Fails: kForbidden, with the reasons, until when, and whom to ask.
  Status Check(const Version& version) const;
  // The same as a sentence; "" for an allowed version.
  std::string Describe(const Version& version, const policy::Judgement& judgement) const;
  // The rules that gave the verdict, with their reasons; "" for an allowed version.
  std::string DescribeReasons(const Version& version, const policy::Judgement& judgement) const;
  // What each rule says about the version, as a sentence, in the order of judgement.reasons: also
  // rules that let it through, and the exception that lifts a rule or would lift it.
  std::vector<std::string> ExplainReasons(const Version& version,
                                          const policy::Judgement& judgement) const;

  const policy::AddressPolicy& address() const { return address_; }
  const std::string& subject() const { return subject_; }
  const PolicyInForce& policy() const { return *policy_; }
  std::int64_t revision() const { return policy_->revision; }
  UnixSeconds now() const { return now_; }

  SubjectFacts facts;

 private:
  std::string DescribeStop(const Version& version, const policy::Rule& rule) const;
  std::string DescribePass(const Version& version, const policy::Rule& rule) const;
  std::string ExplainReason(const Version& version, const policy::Reason& reason, bool stops) const;
  std::string DescribeWayOut(const Version& version, const policy::Reason& reason) const;

  std::shared_ptr<const PolicyInForce> policy_;
  policy::AddressPolicy address_;  // refers to it
  std::string subject_;
  UnixSeconds now_;
  UnixSeconds judged_at_;
  policy::Way way_;
};

// Names of rules that stop something: kHold or kRefuse.
using StoppingRules = std::map<std::string, policy::Verdict>;
// Adds those of a judgement.
void AddStoppingRules(const policy::Judgement& judgement, StoppingRules& rules);

// A list of versions after the gate.
struct GatedList {
  std::vector<bool> shown;                // of each version
  std::optional<UnixSeconds> changes_at;  // time alone may change the list then; nullopt: never
  // Sentences for clients: of hidden versions that are newer than every shown one, or were handed
  // out once; at most kMostNotes, newest first.
  static constexpr std::size_t kMostNotes = 3;
  std::vector<std::string> notes;
  StoppingRules stopping;  // those that hid a version
};
// The versions, newest first, that are held for their age and whose registry may state an earlier
// time in its details; at most kMostDated, since each is a request.
inline constexpr std::size_t kMostDated = 20;
std::vector<Version> VersionsToDate(const SubjectGate& gate,
                                    const std::vector<std::string>& versions);

// The newest versions that were never pinned, and that a rule on proof would judge if they were; at
// most kMostPinnedAhead, the oldest of them first, as the one that others are compared with.
// Without their documents they would be listed, and refused when requested.
inline constexpr std::size_t kMostPinnedAhead = 3;
std::vector<Version> VersionsToPin(const SubjectGate& gate,
                                   const std::vector<std::string>& versions);

GatedList JudgeList(const SubjectGate& gate, const std::vector<std::string>& versions);

class Gate {
 public:
  // All arguments must outlive this.
  Gate(PolicyCatalog& catalog, UpstreamDocuments& documents, const PullPolicy& settings,
       const Clock& clock, WorkerPool& workers)
      : catalog_(catalog),
        documents_(documents),
        settings_(settings),
        clock_(clock),
        workers_(workers) {}

  // Every call fails as the catalog, and with kInternal when the stored policy cannot be read: then
  // nothing is let through.

  Task<std::shared_ptr<const PolicyInForce>> ReadPolicy();
  // The policy in force for a provider or module (UpstreamProvider::Key()), without facts.
  Task<SubjectGate> Open(std::string subject, policy::Way way = policy::Way::kPull);
  // The gate with the facts that its rules need. `times`: of the list that the caller has; nullopt:
  // those of the cached list.
  Task<SubjectGate> AddFacts(SubjectGate gate, UpstreamProvider provider,
                             std::optional<ReleaseTimes> times);
  Task<SubjectGate> AddFacts(SubjectGate gate, UpstreamModule module,
                             std::optional<ReleaseTimes> times);
  // All facts, whatever rules there are.
  Task<SubjectFacts> ReadFacts(UpstreamProvider provider, ReleaseTimes times);
  Task<SubjectFacts> ReadFacts(UpstreamModule module, ReleaseTimes times);
  // Checks that some version may be let through. Fails: as SubjectGate::CheckSubject.
  Task<void> CheckSubject(std::string subject);
  // Checks a version that is imported, and returns the gate for Admit. `signer`: of the documents
  // that come with it. Fails: as SubjectGate::Check.
  Task<SubjectGate> CheckImport(UpstreamProvider provider, Version version,
                                std::optional<std::string> signer);
  Task<SubjectGate> CheckImport(UpstreamModule module, Version version);
  // Records that a version was let through, if that is new.
  Task<void> Admit(const SubjectGate& gate, const Version& version);

  // Records that a release's registry offers other bytes than those seen first: from now on it is
  // refused, unless it was let through before.
  Task<void> MarkChanged(UpstreamProvider provider, Version version);

  // Listener for the change feed: the next call reads the policy again.
  void Invalidate(std::string_view topic);

  // The rules of a text, with those of the settings. Fails: kInternal, naming the revision.
  Result<std::shared_ptr<const PolicyInForce>> MakePolicy(const PolicyRevision& revision) const;

 private:
  template <class Subject>
  Task<SubjectGate> AddFactsOf(SubjectGate gate, Subject subject,
                               std::optional<ReleaseTimes> times);
  template <class Subject>
  Task<SubjectFacts> ReadFactsOf(Subject subject, ReleaseTimes times);

  PolicyCatalog& catalog_;
  UpstreamDocuments& documents_;
  const PullPolicy& settings_;
  const Clock& clock_;
  WorkerPool& workers_;
  std::mutex mutex_;  // guards the fields below
  std::shared_ptr<const PolicyInForce> current_;
  std::uint64_t invalidations_ = 0;
};

}  // namespace koya::service
