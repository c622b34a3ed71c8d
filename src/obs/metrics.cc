#include "obs/metrics.h"

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace koya {
namespace {

prometheus::Labels ToLabels(const MetricLabels& labels) { return {labels.begin(), labels.end()}; }

// Numbers read from functions; families are gathered by name, since a family may appear once only.
class WatchedNumbers final : public prometheus::Collectable {
 public:
  struct Number {
    std::string name;
    std::string help;
    prometheus::MetricType type;
    MetricLabels labels;
    std::function<double()> read;
  };

  void Add(Number number) {
    std::lock_guard lock(mutex_);
    numbers_.push_back(std::move(number));
  }

  std::vector<prometheus::MetricFamily> Collect() const override {
    std::lock_guard lock(mutex_);
    std::vector<prometheus::MetricFamily> families;
    for (const Number& number : numbers_) {
      auto family = std::ranges::find(families, number.name, &prometheus::MetricFamily::name);
      if (family == families.end()) {
        family = families.insert(family, {number.name, number.help, number.type, {}});
      }
      family->metric.push_back(Read(number));
    }
    return families;
  }

 private:
  static prometheus::ClientMetric Read(const Number& number) {
    prometheus::ClientMetric metric;
    for (const auto& [name, value] : number.labels) metric.label.push_back({name, value});
    double value = number.read();
    if (number.type == prometheus::MetricType::Counter) metric.counter.value = value;
    if (number.type == prometheus::MetricType::Gauge) metric.gauge.value = value;
    return metric;
  }

  mutable std::mutex mutex_;
  std::vector<Number> numbers_;
};

}  // namespace

void MetricCounter::Add(std::uint64_t amount) { cell_->Increment(static_cast<double>(amount)); }
void MetricGauge::Set(double value) { cell_->Set(value); }
void MetricGauge::Add(double amount) { cell_->Increment(amount); }

struct Metrics::Impl {
  prometheus::Registry registry;
  std::shared_ptr<WatchedNumbers> watched = std::make_shared<WatchedNumbers>();
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<const prometheus::Collectable>> sources{watched};
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

MetricCounter Metrics::Counter(std::string_view name, std::string_view help,
                               const MetricLabels& labels) {
  auto& family = prometheus::BuildCounter()
                     .Name(std::string(name))
                     .Help(std::string(help))
                     .Register(impl_->registry);
  return MetricCounter(family.Add(ToLabels(labels)));
}

MetricGauge Metrics::Gauge(std::string_view name, std::string_view help,
                           const MetricLabels& labels) {
  auto& family = prometheus::BuildGauge()
                     .Name(std::string(name))
                     .Help(std::string(help))
                     .Register(impl_->registry);
  return MetricGauge(family.Add(ToLabels(labels)));
}

void Metrics::WatchCounter(std::string name, std::string help, std::function<double()> read,
                           MetricLabels labels) {
  impl_->watched->Add({std::move(name), std::move(help), prometheus::MetricType::Counter,
                       std::move(labels), std::move(read)});
}

void Metrics::WatchGauge(std::string name, std::string help, std::function<double()> read,
                         MetricLabels labels) {
  impl_->watched->Add({std::move(name), std::move(help), prometheus::MetricType::Gauge,
                       std::move(labels), std::move(read)});
}

void Metrics::Watch(std::shared_ptr<const prometheus::Collectable> source) {
  std::lock_guard lock(impl_->mutex);
  impl_->sources.push_back(std::move(source));
}

std::string Metrics::Render() const {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  std::vector<std::shared_ptr<const prometheus::Collectable>> sources;
  {
    std::lock_guard lock(impl_->mutex);
    sources = impl_->sources;
  }
  for (const auto& source : sources) {
    for (prometheus::MetricFamily& family : source->Collect())
      families.push_back(std::move(family));
  }
  // A family without counters yet would consist of name and help alone: leave it out.
  std::erase_if(families,
                [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
  std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace koya
