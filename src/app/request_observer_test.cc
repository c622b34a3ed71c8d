#include "app/request_observer.h"

#include <gtest/gtest.h>

#include <string>

#include "obs/log_capture_fake.h"

namespace koya {
namespace {

const std::vector<std::string> kRoutes{"/v1/{name}"};

http::RequestRecord Example() {
  http::RequestRecord record;
  record.method = "GET";
  record.path = "/v1/x";
  record.route = "/v1/{name}";
  record.remote = "192.0.2.7";
  record.request_id = "r1";
  record.user_agent = "curl/8";
  record.detail = "served stale";
  record.status = 200;
  record.bytes_received = 5;
  record.bytes_sent = 7;
  record.duration = std::chrono::microseconds(3);
  return record;
}

TEST(RequestObserverTest, ARequestIsLoggedAndCounted) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  AccessLog access_log(capture.writer());
  RequestObserver observer(&access_log, log, metrics, kRoutes);
  observer.OnRequest(Example());
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("request_id"), "r1");
  EXPECT_EQ(lines[0].at("path"), "/v1/x");
  EXPECT_EQ(lines[0].at("detail"), "served stale");
  EXPECT_EQ(lines[0].at("bytes_in").as_int64(), 5);
  EXPECT_EQ(lines[0].at("bytes_out").as_int64(), 7);
  EXPECT_TRUE(metrics.Render().contains(
      "koya_http_requests_total{route=\"/v1/{name}\",method=\"GET\",status=\"2xx\"} 1\n"));
}

TEST(RequestObserverTest, WithoutAccessLogItIsOnlyCounted) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kDebug);
  RequestObserver observer(nullptr, log, metrics, kRoutes);
  observer.OnRequest(Example());
  EXPECT_TRUE(capture.Lines().empty());
  EXPECT_TRUE(metrics.Render().contains("koya_http_requests_total{"));
}

TEST(RequestObserverTest, ReachedBoundsAreCountedAndNamed) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  log.CountLimitsIn(metrics);
  RequestObserver observer(nullptr, log, metrics, kRoutes);
  http::RequestRecord record = Example();
  record.limit = "limits.module_bytes";
  observer.OnRequest(Example());
  for (int i = 0; i < 3; ++i) observer.OnRequest(record);
  for (std::string_view reason : {"connections", "connections_per_address", "file_descriptors",
                                  "proxy_header", "http2_flood"}) {
    observer.OnConnectionRefused(reason);
  }
  EXPECT_EQ(capture.Lines().size(), 6U) << "once for each limit";
  std::string text = metrics.Render();
  EXPECT_TRUE(text.contains("koya_limit_reached_total{limit=\"limits.module_bytes\"} 3\n"));
  EXPECT_TRUE(text.contains("koya_limit_reached_total{limit=\"limits.connections\"} 1\n"));
}

TEST(RequestObserverTest, WhatAnOperatorShouldKnowIsLogged) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  RequestObserver observer(nullptr, log, metrics, kRoutes);
  observer.OnConnectionOpened();
  observer.OnConnectionRefused("too many");
  observer.OnTlsReloaded({});
  observer.OnTlsReloaded(Fail(ErrorKind::kInvalid, "the key does not match", "tls.key"));
  observer.OnInternalError("r2", "bad_alloc");
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 3U) << "a refused connection is counted only";
  EXPECT_EQ(lines[0].at("level"), "info");
  EXPECT_EQ(lines[1].at("level"), "error");
  EXPECT_EQ(lines[1].at("error"), "the key does not match");
  EXPECT_EQ(lines[2].at("request_id"), "r2");
  std::string text = metrics.Render();
  EXPECT_TRUE(text.contains("koya_http_connections_open 1\n"));
  EXPECT_TRUE(text.contains("koya_http_connections_refused_total{reason=\"too many\"} 1\n"));
  EXPECT_TRUE(text.contains("koya_tls_reloads_total{outcome=\"failure\"} 1\n"));
  EXPECT_TRUE(text.contains("koya_internal_errors_total 1\n"));
}

}  // namespace
}  // namespace koya
