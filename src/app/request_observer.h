// Observes requests and connections of the HTTP engine for the access log and the metrics. Called
// on the event loops: must not block.
#pragma once

#include <string_view>
#include <vector>

#include "http/server/server.h"
#include "obs/access_log.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "obs/request_metrics.h"

namespace koya {

class RequestObserver final : public http::Observer {
 public:
  // `access_log` may be null: requests are not logged then. `routes` are the patterns of the
  // router. The log, the logger and the metrics must outlive the observer.
  RequestObserver(AccessLog* access_log, Logger& log, Metrics& metrics,
                  const std::vector<std::string>& routes);

  void OnRequest(const http::RequestRecord& record) override;
  void OnConnectionOpened() override;
  void OnConnectionClosed() override;
  void OnConnectionRefused(std::string_view reason) override;
  void OnTlsReloaded(const Status& outcome) override;
  void OnInternalError(std::string_view request_id, std::string_view what) override;

 private:
  AccessLog* access_log_;
  Logger& log_;
  RequestMetrics requests_;
  MetricCounter internal_errors_;
  MetricCounter certificates_taken_up_;
  MetricCounter certificates_refused_;
};

}  // namespace koya
