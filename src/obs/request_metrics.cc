#include "obs/request_metrics.h"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace koya {
namespace {

using Cell = std::atomic<std::uint64_t>;

constexpr std::array<std::string_view, 8> kMethods{"GET",    "HEAD",  "PUT",     "POST",
                                                   "DELETE", "PATCH", "OPTIONS", "other"};
constexpr std::array<std::string_view, 6> kStatuses{"1xx", "2xx", "3xx", "4xx", "5xx", "none"};
// A cached document takes tens of microseconds, a database look-up milliseconds, an archive
// minutes.
constexpr std::array kBuckets{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                              0.1,    0.25,    0.5,    1.0,   2.5,    5.0,   10.0, 30.0,  120.0};
constexpr std::string_view kUnmatched = "unmatched";

struct RouteCells {
  std::array<Cell, kMethods.size() * kStatuses.size()> requests{};
  std::array<Cell, kBuckets.size() + 1> buckets{};
  Cell nanoseconds{0};
  Cell received{0};
  Cell sent{0};
  Cell cut_off{0};
};

// One copy of all cells. Aligned so that two threads never write to one cache line.
struct alignas(64) RequestShard {
  explicit RequestShard(std::size_t route_count) : routes(route_count) {}
  std::vector<RouteCells> routes;
  Cell opened{0};
  Cell closed{0};
};

std::size_t MethodIndex(std::string_view method) {
  auto found = std::ranges::find(kMethods.begin(), kMethods.end() - 1, method);
  return static_cast<std::size_t>(found - kMethods.begin());
}

std::size_t StatusIndex(unsigned status) {
  return status >= 100 && status < 600 ? status / 100 - 1 : kStatuses.size() - 1;
}

std::size_t BucketIndex(double seconds) {
  auto found = std::ranges::lower_bound(kBuckets, seconds);
  return static_cast<std::size_t>(found - kBuckets.begin());
}

void Add(Cell& cell, std::uint64_t amount) { cell.fetch_add(amount, std::memory_order_relaxed); }

struct StringHash {
  using is_transparent = void;
  std::uint64_t seed = RandomHashSeed();
  std::size_t operator()(std::string_view text) const { return HashText(text, seed); }
};

}  // namespace

struct RequestMetrics::Impl final : public prometheus::Collectable {
  explicit Impl(std::span<const std::string> patterns) {
    names.emplace_back(kUnmatched);
    for (const std::string& pattern : patterns) {
      if (index.try_emplace(pattern, names.size()).second) names.push_back(pattern);
    }
    std::size_t count = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
    for (std::size_t i = 0; i < count; ++i)
      shards.push_back(std::make_unique<RequestShard>(names.size()));
  }

  RequestShard& ShardOfThread() {
    static constinit std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
    return *shards[mine % shards.size()];
  }

  template <class Pick>
  std::uint64_t Sum(std::size_t route, Pick pick) const {
    std::uint64_t sum = 0;
    for (const auto& shard : shards) {
      sum += pick(shard->routes[route]).load(std::memory_order_relaxed);
    }
    return sum;
  }

  std::vector<prometheus::MetricFamily> Collect() const override;
  void CollectRequests(prometheus::MetricFamily& family, std::size_t route) const;
  prometheus::ClientMetric CollectDurations(std::size_t route) const;
  prometheus::ClientMetric Single(std::size_t route, Cell RouteCells::* cell) const;
  void CollectConnections(std::vector<prometheus::MetricFamily>& families) const;

  std::vector<std::string> names;  // of routes, by index; 0 is kUnmatched
  std::unordered_map<std::string, std::size_t, StringHash, std::equal_to<>> index;
  std::vector<std::unique_ptr<RequestShard>> shards;
};

RequestMetrics::RequestMetrics(Metrics& metrics, std::span<const std::string> routes)
    : metrics_(metrics), impl_(std::make_shared<Impl>(routes)) {
  metrics_.Watch(impl_);
}

RequestMetrics::~RequestMetrics() = default;

void RequestMetrics::OnRequest(const RequestSample& sample) {
  auto found = impl_->index.find(sample.route);
  std::size_t route = found == impl_->index.end() ? 0 : found->second;
  RouteCells& cells = impl_->ShardOfThread().routes[route];
  Add(cells.requests[MethodIndex(sample.method) * kStatuses.size() + StatusIndex(sample.status)],
      1);
  Add(cells.buckets[BucketIndex(std::chrono::duration<double>(sample.duration).count())], 1);
  Add(cells.nanoseconds,
      static_cast<std::uint64_t>(std::max<std::int64_t>(sample.duration.count(), 0)));
  Add(cells.received, sample.bytes_received);
  Add(cells.sent, sample.bytes_sent);
  if (sample.cut_off) Add(cells.cut_off, 1);
}

void RequestMetrics::OnConnectionOpened() { Add(impl_->ShardOfThread().opened, 1); }
void RequestMetrics::OnConnectionClosed() { Add(impl_->ShardOfThread().closed, 1); }

