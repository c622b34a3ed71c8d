// Reports of `koya verify` runs.
#include <utility>
#include <vector>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/request_body.h"
#include "api/route_tables.h"
#include "base/clock.h"
#include "domain/verify_run.h"
#include "service/operate/storage.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

Task<VerifyProgress> ReadProgress(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(wire::VerifyProgress told, wire::DecodeVerifyProgress(body));
  VerifyProgress progress{.quick = told.quick,
                          .mirrored_only = told.mirrored_only,
                          .partial = told.partial,
                          .checked = told.checked,
                          .wrong = told.wrong,
                          .repaired = told.repaired,
                          .found = {},
                          .ended = told.ended,
                          .failure = std::move(told.failure)};
  for (wire::VerifyWrong& each : told.found) {
    progress.found.push_back({std::move(each.name), std::move(each.state), each.repaired});
  }
  co_return progress;
}

wire::VerifyRun ToWireRun(VerifyRun run) {
  VerifyProgress& progress = run.progress;
  wire::VerifyRun out{.id = std::move(run.id),
                      .by = std::move(run.by),
                      .began_at = FormatRfc3339(run.began_at),
                      .told_at = FormatRfc3339(run.told_at),
                      .progress = {.quick = progress.quick,
                                   .mirrored_only = progress.mirrored_only,
                                   .partial = progress.partial,
                                   .checked = progress.checked,
                                   .wrong = progress.wrong,
                                   .repaired = progress.repaired,
                                   .found = {},
                                   .ended = progress.ended,
                                   .failure = std::move(progress.failure)}};
  for (VerifyWrong& each : progress.found) {
    out.progress.found.push_back({std::move(each.name), std::move(each.state), each.repaired});
  }
  return out;
}

Task<http::Response> ListVerifyRuns(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<VerifyRun> runs,
                      co_await call.services.upkeep.storage.ListVerifyRuns(call.principal));
  std::vector<wire::VerifyRun> out;
  out.reserve(runs.size());
  for (VerifyRun& each : runs) out.push_back(ToWireRun(std::move(each)));
  co_return JsonReply(200, wire::EncodeVerifyRuns(out));
}

Task<http::Response> BeginVerifyRun(Call& call) {
  ASSIGN_OR_CO_RETURN(VerifyProgress progress, co_await ReadProgress(call));
  ASSIGN_OR_CO_RETURN(std::string id, co_await call.services.upkeep.storage.BeginVerifyRun(
                                          call.principal, std::move(progress)));
  co_return JsonReply(201, wire::EncodeVerifyRunId(id));
}

Task<http::Response> ReportVerifyRun(Call& call) {
  ASSIGN_OR_CO_RETURN(VerifyProgress progress, co_await ReadProgress(call));
  std::string id(call.path("id"));
  CO_RETURN_IF_ERROR(co_await call.services.upkeep.storage.ReportVerifyRun(
      call.principal, std::move(id), std::move(progress)));
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace

// Reports of `koya verify` runs.
std::span<const Route> VerifyRunRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/api/v1/verify/runs", Access::kAdmin, ResourceScope::kNone, ListVerifyRuns,
                 "List the last verification runs"),
      Route::Post("/api/v1/verify/runs", Access::kAdmin, BodyLimit::kSmall, BeginVerifyRun,
                  "Record the start of a verification run"),
      Route::Put("/api/v1/verify/runs/{id}", Access::kAdmin, BodyLimit::kSmall, ReportVerifyRun,
                 "Report the progress of a verification run"),
  };
  return kRoutes;
}

}  // namespace koya::api
