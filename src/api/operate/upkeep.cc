// Requests of operators about the servers on this catalog, and what they have yet to analyze.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/replica_record.h"
#include "obs/log.h"
#include "service/common/freeze.h"
#include "service/modules/reading_upkeep.h"
#include "service/operate/collect_garbage.h"
#include "service/operate/replicas.h"
#include "wire/admin.h"
#include "wire/readings.h"

namespace koya::api {
namespace {

wire::Replica ToWireReplica(service::Replicas::Seen seen) {
  ReplicaRecord& record = seen.replica;
  return {.id = std::move(record.id),
          .address = std::move(record.address),
          .version = std::move(record.version),
          .schema_step = static_cast<std::uint64_t>(record.schema_step),
          .started_at = FormatRfc3339(record.started_at),
          .seen_at = FormatRfc3339(record.seen_at),
          .feed_age_ms = static_cast<std::uint64_t>(record.feed_age.count()),
          .clock_ahead_ms = record.clock_ahead.count(),
          .leases = std::move(seen.leases),
          .settings = std::move(record.settings)};
}

Task<http::Response> ListReplicas(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<service::Replicas::Seen> seen,
                      co_await call.services.upkeep.replicas.List());
  std::vector<wire::Replica> replicas;
  replicas.reserve(seen.size());
  for (service::Replicas::Seen& each : seen) replicas.push_back(ToWireReplica(std::move(each)));
  co_return JsonReply(200, wire::Encode(wire::ReplicaList{std::move(replicas)}));
}

wire::FreezeReport ToWireFreeze(FreezeState state) {
  return {.frozen = state.is_frozen(),
          .since = state.is_frozen() ? FormatRfc3339(state.since) : "",
          .by = std::move(state.by),
          .reason = std::move(state.reason)};
}

Task<http::Response> ShowFreeze(Call& call) {
  ASSIGN_OR_CO_RETURN(FreezeState state, co_await call.services.upkeep.freeze.FindState());
  co_return JsonReply(200, wire::Encode(ToWireFreeze(std::move(state))));
}

Task<http::Response> SetFreeze(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::FreezeRequest wish, wire::Decode<wire::FreezeRequest>(body));
  const bool frozen = wish.state == "on";
  if (!frozen && wish.state != "off") co_return FailInvalid("\"state\" must be \"on\" or \"off\"");
  ASSIGN_OR_CO_RETURN(FreezeState state, co_await call.services.upkeep.freeze.SetFrozen(
                                             call.principal.actor, frozen, std::move(wish.reason)));
  call.services.log.Info(frozen ? "the registry is frozen" : "the registry is not frozen",
                         {{"request_id", call.request().request_id}, {"by", call.principal.name}});
  co_return JsonReply(200, wire::Encode(ToWireFreeze(std::move(state))));
}

wire::StorageSum ToWireSum(const StoredSum& sum) {
  return {.count = sum.count, .bytes = sum.bytes};
}

Task<http::Response> PlanGarbage(Call& call) {
  ASSIGN_OR_CO_RETURN(std::optional<std::string> text,
                      QueryParameter(call.request().query, "after"));
  std::optional<Digest> after;
  if (text && !text->empty()) {
    ASSIGN_OR_CO_RETURN(after, Digest::Parse(*text));
  }
  service::GarbagePlanner& planner = call.services.upkeep.garbage;
  ASSIGN_OR_CO_RETURN(service::GarbagePlan plan, co_await planner.Plan(call.principal, after));
  ASSIGN_OR_CO_RETURN(const FreezeState freeze, co_await call.services.upkeep.freeze.FindState());
  const service::GarbagePlanner::Rules rules = planner.rules();
  wire::GarbagePlan out{.unused = ToWireSum(plan.unused),
                        .expired_drafts = ToWireSum(plan.expired_drafts),
                        .due = ToWireSum(plan.due),
                        .blobs = {},
                        .referenced = ToWireSum(plan.referenced),
                        .open_drafts = ToWireSum(plan.open_drafts),
                        .young = ToWireSum(plan.young),
                        .leaving = ToWireSum(plan.leaving),
                        .arriving = ToWireSum(plan.arriving),
                        .grace_s = static_cast<std::uint64_t>(rules.grace.count()),
                        .trash_for_s = static_cast<std::uint64_t>(rules.trash_for.count()),
                        .collector = std::move(plan.collector),
                        .frozen = freeze.is_frozen(),
                        .next = plan.next ? plan.next->ToString() : ""};
  for (const BlobInfo& blob : plan.named) out.blobs.push_back({blob.digest.ToString(), blob.size});
  co_return JsonReply(200, wire::Encode(out));
}

// Analyzes modules that have not been analyzed yet, one step of it.
Task<http::Response> InspectUnread(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(auto [after], wire::Decode<wire::StepRequest>(body));
  const bool first = after.empty();
  ASSIGN_OR_CO_RETURN(service::ReadingStep step,
                      co_await call.services.modules.readings.Step(std::move(after)));
  if (first) {
    call.services.log.Info("module analysis requested", {{"request_id", call.request().request_id},
                                                         {"by", call.principal.name}});
  }
  wire::ReadingReport report{
      .next = std::move(step.next), .read = step.read, .left = step.left, .problems = {}};
  for (service::ReadingProblem& each : step.problems) {
    report.problems.push_back(
        {std::move(each.address), std::move(each.version), std::move(each.problem)});
  }
  co_return JsonReply(200, wire::Encode(report));
}

}  // namespace

std::span<const Route> UpkeepRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kListReplicas, Access::kAdmin, ResourceScope::kNone, ListReplicas,
                 "List the servers that use this catalog"),
      Route::For(wire::kInspectUnread, Access::kAdmin, BodyLimit::kSmall, InspectUnread,
                 "Analyze the next batch of unanalyzed modules"),
      Route::For(wire::kShowFreeze, Access::kAdmin, ResourceScope::kNone, ShowFreeze,
                 "Show whether the registry is frozen"),
      Route::For(wire::kSetFreeze, Access::kAdmin, BodyLimit::kSmall, SetFreeze,
                 "Freeze the registry, or end that")
          .WhileFrozen(),
      Route::For(wire::kPlanGarbage, Access::kAdmin, ResourceScope::kNone, PlanGarbage,
                 "Show what a garbage collection would remove"),
  };
  return kRoutes;
}

}  // namespace koya::api