void RequestMetrics::OnConnectionRefused(std::string_view reason) {
  metrics_
      .Counter("koya_http_connections_refused_total", "Connections refused at accept, by reason.",
               {{"reason", std::string(reason)}})
      .Add();
}

std::vector<prometheus::MetricFamily> RequestMetrics::Impl::Collect() const {
  using prometheus::MetricType;
  prometheus::MetricFamily requests{"koya_http_requests_total",
                                    "Requests that were answered, by route.",
                                    MetricType::Counter,
                                    {}};
  prometheus::MetricFamily cut_off{"koya_http_requests_aborted_total",
                                   "Responses that were cut off before their end.",
                                   MetricType::Counter,
                                   {}};
  prometheus::MetricFamily durations{
      "koya_http_request_duration_seconds",
      "From the first byte of a request to the last of its response.",
      MetricType::Histogram,
      {}};
  prometheus::MetricFamily received{
      "koya_http_received_bytes_total", "Bytes of requests received.", MetricType::Counter, {}};
  prometheus::MetricFamily sent{
      "koya_http_sent_bytes_total", "Bytes of responses sent.", MetricType::Counter, {}};
  for (std::size_t route = 0; route < names.size(); ++route) {
    CollectRequests(requests, route);
    cut_off.metric.push_back(Single(route, &RouteCells::cut_off));
    durations.metric.push_back(CollectDurations(route));
    received.metric.push_back(Single(route, &RouteCells::received));
    sent.metric.push_back(Single(route, &RouteCells::sent));
  }
  std::vector<prometheus::MetricFamily> families{std::move(requests), std::move(cut_off),
                                                 std::move(durations), std::move(received),
                                                 std::move(sent)};
  CollectConnections(families);
  return families;
}

// Combinations that never happened are left out: most routes have one method. Each status is there
// from the start, once, so that rules and dashboards find it.
void RequestMetrics::Impl::CollectRequests(prometheus::MetricFamily& family,
                                           std::size_t route) const {
  for (std::size_t method = 0; method < kMethods.size(); ++method) {
    for (std::size_t status = 0; status < kStatuses.size(); ++status) {
      std::size_t at = method * kStatuses.size() + status;
      std::uint64_t count =
          Sum(route, [at](const RouteCells& cells) -> const Cell& { return cells.requests[at]; });
      const bool is_always_there = route == 0 && kMethods[method] == "GET";
      if (count == 0 && !is_always_there) continue;
      prometheus::ClientMetric metric;
      metric.label = {{"route", names[route]},
                      {"method", std::string(kMethods[method])},
                      {"status", std::string(kStatuses[status])}};
      metric.counter.value = static_cast<double>(count);
      family.metric.push_back(std::move(metric));
    }
  }
}

prometheus::ClientMetric RequestMetrics::Impl::CollectDurations(std::size_t route) const {
  prometheus::ClientMetric metric;
  metric.label = {{"route", names[route]}};
  std::uint64_t count = 0;
  for (std::size_t bucket = 0; bucket <= kBuckets.size(); ++bucket) {
    count += Sum(
        route, [bucket](const RouteCells& cells) -> const Cell& { return cells.buckets[bucket]; });
    bool last = bucket == kBuckets.size();
    double bound = last ? std::numeric_limits<double>::infinity() : kBuckets[bucket];
    metric.histogram.bucket.push_back({count, bound});
  }
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum =
      1e-9 * static_cast<double>(Sum(
                 route, [](const RouteCells& cells) -> const Cell& { return cells.nanoseconds; }));
  return metric;
}

prometheus::ClientMetric RequestMetrics::Impl::Single(std::size_t route,
                                                      Cell RouteCells::* cell) const {
  prometheus::ClientMetric metric;
  metric.label = {{"route", names[route]}};
  metric.counter.value = static_cast<double>(
      Sum(route, [cell](const RouteCells& cells) -> const Cell& { return cells.*cell; }));
  return metric;
}

void RequestMetrics::Impl::CollectConnections(
    std::vector<prometheus::MetricFamily>& families) const {
  std::uint64_t closed = 0;
  std::uint64_t opened = 0;
  // Closed first: one that opens and closes meanwhile must not make the difference negative.
  for (const auto& shard : shards) closed += shard->closed.load(std::memory_order_acquire);
  for (const auto& shard : shards) opened += shard->opened.load(std::memory_order_acquire);
  prometheus::ClientMetric open;
  open.gauge.value = static_cast<double>(opened - std::min(opened, closed));
  prometheus::ClientMetric total;
  total.counter.value = static_cast<double>(opened);
  families.push_back({"koya_http_connections_open",
                      "Connections open now.",
                      prometheus::MetricType::Gauge,
                      {open}});
  families.push_back({"koya_http_connections_total",
                      "Connections accepted.",
                      prometheus::MetricType::Counter,
                      {total}});
}

}  // namespace koya
