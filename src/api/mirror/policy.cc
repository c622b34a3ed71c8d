// The policy on releases of other registries, for administrators and for users of the mirror.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/common/audience.h"
#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "obs/log.h"
#include "service/mirror/policies.h"
#include "wire/policy.h"

namespace koya::api {
namespace {

static_assert(policy::kMostPolicyBytes <= kMessageBody);

http::Response PolicyReply(PolicyRevision policy) {
  const bool is_set = policy.revision > 0;
  return JsonRepresentationReply(
      wire::Encode(wire::Policy{.revision = static_cast<std::uint64_t>(policy.revision),
                                .toml = std::move(policy.text),
                                .by = std::move(policy.by),
                                .at = is_set ? FormatRfc3339(policy.at) : "",
                                .reason = std::move(policy.reason)}));
}

std::string SentenceOf(const policy::Problem& problem) {
  if (problem.line == 0) return problem.text;
  return fmt::format("line {}, column {}: {}", problem.line, problem.column, problem.text);
}

http::Response ProblemsReply(std::vector<policy::Problem> problems) {
  const unsigned status = StatusFor(ErrorKind::kRefused);
  wire::PolicyProblems out{.errors = {},
                           .code = std::string(ErrorKindName(ErrorKind::kRefused)),
                           .status = status,
                           .problems = {}};
  for (policy::Problem& each : problems) {
    out.errors.push_back(SentenceOf(each));
    out.problems.push_back({each.line, each.column, std::move(each.text)});
  }
  return JsonReply(status, wire::Encode(out));
}

// Answers a change, and logs it.
http::Response ChangeReply(Call& call, std::string_view what, const std::string& reason,
                           service::PolicyChange change) {
  if (change.revision == 0) return ProblemsReply(std::move(change.problems));
  call.services.log.Info(what, {{"request_id", call.request().request_id},
                                {"by", call.principal.name},
                                {"revision", change.revision},
                                {"reason", reason}});
  return JsonReply(200, wire::Encode(wire::PolicySet{static_cast<std::uint64_t>(change.revision)}));
}

Result<bool> ReadStrict(const http::Request& request) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, QueryParameter(request.query, "strict"));
  if (!text || *text == "false") return false;
  if (*text == "true") return true;
  return FailInvalid("the parameter \"strict\" must be true or false");
}

Result<std::optional<std::int64_t>> ReadExpected(const http::Request& request) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, QueryParameter(request.query, "expect"));
  if (!text) return std::optional<std::int64_t>();
  if (const auto revision = ParseDecimal<std::uint32_t>(*text)) {
    return std::optional<std::int64_t>(*revision);
  }
  return FailInvalid("the parameter \"expect\" must be the number of a revision, 0 for none");
}

Task<http::Response> GetPolicy(Call& call) {
  ASSIGN_OR_CO_RETURN(PolicyRevision policy, co_await call.services.mirror.policies.FindPolicy());
  co_return PolicyReply(std::move(policy));
}

Task<http::Response> SetPolicy(Call& call) {
  ASSIGN_OR_CO_RETURN(const std::optional<std::string> reason,
                      QueryParameter(call.request().query, "reason"));
  NewPolicyRevision next{.text = {}, .reason = reason.value_or(""), .expected = {}};
  ASSIGN_OR_CO_RETURN(next.expected, ReadExpected(call.request()));
  ASSIGN_OR_CO_RETURN(const bool strict, ReadStrict(call.request()));
  next.admits_pinned = !strict;
  ASSIGN_OR_CO_RETURN(next.text, co_await ReadSmallBody(call.exchange.body, kMessageBody));
  ASSIGN_OR_CO_RETURN(
      service::PolicyChange change,
      co_await call.services.mirror.policies.SetPolicy(call.principal.actor, std::move(next)));
  co_return ChangeReply(call, "policy set", reason.value_or(""), std::move(change));
}

Task<http::Response> ListPolicyRevisions(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<PolicyRevision> revisions,
                      co_await call.services.mirror.policies.ListRevisions());
  wire::PolicyRevisions list;
  for (PolicyRevision& each : revisions) {
    list.items.push_back({static_cast<std::uint64_t>(each.revision), std::move(each.by),
                          FormatRfc3339(each.at), std::move(each.reason)});
  }
  co_return JsonRepresentationReply(wire::Encode(list));
}

Task<http::Response> GetPolicyRevision(Call& call) {
  const auto revision = ParseDecimal<std::uint32_t>(call.path("revision"));
  if (!revision) co_return FailNotFound("the number of a revision is a whole number");
  ASSIGN_OR_CO_RETURN(PolicyRevision policy,
                      co_await call.services.mirror.policies.FindRevision(*revision));
  co_return PolicyReply(std::move(policy));
}

Task<http::Response> RollbackPolicy(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::PolicyRollback wanted, wire::Decode<wire::PolicyRollback>(body));
  ASSIGN_OR_CO_RETURN(
      service::PolicyChange change,
      co_await call.services.mirror.policies.Rollback(
          call.principal.actor, static_cast<std::int64_t>(wanted.revision), wanted.reason));
  co_return ChangeReply(call, "policy rolled back", wanted.reason, std::move(change));
}

Task<http::Response> BaselinePolicy(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::PolicyBaseline wanted, wire::Decode<wire::PolicyBaseline>(body));
  ASSIGN_OR_CO_RETURN(const std::uint64_t admitted,
                      co_await call.services.mirror.policies.Baseline(
                          call.principal.actor, wanted.pattern, wanted.reason));
  call.services.log.Info("policy baseline", {{"request_id", call.request().request_id},
                                             {"by", call.principal.name},
                                             {"pattern", wanted.pattern},
                                             {"reason", wanted.reason},
                                             {"admitted", admitted}});
  co_return JsonReply(200, wire::Encode(wire::PolicyAdmitted{admitted}));
}

}  // namespace

std::span<const Route> PolicyRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kGetPolicy, Access::kRead, ResourceScope::kMirror, GetPolicy,
                 "Get the policy in force"),
      Route::For(wire::kSetPolicy, Access::kAdmin, BodyLimit::kMessage, SetPolicy,
                 "Set the policy"),
      Route::For(wire::kListPolicyRevisions, Access::kRead, ResourceScope::kMirror,
                 ListPolicyRevisions, "List the revisions of the policy"),
      Route::For(wire::kGetPolicyRevision, Access::kRead, ResourceScope::kMirror, GetPolicyRevision,
                 "Get a revision of the policy"),
      Route::For(wire::kRollbackPolicy, Access::kAdmin, BodyLimit::kSmall, RollbackPolicy,
                 "Put an earlier revision of the policy in force again"),
      Route::For(wire::kBaselinePolicy, Access::kAdmin, BodyLimit::kSmall, BaselinePolicy,
                 "Admit the versions that are known now"),
  };
  return kRoutes;
}

}  // namespace koya::api
