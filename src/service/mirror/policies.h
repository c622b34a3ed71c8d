// Policies sets the policy on releases of other registries, and reads its revisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/policy_record.h"
#include "policy/policy_file.h"
#include "service/mirror/context.h"

namespace koya {
struct Actor;
class PolicyCatalog;
}  // namespace koya

namespace koya::service {

// The outcome of setting a policy.
struct PolicyChange {
  std::int64_t revision = 0;              // in force from now on; 0: the text has problems
  std::vector<policy::Problem> problems;  // then nothing changed
};

// Reasons are plain text of 1 to 1000 bytes: other reasons fail with kInvalid. Thread-safe.
class Policies {
 public:
  static constexpr std::uint64_t kMostListed = 1000;  // revisions

  // `catalog` must outlive this.
  Policies(MirrorContext context, PolicyCatalog& catalog) : context_(context), catalog_(catalog) {}

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

 private:
  MirrorContext context_;
  PolicyCatalog& catalog_;
};

}  // namespace koya::service
