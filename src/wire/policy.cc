#include "wire/policy.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<Policy> = Document(
    "the policy", Required("revision", &Policy::revision), Optional("toml", &Policy::toml),
    OrNull("by", &Policy::by), OrNull("at", &Policy::at), OrNull("reason", &Policy::reason));

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

KOYA_DOCUMENT(Policy);
KOYA_DOCUMENT(PolicyRevisions);
KOYA_DOCUMENT(PolicySet);
KOYA_DOCUMENT(PolicyProblems);
KOYA_DOCUMENT(PolicyRollback);
KOYA_DOCUMENT(PolicyBaseline);
KOYA_DOCUMENT(PolicyAdmitted);

void AddPolicySchemas(SchemaList& list) {
  AddSchema<Policy>(list);
  AddSchema<PolicyRevision>(list);
  AddSchema<PolicySet>(list);
  AddSchema<PolicyProblems>(list);
  AddSchema<PolicyRollback>(list);
  AddSchema<PolicyBaseline>(list);
  AddSchema<PolicyAdmitted>(list);
}

}  // namespace koya::wire
