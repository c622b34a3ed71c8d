#include "app/operations.h"

#include <fmt/format.h>

namespace koya {
namespace {

http::Response Plain(unsigned status, std::string_view content_type, std::string body) {
  http::Response reply;
  reply.status = status;
  reply.fields = {{"Content-Type", std::string(content_type)}, {"Cache-Control", "no-store"}};
  reply.body = std::move(body);
  return reply;
}

Awaitable<http::Response> ShowMetrics(OperationsState& state) {
  co_return Plain(200, "text/plain; version=0.0.4; charset=utf-8", state.metrics.Render());
}

Awaitable<http::Response> ShowHealth() { co_return Plain(200, "text/plain", "ok\n"); }

Awaitable<http::Response> ShowReadiness(OperationsState& state) {
  auto silence = std::chrono::steady_clock::now() - state.changes.ConfirmedAt();
  std::vector<std::string> reasons = ReasonsNotReady(state.phase, silence);
  std::string quoted;
  for (const std::string& reason : reasons) {
    quoted += fmt::format("{}\"{}\"", quoted.empty() ? "" : ",", reason);
  }
  co_return Plain(reasons.empty() ? 200 : 503, "application/json",
                  fmt::format("{{\"ready\":{},\"reasons\":[{}]}}\n", reasons.empty(), quoted));
}

// It is asked every 0.4 s: ten answers and more are missing.
constexpr std::chrono::seconds kSilence{5};

}  // namespace

std::vector<std::string> ReasonsNotReady(ServingPhase phase,
                                         std::chrono::steady_clock::duration silence) {
  std::vector<std::string> reasons;
  if (phase == ServingPhase::kStarting) reasons.emplace_back("starting");
  if (phase == ServingPhase::kStopping) reasons.emplace_back("stopping");
  if (phase != ServingPhase::kStarting && silence > kSilence) {
    auto seconds = std::chrono::floor<std::chrono::seconds>(silence).count();
    reasons.push_back(fmt::format("the catalog has not answered for {} s", seconds));
  }
  return reasons;
}

std::vector<http::RouteSpec> OperationsRoutes(OperationsState& state) {
  std::vector<http::RouteSpec> routes;
  auto add = [&routes](std::string pattern, http::Handler handler) {
    routes.push_back({http::Method::kGet, std::move(pattern), 0, std::move(handler)});
  };
  add("/metrics", [&state](http::Exchange&) { return ShowMetrics(state); });
  add("/healthz", [](http::Exchange&) { return ShowHealth(); });
  add("/readyz", [&state](http::Exchange&) { return ShowReadiness(state); });
  return routes;
}

}  // namespace koya
