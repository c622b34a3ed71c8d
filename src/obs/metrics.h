// Metrics of the running program, in Prometheus's text format (exposition format 0.0.4).
//
// The program has one Metrics object and passes it to all code that counts; there is no global
// registry. Per-request metrics have cells of their own (obs/request_metrics.h).
//
// Threads: everything may be called from any thread. Names and help texts are literals; names end
// in _total for counters and in their unit otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace prometheus {
class Collectable;
class Counter;
class Gauge;
}  // namespace prometheus

namespace koya {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

// A handle to a number that only grows. Cheap to copy; valid as long as its Metrics.
class MetricCounter {
 public:
  explicit MetricCounter(prometheus::Counter& cell) : cell_(&cell) {}
  void Add(std::uint64_t amount = 1);

 private:
  prometheus::Counter* cell_;
};

// A handle to a number that can go up and down.
class MetricGauge {
 public:
  explicit MetricGauge(prometheus::Gauge& cell) : cell_(&cell) {}
  void Set(double value);
  void Add(double amount);

 private:
  prometheus::Gauge* cell_;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // The counter `name` with `labels`; the same one for every call with the same labels. Takes a
  // lock: store the handle where it is used often. Label values must come from a small set, never
  // from client input.
  MetricCounter Counter(std::string_view name, std::string_view help,
                        const MetricLabels& labels = {});
  MetricGauge Gauge(std::string_view name, std::string_view help, const MetricLabels& labels = {});

  // Metrics whose values are read from elsewhere: `read` is called at each scrape, on the scraping
  // thread. It must be quick, thread-safe, and valid as long as scrapes are possible.
  void WatchCounter(std::string name, std::string help, std::function<double()> read,
                    MetricLabels labels = {});
  void WatchGauge(std::string name, std::string help, std::function<double()> read,
                  MetricLabels labels = {});
  // A custom set of metrics, read at each scrape.
  void Watch(std::shared_ptr<const prometheus::Collectable> source);

  // All metrics, in the format of /metrics: text/plain; version=0.0.4.
  std::string Render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Standard metrics of the process, by Prometheus's own conventions: adds
// koya_build_info{version,compiler} and process_*. The start time is the time of this call.
void AddProcessMetrics(Metrics& metrics, std::string_view version);

// Counts reached limits, and decides when the log reports a limit again.
//
//   koya_limit_reached_total{limit}     limit: a setting's name, or "fixed." and a name
//
// Threads: every method may be called from any thread, CountIn() before the others only.
class LimitCounter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::minutes kQuiet{1};  // between two log lines about one limit

  // Counts in `metrics` from now on, which must outlive this.
  void CountIn(Metrics& metrics) { metrics_ = &metrics; }

  // Returns how often `limit` was reached since the log last reported it; 0: that was less than
  // kQuiet ago. REQUIRES: the name is not empty.
  std::uint64_t Count(LimitName limit, Time now);

 private:
  struct Reached {
    std::optional<MetricCounter> counter;
    std::optional<Time> told;
    std::uint64_t since = 0;
  };
  Metrics* metrics_ = nullptr;
  std::mutex mutex_;
  std::map<std::string_view, Reached> reached_;  // the keys are literals
};

}  // namespace koya
