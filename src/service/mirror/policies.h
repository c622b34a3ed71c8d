// Policies sets the policy on releases of other registries, reads its revisions, and reports what
// it does to the versions that this server knows. Asks no other registry.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/policy_record.h"
#include "domain/usage_record.h"
#include "policy/policy.h"
#include "policy/policy_file.h"
#include "service/mirror/context.h"

namespace koya {
struct Actor;
class PolicyCatalog;
class UsageCatalog;
}  // namespace koya

namespace koya::service {

struct MirrorQuestion;

// The outcome of setting a policy.
struct PolicyChange {
  std::int64_t revision = 0;              // in force from now on; 0: the text has problems
  std::vector<policy::Problem> problems;  // then nothing changed
};

// The verdict on one version.
struct PolicyExplanation {
  struct Reason {
    std::string rule;  // its name; "": no rule, the version changed
    policy::Verdict verdict = policy::Verdict::kAllow;
    std::optional<UnixSeconds> until;
    std::string text;
  };

  std::string version;  // "": none is known here, and a rule refuses all
  policy::Verdict verdict = policy::Verdict::kAllow;
  std::optional<UnixSeconds> until;    // of a hold that ends by itself
  std::optional<bool> clock_registry;  // its age counts from its registry's time, else from `seen`;
                                       // nullopt: no rule on age concerns it
  std::optional<UnixSeconds> seen_at;  // here, first; nullopt: never
  std::optional<UnixSeconds> pinned_at;
  std::int64_t revision = 0;    // of the policy; 0: none was set
  std::string by;               // who set it
  std::vector<Reason> reasons;  // of each rule that concerns the version, by name
  std::string instead;          // the version that clients choose now; "": none
};

// Versions that the policy stops.
struct HeldVersions {
  static constexpr std::size_t kMostListed = 1000;
  struct Item {
    std::string address;
    std::string version;
    policy::Verdict verdict = policy::Verdict::kHold;
    std::optional<UnixSeconds> until;
    std::vector<std::string> rules;  // that stop it
    std::string reason;              // a sentence
  };

  std::vector<Item> items;  // by end, those without one last, then by address
  bool more = false;
};

// The difference that a policy would make to the one in force.
struct PolicyTrial {
  static constexpr std::size_t kMostListed = 1000;  // of each
  struct Item {
    std::string address;
    std::string version;
    std::uint64_t requests = 0;  // fetches in the days asked for
  };

  std::vector<policy::Problem> problems;  // of the text; then all else is empty
  std::vector<Item> held;                 // let through now; most requests first, as below
  std::vector<Item> refused;              // let through now
  std::vector<Item> lifted;               // stopped now
  bool more = false;
};

// Reasons are plain text of 1 to 1000 bytes: other reasons fail with kInvalid. Thread-safe.
class Policies {
 public:
  static constexpr std::uint64_t kMostListed = 1000;  // revisions
  // Providers and modules that a report looks at; reports at once.
  static constexpr std::size_t kMostJudged = 10'000;
  static constexpr std::size_t kMostReports = 2;

  // `catalog` and `usage` must outlive this.
  Policies(MirrorContext context, PolicyCatalog& catalog, UsageCatalog& usage)
      : context_(context), catalog_(catalog), usage_(usage) {}

  // The one in force. Without any: revision 0, with an empty text.
  Task<PolicyRevision> FindPolicy();
  // Fails: kNotFound.
  Task<PolicyRevision> FindRevision(std::int64_t revision);
  // Newest first, without their texts; kMostListed at most.
  Task<std::vector<PolicyRevision>> ListRevisions();

  // Reads the text, and puts it in force if it has no problems. Fails: kConflict when the newest
  // revision is not the expected one.
  Task<PolicyChange> SetPolicy(Actor by, NewPolicyRevision next);
  // Puts the text of an earlier revision in force again, as a new revision. Fails: kNotFound,
  // kConflict.
  Task<PolicyChange> Rollback(Actor by, std::int64_t revision, std::string reason);
  // Admits the versions that are pinned here, or in a stored list, of the providers (three parts)
  // or modules (four parts) that match a policy::PullPattern. Returns how many were not admitted
  // before. Fails: kInvalid for a pattern; kTooLarge for too many versions.
  Task<std::uint64_t> Baseline(Actor by, std::string pattern, std::string reason);

  // Judges a version, or the newest known one, as of a time (nullopt: now). Fails: kNotFound: no
  // version is known here.
  Task<PolicyExplanation> Explain(MirrorQuestion question, std::optional<UnixSeconds> at);
  // The keys that signed pinned releases of a namespace of another registry, last seen first:
  // kMostSigners at most. Fails: kNotFound: no release of it is pinned here.
  static constexpr std::uint64_t kMostSigners = 100;
  Task<std::vector<NamespaceSigner>> ListSigners(HostName host, std::string ns);
  // The pinned and listed versions that are held or refused, of kMostJudged providers and modules.
  // Fails: kUnavailable: kMostReports are under way.
  Task<HeldVersions> ListHeld();
  // Compares a policy with the one in force: the pinned versions, and those that were fetched since
  // that day, of kMostJudged providers and modules. Admitted versions stay admitted; before the
  // first revision pinned ones count as admitted. Fails: kUnavailable, likewise.
  Task<PolicyTrial> TryPolicy(std::string text, UsageDay since);

 private:
  MirrorContext context_;
  PolicyCatalog& catalog_;
  UsageCatalog& usage_;
  std::atomic<std::size_t> reports_ = 0;  // under way
};

}  // namespace koya::service
