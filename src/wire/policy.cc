#include "wire/policy.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<PolicyRule> =
    Document("the rule", Required("name", &PolicyRule::name), Optional("held", &PolicyRule::held),
             Optional("refused", &PolicyRule::refused));

template <>
constexpr auto kDocument<Policy> =
    Document("the policy", Required("revision", &Policy::revision), Optional("toml", &Policy::toml),
             OrNull("by", &Policy::by), OrNull("at", &Policy::at),
             OrNull("reason", &Policy::reason), Optional("rules", &Policy::rules));

template <>
constexpr auto kDocument<PolicyRevision> =
    Document("the revision", Required("revision", &PolicyRevision::revision),
             Optional("by", &PolicyRevision::by), Optional("at", &PolicyRevision::at),
             Optional("reason", &PolicyRevision::reason));

template <>
constexpr auto kDocument<PolicySet> =
    Document("the response", Required("revision", &PolicySet::revision));

template <>
constexpr auto kDocument<PolicyProblem> =
    Document("the problem", Optional("line", &PolicyProblem::line),
             Optional("column", &PolicyProblem::column), Required("text", &PolicyProblem::text));

template <>
constexpr auto kDocument<PolicyProblems> =
    Document("the problems", Optional("errors", &PolicyProblems::errors),
             Optional("code", &PolicyProblems::code), Optional("status", &PolicyProblems::status),
             Required("problems", &PolicyProblems::problems));

template <>
constexpr auto kDocument<PolicyRollback> =
    Document("the request", Required("revision", &PolicyRollback::revision),
             Required("reason", &PolicyRollback::reason));

template <>
constexpr auto kDocument<PolicyBaseline> =
    Document("the request", Required("pattern", &PolicyBaseline::pattern),
             Required("reason", &PolicyBaseline::reason));

template <>
constexpr auto kDocument<PolicyAdmitted> =
    Document("the response", Required("admitted", &PolicyAdmitted::admitted));

template <>
constexpr auto kDocument<PolicyReason> =
    Document("the reason", Optional("rule", &PolicyReason::rule),
             Required("verdict", &PolicyReason::verdict), OrNull("until", &PolicyReason::until),
             Optional("text", &PolicyReason::text));

template <>
constexpr auto kDocument<PolicyVerdict> = Document(
    "the verdict", Optional("address", &PolicyVerdict::address),
    Optional("version", &PolicyVerdict::version), Required("verdict", &PolicyVerdict::verdict),
    OrNull("until", &PolicyVerdict::until), OrNull("clock", &PolicyVerdict::clock),
    OrNull("seen", &PolicyVerdict::seen), OrNull("pinned", &PolicyVerdict::pinned),
    Optional("revision", &PolicyVerdict::revision), OrNull("by", &PolicyVerdict::by),
    Optional("reasons", &PolicyVerdict::reasons), Optional("instead", &PolicyVerdict::instead));

template <>
constexpr auto kDocument<HeldVersion> =
    Document("the held version", Required("address", &HeldVersion::address),
             Required("version", &HeldVersion::version), Required("verdict", &HeldVersion::verdict),
             OrNull("until", &HeldVersion::until), Optional("rules", &HeldVersion::rules),
             Optional("reason", &HeldVersion::reason));

template <>
constexpr auto kDocument<HeldVersions> =
    Document("the list of held versions", Required("held", &HeldVersions::held),
             Optional("more", &HeldVersions::more));

template <>
constexpr auto kDocument<PolicyTestVersion> =
    Document("the tested version", Required("address", &PolicyTestVersion::address),
             Required("version", &PolicyTestVersion::version),
             Required("requests", &PolicyTestVersion::requests));

template <>
constexpr auto kDocument<PolicyTest> =
    Document("the result of the test", Required("held", &PolicyTest::held),
             Required("refused", &PolicyTest::refused), Required("lifted", &PolicyTest::lifted),
             Optional("more", &PolicyTest::more));

KOYA_DOCUMENT(Policy);
KOYA_DOCUMENT(PolicyRevisions);
KOYA_DOCUMENT(PolicySet);
KOYA_DOCUMENT(PolicyProblems);
KOYA_DOCUMENT(PolicyRollback);
KOYA_DOCUMENT(PolicyBaseline);
KOYA_DOCUMENT(PolicyAdmitted);
KOYA_DOCUMENT(PolicyVerdict);
KOYA_DOCUMENT(HeldVersions);
KOYA_DOCUMENT(PolicyTest);

void AddPolicySchemas(SchemaList& list) {
  AddSchema<Policy>(list);
  AddSchema<PolicyRevision>(list);
  AddSchema<PolicySet>(list);
  AddSchema<PolicyProblems>(list);
  AddSchema<PolicyRollback>(list);
  AddSchema<PolicyBaseline>(list);
  AddSchema<PolicyAdmitted>(list);
  AddSchema<PolicyVerdict>(list);
  AddSchema<HeldVersions>(list);
  AddSchema<PolicyTest>(list);
}

}  // namespace koya::wire
