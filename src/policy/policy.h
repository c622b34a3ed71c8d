// The rules by which this server hands out releases of other registries, and the function that
// judges a release by them. Pure: the same rules, facts and time always give the same verdict.
//
// All rules that match are judged, and the strictest verdict holds; the order of rules means
// nothing. An exception lifts the rules that it names, for the exact versions that it names, until
// it ends. A release that was handed out once (an admitted one) stays, except where a rule says
// otherwise.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "domain/version.h"
#include "domain/version_constraint.h"

namespace koya::policy {

// Selects providers and modules of other registries.
//
// A pattern of three parts (HOST/NAMESPACE/TYPE, providers) or four (HOST/NAMESPACE/NAME/SYSTEM,
// modules); "*" matches any run of characters within a part. Ignores letter case. Parts are
// normalised as addresses are, so that a pattern matches every spelling of a host or name.
class PullPattern {
 public:
  // Fails: kInvalid, saying what to write; also for a part that no address can have.
  static Result<PullPattern> Parse(std::string_view text);
  bool Matches(const std::vector<std::string>& parts) const;
  const std::string& text() const { return text_; }
  std::size_t size() const { return parts_.size(); }

 private:
  std::string text_;
  std::vector<std::string> parts_;
};

// "a/b/c" as {"a", "b", "c"}: the form in which patterns match the key of a provider or a module.
std::vector<std::string> AddressParts(std::string_view key);

// From the most lenient to the strictest.
enum class Verdict : std::uint8_t {
  kAllow,
  kNote,    // handed out, with words: a rule would stop it, but it was admitted before
  kHold,    // not handed out yet: ends with time, or with an exception
  kRefuse,  // not handed out
};
std::string_view VerdictName(Verdict verdict);  // "allow", "note", "hold", "refuse"

enum class Condition : std::uint8_t {
  kMinimumAge,   // holds a release until it is so old
  kDeny,         // refuses
  kOnly,         // refuses what no rule of this condition matches, among rules of its sort
  kPrereleases,  // refuses prereleases
  kSignature,    // holds a release that its author did not sign
  kPinnedKey,    // holds a release that is not signed by a known key of its namespace
  kNoLessProof,  // holds a release with less proof than the one first seen before it
};

// What a rule does to a release that was admitted before.
enum class AdmittedEffect : std::uint8_t { kKeep, kNote, kRefuse };

// How a release comes.
enum class Way : std::uint8_t {
  kPull,    // from its registry, on request
  kImport,  // by "koya mirror import"
};

struct Rule {
  std::string name;
  Condition condition = Condition::kDeny;
  std::vector<PullPattern> match;   // it concerns what one of these matches …
  std::vector<PullPattern> except;  // … and none of these
  // The versions that it concerns; nullopt: all. A prerelease counts as the release that it leads
  // to as well.
  std::optional<VersionConstraint> versions = std::nullopt;
  std::chrono::seconds minimum_age{0};  // kMinimumAge
  bool age_by_registry = true;          // kMinimumAge: a time that the registry states counts
  AdmittedEffect admitted = AdmittedEffect::kKeep;
  // The ways in which it concerns a release.
  bool on_pull = true;
  bool on_import = true;
};

struct Exception {
  std::vector<std::string> rules;  // names
  std::vector<PullPattern> match;
  std::vector<Version> versions;
  UnixSeconds until = 0;  // it lifts nothing from then on
  std::string reason;
};

// What vouches for a release.
struct Proof {
  std::string key;  // fingerprint of the key that signed it; "": not signed
  std::set<std::string, std::less<>> attachments = {};  // kinds, by file ending
  friend bool operator==(const Proof&, const Proof&) = default;
};

struct Facts {
  Version version;
  UnixSeconds seen = 0;                              // here, first
  std::optional<UnixSeconds> stated = std::nullopt;  // released then, as its registry says
  bool admitted = false;                             // handed out before
  // nullopt: its documents were never here. Rules on proof judge it when they are.
  std::optional<Proof> proof = std::nullopt;
  bool key_known = false;                            // the key that signed it, to its namespace
  std::optional<Proof> proof_before = std::nullopt;  // of the version first seen before it
  bool changed = false;  // its registry offers other bytes than those seen first
  Way way = Way::kPull;
};

// One rule's verdict. Refers to the policy, which must outlive it.
struct Reason {
  const Rule* rule = nullptr;
  Verdict verdict = Verdict::kAllow;
  // kMinimumAge: the release is old enough from then on; its age counts from `from`.
  std::optional<UnixSeconds> until = std::nullopt;
  std::optional<UnixSeconds> from = std::nullopt;
  bool from_registry = false;            // `from`: as its registry stated; else first seen here
  const Exception* lifted_by = nullptr;  // without it, the verdict would be stricter
};

struct Judgement {
  Verdict verdict = Verdict::kAllow;
  // Refused without a rule, since it changed before it was ever handed out.
  bool changed = false;
  std::optional<UnixSeconds> until = std::nullopt;  // of a hold that ends by itself
  // When time alone may change the judgement, first; nullopt: never.
  std::optional<UnixSeconds> changes_at = std::nullopt;
  // One for each rule that concerns the release, by the rules' names. Rules of Condition::kOnly
  // give one together: of the first that matches, else of the first by name.
  std::vector<Reason> reasons = {};

