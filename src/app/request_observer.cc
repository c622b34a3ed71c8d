#include "app/request_observer.h"

#include <string>

namespace koya {
namespace {

MetricCounter ReloadCounter(Metrics& metrics, std::string outcome) {
  return metrics.Counter("koya_tls_reloads_total", "Reloads of changed certificates, by outcome.",
                         {{"outcome", std::move(outcome)}});
}

// The bound behind http::Observer's reason.
LimitName LimitOf(std::string_view reason) {
  if (reason == "connections") return "limits.connections";
  if (reason == "connections_per_address") return "limits.connections_per_address";
  if (reason == "file_descriptors") return "fixed.file_descriptors";
  if (reason == "proxy_header") return "fixed.proxy_header";
  if (reason == "http2_flood") return "fixed.http2_frames";
  return {};
}

std::string_view MessageOf(std::string_view reason) {
  if (reason == "http2_flood") {
    return "an HTTP/2 client sent too many resets, pings, settings or other frames without use: "
           "its connection was closed";
  }
  if (reason != "proxy_header") return "connections were refused";
  return "a connection of a trusted proxy did not begin with a PROXY protocol v2 header: have the "
         "proxy send one (HAProxy: send-proxy-v2), or leave server.proxy_protocol out";
}

}  // namespace

RequestObserver::RequestObserver(AccessLog* access_log, Logger& log, Metrics& metrics,
                                 const std::vector<std::string>& routes)
    : access_log_(access_log),
      log_(log),
      requests_(metrics, routes),
      internal_errors_(metrics.Counter("koya_internal_errors_total",
                                       "Exceptions that reached the request boundary.")),
      certificates_taken_up_(ReloadCounter(metrics, "success")),
      certificates_refused_(ReloadCounter(metrics, "failure")) {}

void RequestObserver::OnRequest(const http::RequestRecord& record) {
  requests_.OnRequest({.route = record.route,
                       .method = record.method,
                       .status = record.status,
                       .bytes_received = record.bytes_received,
                       .bytes_sent = record.bytes_sent,
                       .duration = record.duration,
                       .cut_off = record.cut_off});
  log_.LimitReached(record.limit, record.detail);
  if (access_log_ == nullptr) return;
  access_log_->Write({.request_id = record.request_id,
                      .trace_id = record.trace_id,
                      .remote = record.remote,
                      .method = record.method,
                      .path = record.path,
                      .route = record.route,
                      .user_agent = record.user_agent,
                      .detail = record.detail,
                      .status = record.status,
                      .bytes_received = record.bytes_received,
                      .bytes_sent = record.bytes_sent,
                      .duration = record.duration,
                      .cut_off = record.cut_off,
                      .http2 = record.http2});
}

void RequestObserver::OnConnectionOpened() { requests_.OnConnectionOpened(); }

void RequestObserver::OnConnectionClosed() { requests_.OnConnectionClosed(); }

void RequestObserver::OnConnectionRefused(std::string_view reason) {
  requests_.OnConnectionRefused(reason);
  // Debug only: a flood of connections must not become a flood of log lines.
  log_.Debug("connection refused", {{"reason", reason}});
  log_.LimitReached(LimitOf(reason), MessageOf(reason));
}

void RequestObserver::OnTlsReloaded(const Status& outcome) {
  if (outcome) {
    certificates_taken_up_.Add();
    log_.Info("the changed certificate is in use");
    return;
  }
  certificates_refused_.Add();
  const Error& error = outcome.error();
  log_.Error("the changed certificate cannot be used; the old one stays in use",
             {{"error", error.message}, {"detail", error.detail}});
}

void RequestObserver::OnInternalError(std::string_view request_id, std::string_view what) {
  internal_errors_.Add();
  log_.Error("internal error", {{"request_id", request_id}, {"detail", what}});
}

}  // namespace koya
