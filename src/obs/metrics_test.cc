#include "obs/metrics.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "obs/log.h"
#include "obs/log_capture_fake.h"
#include "obs/request_metrics.h"

namespace koya {
namespace {

// The value after "NAME{LABELS} ", or "absent".
std::string ValueOf(const std::string& text, const std::string& series) {
  std::string wanted = "\n" + series + " ";
  std::size_t at = ("\n" + text).find(wanted);
  if (at == std::string::npos) return "absent";
  std::size_t begin = at + wanted.size() - 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::size_t Count(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(MetricsTest, CountersWithOneNameAreOneFamily) {
  Metrics metrics;
  metrics.Counter("koya_publishes_total", "Publishes.", {{"outcome", "created"}}).Add(2);
  metrics.Counter("koya_publishes_total", "Publishes.", {{"outcome", "created"}}).Add();
  metrics.Counter("koya_publishes_total", "Publishes.", {{"outcome", "conflict"}}).Add();
  std::string text = metrics.Render();
  EXPECT_EQ(ValueOf(text, "koya_publishes_total{outcome=\"created\"}"), "3");
  EXPECT_EQ(ValueOf(text, "koya_publishes_total{outcome=\"conflict\"}"), "1");
  EXPECT_EQ(Count(text, "# TYPE koya_publishes_total counter"), 1U);
}

TEST(MetricsTest, GaugesAndWatchedNumbersAreReadAtTheScrape) {
  Metrics metrics;
  double kept = 1;
  metrics.WatchGauge("koya_document_cache_bytes", "Bytes.", [&] { return kept; });
  metrics.WatchCounter("koya_cache_total", "Look-ups.", [] { return 7.0; }, {{"result", "hit"}});
  metrics.WatchCounter("koya_cache_total", "Look-ups.", [] { return 3.0; }, {{"result", "miss"}});
  MetricGauge gauge = metrics.Gauge("koya_level", "Level.");
  gauge.Set(5);
  gauge.Add(-2);
  kept = 42;
  std::string text = metrics.Render();
  EXPECT_EQ(ValueOf(text, "koya_document_cache_bytes"), "42");
  EXPECT_EQ(ValueOf(text, "koya_cache_total{result=\"hit\"}"), "7");
  EXPECT_EQ(ValueOf(text, "koya_cache_total{result=\"miss\"}"), "3");
  EXPECT_EQ(ValueOf(text, "koya_level"), "3");
  EXPECT_EQ(Count(text, "# TYPE koya_cache_total counter"), 1U);
}

TEST(MetricsTest, LabelValuesAreEscaped) {
  Metrics metrics;
  metrics.Counter("koya_x_total", "X.", {{"reason", "a\"b\\c\nd"}}).Add();
  EXPECT_NE(metrics.Render().find(R"(reason="a\"b\\c\nd")"), std::string::npos);
}

TEST(ProcessMetricsTest, SaysWhatRuns) {
  Metrics metrics;
  AddProcessMetrics(metrics, "1.2.3");
  std::string text = metrics.Render();
  EXPECT_NE(text.find("koya_build_info{"), std::string::npos);
  EXPECT_NE(text.find("version=\"1.2.3\""), std::string::npos);
  EXPECT_GT(std::stod(ValueOf(text, "process_resident_memory_bytes")), 1e6);
  EXPECT_GT(std::stod(ValueOf(text, "process_start_time_seconds")), 1.5e9);
  EXPECT_GT(std::stod(ValueOf(text, "process_open_fds")), 2);
  EXPECT_GT(std::stod(ValueOf(text, "process_max_fds")), 2);
  EXPECT_NE(ValueOf(text, "process_cpu_seconds_total"), "absent");
}

const std::vector<std::string> kRoutes{"/v1/{a}", "/api/{b}", "/v1/{a}"};

TEST(RequestMetricsTest, CountsByRouteMethodAndStatusClass) {
  Metrics metrics;
  RequestMetrics requests(metrics, kRoutes);
  requests.OnRequest({.route = "/v1/{a}",
                      .method = "GET",
                      .status = 200,
                      .bytes_received = 100,
                      .bytes_sent = 1000,
                      .duration = std::chrono::microseconds(200)});
  requests.OnRequest({.route = "/v1/{a}", .method = "GET", .status = 204, .bytes_sent = 1});
  requests.OnRequest({.route = "/v1/{a}", .method = "PUT", .status = 404, .cut_off = true});
  std::string text = metrics.Render();
  auto series = [&](const std::string& name, const std::string& labels) {
    return ValueOf(text, name + "{route=\"/v1/{a}\"" + labels + "}");
  };
  EXPECT_EQ(series("koya_http_requests_total", ",method=\"GET\",status=\"2xx\""), "2");
  EXPECT_EQ(series("koya_http_requests_total", ",method=\"PUT\",status=\"4xx\""), "1");
  EXPECT_EQ(series("koya_http_requests_total", ",method=\"PUT\",status=\"2xx\""), "absent");
  EXPECT_EQ(series("koya_http_received_bytes_total", ""), "100");
  EXPECT_EQ(series("koya_http_sent_bytes_total", ""), "1001");
  EXPECT_EQ(series("koya_http_requests_aborted_total", ""), "1");
  EXPECT_EQ(series("koya_http_request_duration_seconds_count", ""), "3");
  EXPECT_EQ(series("koya_http_request_duration_seconds_bucket", ",le=\"0.0001\""), "2");
  EXPECT_EQ(series("koya_http_request_duration_seconds_bucket", ",le=\"0.00025\""), "3");
  EXPECT_EQ(series("koya_http_request_duration_seconds_bucket", ",le=\"+Inf\""), "3");
}

TEST(RequestMetricsTest, StrangersCannotAddSeries) {
  Metrics metrics;
  RequestMetrics requests(metrics, kRoutes);
  requests.OnRequest({.route = "", .method = "BREW", .status = 404});
  requests.OnRequest({.route = "/never/registered", .method = "get", .status = 0});
  requests.OnRequest({.route = "/v1/{a}", .method = "", .status = 999});
  std::string text = metrics.Render();
  EXPECT_EQ(
      ValueOf(text,
              "koya_http_requests_total{route=\"unmatched\",method=\"other\",status=\"4xx\"}"),
      "1");
  EXPECT_EQ(
      ValueOf(text,
              "koya_http_requests_total{route=\"unmatched\",method=\"other\",status=\"none\"}"),
      "1");
  EXPECT_EQ(
      ValueOf(text, "koya_http_requests_total{route=\"/v1/{a}\",method=\"other\",status=\"none\"}"),
      "1");
  EXPECT_EQ(text.find("BREW"), std::string::npos);
  EXPECT_EQ(text.find("/never"), std::string::npos);
}

TEST(RequestMetricsTest, EachStatusIsThereBeforeTheFirstRequest) {
  Metrics metrics;
  RequestMetrics requests(metrics, kRoutes);
  const std::string text = metrics.Render();
  for (const char* status : {"2xx", "4xx", "5xx"}) {
    EXPECT_EQ(ValueOf(text, std::string("koya_http_requests_total{route=\"unmatched\",") +
                                "method=\"GET\",status=\"" + status + "\"}"),
              "0");
  }
  EXPECT_EQ(text.find("koya_http_requests_total{route=\"/v1"), std::string::npos);
}

TEST(RequestMetricsTest, CountsConnections) {
  Metrics metrics;
  RequestMetrics requests(metrics, kRoutes);
  for (int i = 0; i < 3; ++i) requests.OnConnectionOpened();
  requests.OnConnectionClosed();
  requests.OnConnectionRefused("too many");
  std::string text = metrics.Render();
  EXPECT_EQ(ValueOf(text, "koya_http_connections_open"), "2");
  EXPECT_EQ(ValueOf(text, "koya_http_connections_total"), "3");
  EXPECT_EQ(ValueOf(text, "koya_http_connections_refused_total{reason=\"too many\"}"), "1");
}

TEST(RequestMetricsTest, NothingIsLostBetweenThreadsAndScrapes) {
  constexpr int kThreads = 4;
  constexpr int kRequests = 5000;
  Metrics metrics;
  RequestMetrics requests(metrics, kRoutes);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRequests; ++i) {
        requests.OnRequest({.route = "/api/{b}", .method = "GET", .status = 200});
      }
    });
  }
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(metrics.Render().empty());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ValueOf(metrics.Render(),
                    "koya_http_requests_total{route=\"/api/{b}\",method=\"GET\",status=\"2xx\"}"),
            std::to_string(kThreads * kRequests));
}

