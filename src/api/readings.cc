// Reading what nobody has read yet in modules, for whoever does not wait for the background.
#include "service/readings.h"

#include <string>
#include <utility>

#include "api/call.h"
#include "api/reply.h"
#include "api/request_body.h"
#include "api/route_tables.h"
#include "obs/log.h"
#include "wire/readings.h"

namespace koya::api {
namespace {

// Reads what nobody has read yet, one step of it: readings.cc
Task<http::Response> InspectUnread(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string body, co_await ReadSmallBody(call.exchange.body));
  ASSIGN_OR_CO_RETURN(std::string after, wire::DecodeReadingRequest(body));
  const bool first = after.empty();
  ASSIGN_OR_CO_RETURN(service::ReadingStep step,
                      co_await call.services.modules.readings.Step(std::move(after)));
  if (first) {
    call.services.log.Info(
        "modules that nobody has read are read at once",
        {{"request_id", call.request().request_id}, {"by", call.principal.name}});
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
      Route::Post("/api/v1/inspect", Access::kEverything, BodyLimit::kSmall, InspectUnread,
                  "Read what nobody has read yet in modules, a step"),
  };
  return kRoutes;
}

}  // namespace koya::api
