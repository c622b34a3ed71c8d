// The second listener: /metrics, /healthz and /readyz. Never on the public port.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "http/server/router.h"
#include "obs/metrics.h"

namespace koya {

enum class ServingPhase { kStarting, kServing, kStopping };

// What a server may serve while its catalog does not respond.
struct OfflineLimits {
  std::chrono::seconds serve_stale{};    // catalog.serve_stale
  std::chrono::seconds offline_grace{};  // access.offline_grace
};

struct Readiness {
  bool ready = false;
  std::vector<std::string> reasons;  // why not; if it is ready all the same, the problems
  friend bool operator==(const Readiness&, const Readiness&) = default;
};

// The inputs of readiness.
struct ServingState {
  ServingPhase phase = ServingPhase::kStarting;
  std::string waits_for;                          // during the start; "": nothing in particular
  std::chrono::steady_clock::duration silence{};  // how long the catalog has not responded
  OfflineLimits offline;
  std::string store_trouble;  // why the object store cannot be used; "": it can be used
};

// True if new requests should be sent to this server. `degraded`: asked by a balancer that prefers
// stored contents to none.
Readiness ReadinessOf(const ServingState& state, bool degraded);

// Readiness as it changes. Threads: any.
class ServingStatus {
 public:
  using Silence = std::function<std::chrono::steady_clock::duration()>;

  void SetPhase(ServingPhase phase) { phase_ = phase; }
  // What the start waits for, for display.
  void SetWaiting(std::string for_what);
  // Sets the function that returns how long the catalog has not responded; empty: none.
  void Follow(Silence silence, OfflineLimits limits);

  // Sets the function that returns why the object store cannot be used; "": it can be used.
  void FollowStore(std::function<std::string()> trouble);

  ServingState Now() const;

 private:
  std::atomic<ServingPhase> phase_ = ServingPhase::kStarting;
  mutable std::mutex mutex_;  // guards the members below
  std::string waits_for_;
  Silence silence_;
  OfflineLimits limits_;
  std::function<std::string()> store_trouble_;
};

// The routes. Both arguments must outlive them. No route waits for another service: each responds
// at once, whatever the state of the catalog.
//   /metrics  Prometheus text
//   /healthz  200 while the process answers at all
//   /readyz   200 while it can serve, else 503: {"ready":false,"reasons":["…"]}
//   /readyz?degraded=1  200 also while only stored contents can be served
std::vector<http::RouteSpec> OperationsRoutes(const Metrics& metrics, const ServingStatus& status);

}  // namespace koya
