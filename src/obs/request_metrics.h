// Metrics of every request and connection: cells created in advance for each route, so that
// counting is a hash look-up and a few relaxed additions, without a lock. Threads count in
// different copies of the cells, which are summed up at each scrape.
//
//   koya_http_requests_total{route,method,status}            status is a class: "2xx"
//   koya_http_requests_aborted_total{route}
//   koya_http_request_duration_seconds{route}                a histogram
//   koya_http_received_bytes_total{route}, koya_http_sent_bytes_total{route}
//   koya_http_connections_open, koya_http_connections_total
//   koya_http_connections_refused_total{reason}
//
// A request without a route counts under "unmatched", so that clients cannot add series.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "obs/metrics.h"

namespace koya {

struct RequestSample {
  std::string_view route{};  // the pattern, or "" when none matched
  std::string_view method{};
  unsigned status = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::chrono::nanoseconds duration{};
  bool cut_off = false;
};

class RequestMetrics {
 public:
  // `routes`: all route patterns; duplicates are one route. Registers itself with `metrics`, which
  // must outlive this object and may be scraped after it is gone.
  RequestMetrics(Metrics& metrics, std::span<const std::string> routes);
  ~RequestMetrics();
  RequestMetrics(const RequestMetrics&) = delete;
  RequestMetrics& operator=(const RequestMetrics&) = delete;

  // These may be called from any thread.
  void OnRequest(const RequestSample& sample);
  void OnConnectionOpened();
  void OnConnectionClosed();
  void OnConnectionRefused(std::string_view reason);

 private:
  struct Impl;
  Metrics& metrics_;
  std::shared_ptr<Impl> impl_;  // owners: this and `metrics`, which reads it
};

}  // namespace koya
