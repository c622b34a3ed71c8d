// What runs of koya verify tell of themselves.
#include <utility>
#include <vector>

#include "api/handlers.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "domain/verify_run.h"
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

}  // namespace

Task<http::Response> ListVerifyRuns(Call& call) {
  ASSIGN_OR_CO_RETURN(std::vector<VerifyRun> runs,
                      co_await call.services.storage.ListVerifyRuns(call.principal));
  std::vector<wire::VerifyRun> out;
  out.reserve(runs.size());
  for (VerifyRun& each : runs) out.push_back(ToWireRun(std::move(each)));
  co_return JsonReply(200, wire::EncodeVerifyRuns(out));
}

Task<http::Response> BeginVerifyRun(Call& call) {
  ASSIGN_OR_CO_RETURN(VerifyProgress progress, co_await ReadProgress(call));
  ASSIGN_OR_CO_RETURN(std::string id, co_await call.services.storage.BeginVerifyRun(
                                          call.principal, std::move(progress)));
  co_return JsonReply(201, wire::EncodeVerifyRunId(id));
}

Task<http::Response> TellVerifyRun(Call& call) {
  ASSIGN_OR_CO_RETURN(VerifyProgress progress, co_await ReadProgress(call));
  std::string id(call.path("id"));
  CO_RETURN_IF_ERROR(co_await call.services.storage.TellVerifyRun(call.principal, std::move(id),
                                                                  std::move(progress)));
  http::Response reply;
  reply.status = 204;
  co_return reply;
}

}  // namespace koya::api
