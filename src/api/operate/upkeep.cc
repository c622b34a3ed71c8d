// Requests of operators about the servers on this catalog, and what they have yet to analyze.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/replica_record.h"
#include "obs/log.h"
#include "service/modules/analysis_progress.h"
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
  };
  return kRoutes;
}

}  // namespace koya::api
