#include <cstdint>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/route_tables.h"
#include "base/clock.h"
#include "domain/replica_record.h"
#include "service/operate/replicas.h"
#include "wire/admin.h"

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
          .leases = std::move(seen.leases)};
}

Task<http::Response> ListReplicas(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<service::Replicas::Seen> seen,
                      co_await call.services.upkeep.replicas.List());
  std::vector<wire::Replica> replicas;
  replicas.reserve(seen.size());
  for (service::Replicas::Seen& each : seen) replicas.push_back(ToWireReplica(std::move(each)));
  co_return JsonReply(200, wire::EncodeReplicaList(replicas));
}

}  // namespace

// The servers on this one's catalog.
std::span<const Route> ReplicaRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/v1/admin/replicas", Access::kAdmin, ResourceScope::kNone, ListReplicas,
                 "List the servers that use this catalog"),
  };
  return kRoutes;
}

}  // namespace koya::api
