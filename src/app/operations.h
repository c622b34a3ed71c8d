// The second listener: /metrics, /healthz and /readyz. Never on the public port.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "http/server/router.h"
#include "obs/metrics.h"
#include "service/change_feed.h"

namespace koya {

enum class ServingPhase { kStarting, kServing, kStopping };

struct OperationsState {
  const Metrics& metrics;
  const service::ChangeFeed& changes;  // knows when the catalog last answered
  const std::atomic<ServingPhase>& phase;
};

// Why no new requests should be sent here; empty when they should. `silence`: for how long the
// catalog has not answered.
std::vector<std::string> ReasonsNotReady(ServingPhase phase,
                                         std::chrono::steady_clock::duration silence);

// The routes. `state` must outlive them. None of them asks anybody: all answer at once, whatever
// the catalog does.
//   /metrics  Prometheus text
//   /healthz  200 while the process answers at all
//   /readyz   200 while it can serve, else 503: {"ready":false,"reasons":["…"]}
std::vector<http::RouteSpec> OperationsRoutes(OperationsState& state);

}  // namespace koya
