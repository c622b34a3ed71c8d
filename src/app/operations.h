// The second listener: /metrics, /healthz and /readyz. Never on the public port.
#pragma once

#include <atomic>
#include <vector>

#include "catalog/catalog.h"
#include "http/router.h"
#include "obs/metrics.h"

namespace koya {

struct OperationsState {
  const Metrics& metrics;
  ChangeLog& catalog;                 // asked whether it answers
  const std::atomic<bool>& draining;  // true: being stopped, send no new requests here
};

// The routes. `state` must outlive them.
//   /metrics  Prometheus text
//   /healthz  200 while the process answers at all
//   /readyz   200 while it can serve; 503 while the catalog does not answer or it is being stopped
std::vector<http::RouteSpec> OperationsRoutes(OperationsState& state);

}  // namespace koya
