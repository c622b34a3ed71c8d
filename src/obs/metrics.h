// Numbers about the running program, in Prometheus's text form (exposition format 0.0.4).
//
// One Metrics object belongs to the program and is handed to whoever counts; there is no global
// registry. What is counted at every request has cells of its own (obs/request_metrics.h).
//
// Threads: everything may be called from any thread. Names and help texts are literals; names end
// in _total for counters and in their unit otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// A handle to a number that goes up and down.
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

  // The counter `name` with `labels`; the same one whenever asked with the same labels. Takes a
  // lock: keep the handle where it is used often. Label values must come from a small set, never
  // from what a client sends.
  MetricCounter Counter(std::string_view name, std::string_view help,
                        const MetricLabels& labels = {});
  MetricGauge Gauge(std::string_view name, std::string_view help, const MetricLabels& labels = {});

  // Numbers that somebody else keeps: `read` is called at each scrape, on the scraping thread. It
  // must be quick, thread-safe, and work as long as anybody may scrape.
  void WatchCounter(std::string name, std::string help, std::function<double()> read,
                    MetricLabels labels = {});
  void WatchGauge(std::string name, std::string help, std::function<double()> read,
                  MetricLabels labels = {});
  // A set of metrics of its own making, read at each scrape.
  void Watch(std::shared_ptr<const prometheus::Collectable> source);

  // All of them, as /metrics answers: text/plain; version=0.0.4.
  std::string Render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
