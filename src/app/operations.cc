#include "app/operations.h"

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
  if (state.draining) co_return Plain(503, "text/plain", "stopping\n");
  auto latest = co_await state.catalog.LatestChange();
  if (!latest) co_return Plain(503, "text/plain", "the catalog does not answer\n");
  co_return Plain(200, "text/plain", "ready\n");
}

}  // namespace

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