  bool Admits() const { return verdict < Verdict::kHold; }
};

// The part of a policy that concerns one provider or module. Refers to the policy, which must
// outlive it. Thread-safe.
class AddressPolicy {
 public:
  Judgement Judge(const Facts& facts, UnixSeconds now) const;

  // True if every version is allowed, whatever its facts.
  bool AllowsAll() const;
  bool believes_registry() const { return believes_registry_; }
  bool has_age_rules() const;
  bool has_key_rules() const;  // of Condition::kPinnedKey

  // The rule that refuses every version, whatever its facts; nullptr: none does at `now`.
  const Rule* FindDenial(UnixSeconds now, Way way = Way::kPull) const;

 private:
  friend class Policy;
  struct OnlyGroup {
    std::vector<const Rule*> rules;     // of this sort, by name
    std::vector<const Rule*> matching;  // those that match the address
  };

  Reason JudgeRule(const Rule& rule, const Facts& facts, UnixSeconds now) const;
  std::optional<Reason> JudgeOnly(const Facts& facts) const;
  void Lift(Reason& reason, const Facts& facts, UnixSeconds now, Judgement& judgement) const;
  const Exception* FindException(const Reason& reason, const Version& version,
                                 UnixSeconds now) const;
  bool Names(const Exception& exception, const Rule& rule) const;

  std::vector<const Rule*> rules_;  // all but kOnly, by name
  OnlyGroup only_;
  std::vector<const Exception*> exceptions_;  // by end, latest first
  bool believes_registry_ = false;
};

// Threads: immutable after Make.
class Policy {
 public:
  static constexpr std::size_t kMostRules = 1000;
  static constexpr std::size_t kMostExceptions = 10'000;
  // Registries whose statement of a release's time counts without being listed.
  static const std::vector<std::string>& PublicRegistries();

  Policy() = default;  // allows everything
  // `believed`: further hosts, in ASCII form. REQUIRES: names of rules are unique.
  Policy(std::vector<Rule> rules, std::vector<Exception> exceptions,
         std::vector<std::string> believed);

  // `key`: "HOST/NAMESPACE/TYPE" or "HOST/NAMESPACE/NAME/SYSTEM", normalised.
  AddressPolicy ForAddress(std::string_view key) const;
  // The same with further rules. REQUIRES: as the constructor.
  Policy With(std::vector<Rule> rules) const;

  const std::vector<Rule>& rules() const { return rules_; }  // by name
  const std::vector<Exception>& exceptions() const { return exceptions_; }

 private:
  std::vector<Rule> rules_;
  std::vector<Exception> exceptions_;
  std::vector<std::string> believed_;
};

}  // namespace koya::policy
