#include "app/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "wire/admin.h"

namespace koya {
namespace {

// It is asked every 0.4 s: ten answers and more are missing.
constexpr std::chrono::seconds kReadinessSilence{5};

http::Response Plain(unsigned status, std::string_view content_type, std::string body) {
  http::Response reply;
  reply.status = status;
  reply.fields = {{"Content-Type", std::string(content_type)}, {"Cache-Control", "no-store"}};
  reply.body = std::move(body);
  return reply;
}

Awaitable<http::Response> ShowMetrics(const Metrics& metrics) {
  co_return Plain(200, "text/plain; version=0.0.4; charset=utf-8", metrics.Render());
}

Awaitable<http::Response> ShowHealth() { co_return Plain(200, "text/plain", "ok\n"); }

bool AsksForDegraded(std::string_view query) {
  auto parts = std::views::split(query, '&');
  return std::ranges::any_of(
      parts, [](auto part) { return std::string_view(part.begin(), part.end()) == "degraded=1"; });
}

Awaitable<http::Response> ShowReadiness(const ServingStatus& status, bool degraded) {
  Readiness readiness = ReadinessOf(status.Now(), degraded);
  const unsigned code = readiness.ready ? 200 : 503;
  std::string body = wire::Encode<wire::ReadinessDocument>(
      {.ready = readiness.ready, .reasons = std::move(readiness.reasons)});
  co_return Plain(code, "application/json", body + "\n");
}

std::int64_t InWholeSeconds(std::chrono::steady_clock::duration time) {
  return std::chrono::floor<std::chrono::seconds>(time).count();
}

}  // namespace

Readiness ReadinessOf(const ServingState& state, bool degraded) {
  Readiness found;
  const bool serving = state.phase == ServingPhase::kServing;
  if (state.phase == ServingPhase::kStarting) {
    found.reasons.push_back(state.waits_for.empty() ? "starting" : "starting: " + state.waits_for);
  }
  if (state.phase == ServingPhase::kStopping) found.reasons.emplace_back("stopping");
  const bool away = state.phase != ServingPhase::kStarting && state.silence > kReadinessSilence;
  if (away) {
    found.reasons.push_back(
        fmt::format("the catalog has not responded for {} s", InWholeSeconds(state.silence)));
  }
  const bool in_grace = away && state.silence < state.offline.offline_grace;
  if (in_grace) {
    found.reasons.push_back(
        fmt::format("tokens that were checked stay valid for another {} s without the catalog",
                    InWholeSeconds(state.offline.offline_grace - state.silence)));
  }
  const bool storeless = serving && !state.store_trouble.empty();
  if (storeless) found.reasons.push_back(state.store_trouble);
  const bool held = degraded && state.silence <= state.offline.serve_stale;
  found.ready = serving && (!away || held) && (!storeless || degraded);
  return found;
}

void ServingStatus::SetWaiting(std::string for_what) {
  std::lock_guard lock(mutex_);
  waits_for_ = std::move(for_what);
}

void ServingStatus::Follow(Silence silence, OfflineLimits limits) {
  std::lock_guard lock(mutex_);
  silence_ = std::move(silence);
  limits_ = limits;
}

void ServingStatus::FollowStore(std::function<std::string()> trouble) {
  std::lock_guard lock(mutex_);
  store_trouble_ = std::move(trouble);
}

ServingState ServingStatus::Now() const {
  ServingState state{
      .phase = phase_, .waits_for = {}, .silence = {}, .offline = {}, .store_trouble = {}};
  std::lock_guard lock(mutex_);
  state.waits_for = waits_for_;
  if (silence_) state.silence = silence_();
  state.offline = limits_;
  if (store_trouble_) state.store_trouble = store_trouble_();
  return state;
}

std::vector<http::RouteSpec> OperationsRoutes(const Metrics& metrics, const ServingStatus& status) {
  std::vector<http::RouteSpec> routes;
  auto add = [&routes](std::string pattern, http::Handler handler) {
    routes.push_back({http::Method::kGet, std::move(pattern), 0, std::move(handler)});
  };
  add("/metrics", [&metrics](http::Exchange&) { return ShowMetrics(metrics); });
  add("/healthz", [](http::Exchange&) { return ShowHealth(); });
  add("/readyz", [&status](http::Exchange& exchange) {
    return ShowReadiness(status, AsksForDegraded(exchange.request.query));
  });
  return routes;
}

}  // namespace koya
