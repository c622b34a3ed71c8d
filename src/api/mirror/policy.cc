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
#include "api/mirror/explained.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "domain/release_times.h"
#include "obs/log.h"
#include "service/mirror/mirror_report.h"
#include "service/mirror/policies.h"
#include "wire/policy.h"

namespace koya::api {
namespace {

static_assert(policy::kMostPolicyBytes <= kMessageBody);

Task<http::Response> PolicyReply(Call& call, PolicyRevision policy) {
  ASSIGN_OR_CO_RETURN(std::vector<PolicyRuleCount> rules,
                      co_await service::ReadRuleCounts(call.services.mirror.context, policy));
  const bool is_set = policy.revision > 0;
  wire::Policy out{.revision = static_cast<std::uint64_t>(policy.revision),
                   .toml = std::move(policy.text),
                   .by = std::move(policy.by),
                   .at = is_set ? FormatRfc3339(policy.at) : "",
                   .reason = std::move(policy.reason)};
  for (PolicyRuleCount& each : rules) {
    out.rules.push_back({std::move(each.rule), each.held, each.refused});
  }
  co_return JsonRepresentationReply(wire::Encode(out));
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
  co_return co_await PolicyReply(call, std::move(policy));
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
  co_return co_await PolicyReply(call, std::move(policy));
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

// ---- verdicts

std::string TextOf(const std::optional<UnixSeconds>& time) {
  return time ? FormatRfc3339(*time) : "";
}

Result<std::optional<UnixSeconds>> ReadTime(const http::Request& request) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, QueryParameter(request.query, "at"));
  if (!text || text->empty()) return std::optional<UnixSeconds>();
  std::optional<UnixSeconds> time = ParseRfc3339(*text);
  if (!time) time = ParseTimestamp(*text);
  if (time) return time;
  return FailInvalid(
      "the parameter \"at\" must be a time of RFC 3339 from 1970 on: 2026-11-30T12:00:00Z");
}

wire::PolicyVerdict ToWire(std::string address, service::PolicyExplanation explanation) {
  wire::PolicyVerdict out{.address = std::move(address),
                          .version = std::move(explanation.version),
                          .verdict = std::string(policy::VerdictName(explanation.verdict)),
                          .until = TextOf(explanation.until),
                          .clock = "",
                          .seen = TextOf(explanation.seen_at),
                          .pinned = TextOf(explanation.pinned_at),
                          .revision = static_cast<std::uint64_t>(explanation.revision),
                          .by = std::move(explanation.by),
                          .reasons = {},
                          .instead = std::move(explanation.instead)};
  if (explanation.clock_registry) {
    out.clock = *explanation.clock_registry ? "registry" : "first-seen";
  }
  for (service::PolicyExplanation::Reason& each : explanation.reasons) {
    out.reasons.push_back({std::move(each.rule), std::string(policy::VerdictName(each.verdict)),
                           TextOf(each.until), std::move(each.text)});
  }
  return out;
}

Task<http::Response> ExplainPolicy(Call& call) {
  const std::string_view query = call.request().query;
  ASSIGN_OR_CO_RETURN(const std::optional<std::string> address, QueryParameter(query, "address"));
  ASSIGN_OR_CO_RETURN(const std::optional<std::string> version, QueryParameter(query, "version"));
  ASSIGN_OR_CO_RETURN(const std::optional<UnixSeconds> at, ReadTime(call.request()));
  ASSIGN_OR_CO_RETURN(service::MirrorQuestion question,
                      ReadMirrorQuestion(call, address.value_or(""), version.value_or("")));
  std::string key = question.Key();
  ASSIGN_OR_CO_RETURN(service::PolicyExplanation explanation,
                      co_await call.services.mirror.policies.Explain(std::move(question), at));
  co_return JsonRepresentationReply(wire::Encode(ToWire(std::move(key), std::move(explanation))));
}

Task<http::Response> ListHeldVersions(Call& call) {
  ASSIGN_OR_CO_RETURN(service::HeldVersions held,
                      co_await call.services.mirror.policies.ListHeld());
  wire::HeldVersions out{.held = {}, .more = held.more};
  for (service::HeldVersions::Item& each : held.items) {
    out.held.push_back({std::move(each.address), std::move(each.version),
                        std::string(policy::VerdictName(each.verdict)), TextOf(each.until),
                        std::move(each.rules), std::move(each.reason)});
  }
  co_return JsonRepresentationReply(wire::Encode(out));
}

// The first day whose requests count.
Result<UsageDay> ReadSince(const Call& call) {
  constexpr std::chrono::seconds kUsual = std::chrono::days(90);
  constexpr std::chrono::seconds kLongest = std::chrono::days(3650);
  ASSIGN_OR_RETURN(const std::optional<std::string> text,
                   QueryParameter(call.request().query, "since"));
  const std::optional<std::chrono::seconds> since = text ? ParseDuration(*text) : kUsual;
  if (since && since->count() > 0 && *since <= kLongest) {
    return (call.services.clock.Now() - since->count()) / kSecondsOfDay;
  }
  return FailInvalid("the parameter \"since\" must be a time from 1s to 3650d: 36h or 90d");
}

std::vector<wire::PolicyTestVersion> ToWire(std::vector<service::PolicyTrial::Item> items) {
  std::vector<wire::PolicyTestVersion> out;
  for (service::PolicyTrial::Item& each : items) {
    out.push_back({std::move(each.address), std::move(each.version), each.requests});
  }
  return out;
}

Task<http::Response> TestPolicy(Call& call) {
  ASSIGN_OR_CO_RETURN(const UsageDay since, ReadSince(call));
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadSmallBody(call.exchange.body, kMessageBody));
  ASSIGN_OR_CO_RETURN(service::PolicyTrial trial,
                      co_await call.services.mirror.policies.TryPolicy(std::move(text), since));
  if (!trial.problems.empty()) co_return ProblemsReply(std::move(trial.problems));
  co_return JsonReply(200,
                      wire::Encode(wire::PolicyTest{.held = ToWire(std::move(trial.held)),
                                                    .refused = ToWire(std::move(trial.refused)),
                                                    .lifted = ToWire(std::move(trial.lifted)),
                                                    .more = trial.more}));
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
      Route::For(wire::kExplainPolicy, Access::kRead, ResourceScope::kMirror, ExplainPolicy,
                 "Explain the policy's verdict on a version"),
      Route::For(wire::kListHeldVersions, Access::kRead, ResourceScope::kMirror, ListHeldVersions,
                 "List the versions that are held or refused"),
      Route::For(wire::kTestPolicy, Access::kRead, ResourceScope::kMirror, BodyLimit::kMessage,
                 TestPolicy, "Test what a policy would change"),
  };
  return kRoutes;
}

}  // namespace koya::api
