#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/route_tables.h"
#include "base/clock.h"
#include "domain/replica_record.h"
#include "domain/storage_sums.h"
#include "service/operate/replicas.h"
#include "service/operate/storage.h"
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

wire::StorageDay ToWireDay(const StorageDay& day) {
  constexpr std::size_t kDate = std::string_view("2026-11-21").size();
  return {.day = FormatRfc3339(day.day * kSecondsOfStorageDay).substr(0, kDate),
          .modules = day.modules,
          .provider_packages = day.provider_packages,
          .provider_docs = day.provider_docs,
          .mirrored = day.mirrored,
          .drafts = day.drafts};
}

Task<http::Response> ListStorageDays(Call& call) {
  const std::int64_t today = call.services.clock.Now() / kSecondsOfStorageDay;
  ASSIGN_OR_CO_RETURN(std::vector<StorageDay> days,
                      co_await call.services.upkeep.storage.DaysBefore(call.principal, today));
  ASSIGN_OR_CO_RETURN(StorageSums sums, co_await call.services.upkeep.storage.Sum(call.principal));
  days.push_back(StorageDay::Of(today, sums));
  std::vector<wire::StorageDay> shown;
  shown.reserve(days.size());
  for (const StorageDay& each : days) shown.push_back(ToWireDay(each));
  co_return JsonReply(200, wire::EncodeStorageDays(shown));
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
      Route::Get("/api/v1/admin/storage", Access::kAdmin, ResourceScope::kNone, ListStorageDays,
                 "Get storage use by day"),
  };
  return kRoutes;
}

}  // namespace koya::api
