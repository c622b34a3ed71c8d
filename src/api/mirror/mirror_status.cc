// GET /api/v1/mirror/status: the data of the mirror's pages.
#include <cstdint>
#include <string>

#include "api/common/call.h"
#include "api/common/query.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/usage_record.h"
#include "service/mirror/context.h"
#include "service/mirror/mirror_report.h"
#include "service/usage/usage_counter.h"
#include "wire/mirror_reports.h"

namespace koya::api {
namespace {

using service::MirrorActivity;
using service::MirrorReport;

constexpr std::uint64_t kUsualDays = 30;

Result<std::uint64_t> ReadStatusDays(const http::Request& request) {
  auto days = QueryNumber(request.query, "days", kUsualDays);
  if (days && *days >= 1 && *days <= MirrorReport::kMostDays) return days;
  return FailInvalid("the parameter \"days\" must be a whole number from 1 to {}",
                     MirrorReport::kMostDays);
}

std::string DateOf(UsageDay day) {
  constexpr std::size_t kDate = 10;
  return FormatRfc3339(day * kSecondsOfDay).substr(0, kDate);
}

wire::MirrorDay DayToWire(UsageDay day, const MirrorActivity& activity) {
  return {.day = DateOf(day),
          .sent = activity.sent,
          .sent_bytes = activity.sent_bytes,
          .brought = activity.brought,
          .fetched_bytes = activity.fetched_bytes};
}

wire::MirrorStatus StatusToWire(const MirrorReport& report) {
  const MirrorActivity& sum = report.sum;
  wire::MirrorStatus status{.since = DateOf(report.since),
                            .sent = sum.sent,
                            .sent_bytes = sum.sent_bytes,
                            .from_store = sum.kept(),
                            .from_store_bytes = sum.kept_bytes(),
                            .brought = sum.brought,
                            .fetched_bytes = sum.fetched_bytes,
                            .let_through = report.let_through,
                            .turned_away = report.turned_away,
                            .days = {}};
  UsageDay day = report.since;
  for (const MirrorActivity& each : report.days) status.days.push_back(DayToWire(day++, each));
  return status;
}

// What the mirror did of late: mirror_status.cc
Task<http::Response> GetMirrorStatus(Call& call) {
  ASSIGN_OR_CO_RETURN(std::uint64_t days, ReadStatusDays(call.request()));
  ASSIGN_OR_CO_RETURN(MirrorReport report,
                      co_await service::ReadMirrorReport(call.services.mirror.context, days));
  wire::MirrorStatus status = StatusToWire(report);
  status.counted = call.services.usage.counter.on();
  if (status.counted) {
    status.versions_fetched = report.ready.fetched;
    status.versions_ready = report.ready.held;
  }
  co_return JsonReply(200, wire::Encode(status));
}

}  // namespace

std::span<const Route> MirrorStatusRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/v1/mirror/status", Access::kRead, ResourceScope::kMirror, GetMirrorStatus,
                 "Report the mirror's recent activity"),
  };
  return kRoutes;
}

}  // namespace koya::api
