// The operator's listener. It lives as long as the process and responds before there is a catalog.
#pragma once

#include <cstdint>
#include <memory>

#include "app/operations.h"
#include "app/settings.h"
#include "base/result.h"
#include "http/server/server.h"
#include "obs/metrics.h"

namespace koya {

// Keeps requests to the operator's listener out of /metrics.
class SilentObserver final : public http::Observer {
 public:
  void OnRequest(const http::RequestRecord& /*record*/) override {}
};

// Threads: any for metrics() and status(), else the main thread.
class OperationsListener {
 public:
  ~OperationsListener();

  // Listens on metrics.listen; with server.dev on a free loopback port; else nowhere. Fails: the
  // address cannot be listened on.
  Status Start(const Settings& settings);
  // The objects behind metrics() must live until this has returned. May be called again.
  void Stop();

  Metrics& metrics() { return metrics_; }
  ServingStatus& status() { return status_; }
  std::uint16_t port() const { return server_ ? server_->port() : 0; }  // 0: not listening

 private:
  Metrics metrics_;
  ServingStatus status_;
  http::Router router_{OperationsRoutes(metrics_, status_)};
  SilentObserver observer_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace koya