TEST(RequestMetricsTest, MayBeScrapedAfterTheServerIsGone) {
  Metrics metrics;
  {
    RequestMetrics(metrics, kRoutes).OnConnectionOpened();
  }
  EXPECT_EQ(ValueOf(metrics.Render(), "koya_http_connections_total"), "1");
}

using ::std::chrono::seconds;

TEST(LimitCounterTest, CountsEachLimitAndSpeaksOnceAMinute) {
  Metrics metrics;
  LimitCounter counter;
  counter.CountIn(metrics);
  LimitCounter::Time start{};
  EXPECT_EQ(counter.Count("limits.archive_ratio", start), 1U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(1)), 0U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(59)), 0U);
  EXPECT_EQ(counter.Count("limits.archive_entries", start + seconds(2)), 1U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(60)), 3U);
  EXPECT_EQ(counter.Count("limits.archive_ratio", start + seconds(61)), 0U);
  std::string text = metrics.Render();
  EXPECT_NE(text.find("koya_limit_reached_total{limit=\"limits.archive_ratio\"} 5"), text.npos);
  EXPECT_NE(text.find("koya_limit_reached_total{limit=\"limits.archive_entries\"} 1"), text.npos);
}

TEST(LimitCounterTest, TheLogNamesTheSettingOnce) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  log.CountLimitsIn(metrics);
  Failure failure = FailLimit(ErrorKind::kRefused, "limits.archive_entries", "too many entries");
  for (int i = 0; i < 3; ++i) log.LimitReached(failure.error().limit, failure.error().message);
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("limit"), "limits.archive_entries");
  EXPECT_EQ(lines[0].at("error"), "too many entries");
  EXPECT_EQ(lines[0].at("level"), "warn");
}

TEST(LimitCounterTest, AnErrorThatWasCountedIsNotCountedAgain) {
  LogCapture capture;
  Metrics metrics;
  Logger log(capture.writer(), LogLevel::kInfo);
  log.CountLimitsIn(metrics);
  Error error = FailLimit(ErrorKind::kTooLarge, "limits.module_bytes", "too large").error();
  log.TakeLimit(error);
  EXPECT_TRUE(error.limit.empty());
  log.TakeLimit(error);
  std::string text = metrics.Render();
  EXPECT_NE(text.find("koya_limit_reached_total{limit=\"limits.module_bytes\"} 1"), text.npos);
}

}  // namespace

}  // namespace koya
