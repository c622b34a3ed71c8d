// Documents of the policy on releases of other registries, and of its revisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/endpoint.h"

namespace koya::wire {

// A rule, and how often it stopped something under a revision.
struct PolicyRule {
  std::string name;
  std::uint64_t held = 0;
  std::uint64_t refused = 0;
  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

// The policy as it was set once.
struct Policy {
  std::uint64_t revision = 0;  // 0: none was ever set
  std::string toml;            // byte for byte
  std::string by;              // "user:ada"; "": revision 0, as for the members below
  std::string at;              // RFC 3339
  std::string reason;
  std::vector<PolicyRule> rules = {};  // by name, with those of the settings
  friend bool operator==(const Policy&, const Policy&) = default;
};

// The same without its text.
struct PolicyRevision {
  std::uint64_t revision = 0;
  std::string by;
  std::string at;
  std::string reason;
  friend bool operator==(const PolicyRevision&, const PolicyRevision&) = default;
};
using PolicyRevisions = ListOf<PolicyRevision, "revisions", "the list of revisions">;

// The revision that is in force after a change.
struct PolicySet {
  std::uint64_t revision = 0;
};

struct PolicyProblem {
  std::uint64_t line = 0;  // from 1; 0: the file as a whole
  std::uint64_t column = 0;
  std::string text;
  friend bool operator==(const PolicyProblem&, const PolicyProblem&) = default;
};
// An error document (wire/error_document.h) with the problems of a rejected text.
struct PolicyProblems {
  std::vector<std::string> errors;  // the same as sentences
  std::string code;
  std::uint64_t status = 0;
  std::vector<PolicyProblem> problems;
};

struct PolicyRollback {
  std::uint64_t revision = 0;
  std::string reason;
};

struct PolicyBaseline {
  std::string pattern;  // HOST/NAMESPACE/TYPE, HOST/NAMESPACE/NAME/SYSTEM
  std::string reason;
};
struct PolicyAdmitted {
  std::uint64_t admitted = 0;  // versions that were not admitted before
};

// One rule's verdict on a version.
struct PolicyReason {
  std::string rule;     // its name; "": no rule, its registry offers other bytes
  std::string verdict;  // "allow", "note", "hold", "refuse"
  std::string until;    // RFC 3339; "": no time
  std::string text;     // a sentence
};
// The policy's verdict on a version.
struct PolicyVerdict {
  std::string address;
  std::string version;  // "": none is known, and all are refused
  std::string verdict;  // as PolicyReason::verdict
  std::string until;    // of a hold that ends by itself; "" otherwise
  std::string clock;    // its age counts from: "registry", "first-seen"; "": no rule on age
  std::string seen;     // first, here; "": never
  std::string pinned;   // when its digests were pinned; "": they are not
  std::uint64_t revision = 0;
  std::string by;  // who set that; "": revision 0
  std::vector<PolicyReason> reasons;
  std::string instead;  // the version that clients choose now; "": none
};

// A version that the policy stops.
struct HeldVersion {
  std::string address;
  std::string version;
  std::string verdict;  // "hold", "refuse"
  std::string until;    // "": no end
  std::vector<std::string> rules;
  std::string reason = {};  // a sentence
};
struct HeldVersions {
  std::vector<HeldVersion> held;
  bool more = false;
};

// What a policy would change.
struct PolicyTestVersion {
  std::string address;
  std::string version;
  std::uint64_t requests = 0;
};
struct PolicyTest {
  std::vector<PolicyTestVersion> held;
  std::vector<PolicyTestVersion> refused;
  std::vector<PolicyTestVersion> lifted;
  bool more = false;
};

// ---- endpoints

inline constexpr Endpoint<void, Policy> kGetPolicy{"GET", "/api/v1/policy"};
inline constexpr Endpoint<Bytes, PolicySet> kSetPolicy{"PUT", "/api/v1/policy"};
inline constexpr Endpoint<void, PolicyRevisions> kListPolicyRevisions{"GET",
                                                                      "/api/v1/policy/revisions"};
inline constexpr Endpoint<void, Policy, 1> kGetPolicyRevision{
    "GET", "/api/v1/policy/revisions/{revision}"};
inline constexpr Endpoint<PolicyRollback, PolicySet> kRollbackPolicy{"POST",
                                                                     "/api/v1/policy/rollback"};
inline constexpr Endpoint<PolicyBaseline, PolicyAdmitted> kBaselinePolicy{
    "POST", "/api/v1/policy/baseline"};
inline constexpr Endpoint<void, PolicyVerdict> kExplainPolicy{"GET", "/api/v1/policy/explain"};
inline constexpr Endpoint<void, HeldVersions> kListHeldVersions{"GET", "/api/v1/policy/held"};
inline constexpr Endpoint<Bytes, PolicyTest> kTestPolicy{"POST", "/api/v1/policy/test"};

}  // namespace koya::wire
