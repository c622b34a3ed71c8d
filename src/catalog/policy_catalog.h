// PolicyCatalog is the part of the catalog (catalog.h) that stores the policy on releases of other
// registries, and the versions that it let through.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/task.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Actor;
struct Admission;
struct NamespaceSigner;
struct NewPolicyRevision;
struct PinnedFacts;
struct PolicyRevision;
struct UpstreamModule;
struct UpstreamProvider;
class Version;

// Methods that change something for users take the acting caller first, and write the audit log
// entry in the same transaction (see AuditCatalog), with the target "policy".
class PolicyCatalog {
 public:
  explicit PolicyCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // The one in force. Without any: revision 0, with an empty text.
  Task<PolicyRevision> FindPolicy();
  // Fails: kNotFound.
  Task<PolicyRevision> FindPolicyRevision(std::int64_t revision);
  // Newest first, without their texts; at most `limit` (1000).
  Task<std::vector<PolicyRevision>> ListPolicyRevisions(std::uint64_t limit);
  // Puts a policy in force, and returns its revision. The change log gets kEverything. Fails:
  // kConflict when the newest revision is not the expected one; kInvalid for a text or reason that
  // cannot be stored.
  Task<std::int64_t> SetPolicy(Actor by, NewPolicyRevision next);

  // The versions of a provider or module that were admitted.
  Task<std::set<std::string>> ListAdmitted(std::string subject);
  // Appends no change: an admitted version was let through already.
  Task<void> Admit(Admission admission);
  // Admits versions that the policy would stop: all or none. Returns how many were not admitted
  // before. The change log gets kEverything. Fails: kTooLarge for more than kMostAdmissions.
  static constexpr std::size_t kMostAdmissions = 50'000;
  Task<std::uint64_t> AdmitAll(Actor by, std::vector<Admission> admissions, std::string pattern,
                               std::string reason);

  // Pinned versions in the order in which they were first seen.
  Task<std::vector<PinnedFacts>> ListPinnedFacts(UpstreamProvider provider);
  Task<std::vector<PinnedFacts>> ListPinnedFacts(UpstreamModule module);
  // Records that the registry of a pinned release offers other bytes, once.
  Task<void> MarkChanged(Actor by, UpstreamProvider provider, Version version);
  // The keys that signed admitted releases of a namespace of another registry.
  Task<std::set<std::string>> ListKnownSigners(std::string host, std::string ns);
  // All keys that signed pinned releases of it, last seen first: at most `limit` (1000), each with
  // kMostSigned of its releases.
  static constexpr std::int64_t kMostSigned = 20;
  Task<std::vector<NamespaceSigner>> ListSigners(std::string host, std::string ns,
                                                 std::uint64_t limit);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
