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

// What a server holds on to while its catalog does not answer.
struct OfflineLimits {
  std::chrono::seconds serve_stale{};    // catalog.serve_stale
  std::chrono::seconds offline_grace{};  // access.offline_grace
};

struct Readiness {
  bool ready = false;
  std::vector<std::string> reasons;  // why not; or, where it is ready all the same, what is amiss
  friend bool operator==(const Readiness&, const Readiness&) = default;
};

// What is known of a server's state.
struct ServingState {
  ServingPhase phase = ServingPhase::kStarting;
  std::string waits_for;                          // while it starts; "": nothing in particular
  std::chrono::steady_clock::duration silence{};  // for which the catalog has not answered
  OfflineLimits offline;
  std::string store_trouble;  // why the object store cannot be used; "": it can
};

// Whether new requests should be sent here. `degraded`: by a balancer that would rather have what
// is held than nothing.
Readiness ReadinessOf(const ServingState& state, bool degraded);

// The same, as it changes. Threads: any.
class ServingStatus {
 public:
  using Silence = std::function<std::chrono::steady_clock::duration()>;

  void SetPhase(ServingPhase phase) { phase_ = phase; }
  // What the start waits for, for people.
  void SetWaiting(std::string for_what);
  // Who tells for how long the catalog has not answered; empty: nobody.
  void Follow(Silence silence, OfflineLimits limits);

  // Who tells why the object store cannot be used; "": it can.
  void FollowStore(std::function<std::string()> trouble);

  ServingState Now() const;

 private:
  std::atomic<ServingPhase> phase_ = ServingPhase::kStarting;
  mutable std::mutex mutex_;  // of what follows
  std::string waits_for_;
  Silence silence_;
  OfflineLimits limits_;
  std::function<std::string()> store_trouble_;
};

// The routes. Both must outlive them. None of them asks anybody: all answer at once, whatever the
// catalog does.
//   /metrics  Prometheus text
//   /healthz  200 while the process answers at all
//   /readyz   200 while it can serve, else 503: {"ready":false,"reasons":["…"]}
//   /readyz?degraded=1  200 also while only what is held can be served
std::vector<http::RouteSpec> OperationsRoutes(const Metrics& metrics, const ServingStatus& status);

}  // namespace koya
