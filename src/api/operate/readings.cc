// Analyzes modules that have not been analyzed yet, for operators who do not wait for the
// background job.
#include "service/modules/analysis_progress.h"

#include <string>
#include <utility>

#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/request_body.h"
#include "api/route_tables.h"
#include "obs/log.h"
#include "wire/readings.h"

namespace koya::api {
namespace {

// Analyzes modules that have not been analyzed yet, one step of it: readings.cc
Task<http::Response> InspectUnread(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(std::string after, wire::DecodeReadingRequest(body));
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
  co_return JsonReply(200, wire::EncodeReadingReport(report));
}

}  // namespace

std::span<const Route> ReadingRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Post("/api/v1/inspect", Access::kAdmin, BodyLimit::kSmall, InspectUnread,
                  "Analyze the next batch of unanalyzed modules"),
  };
  return kRoutes;
}

}  // namespace koya::api
