#include "obs/metrics.h"

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
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

namespace {

// The second number of /proc/self/statm is the resident set, in pages.
double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  if (!(statm >> total >> resident)) return 0;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double CpuSeconds() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double OpenDescriptors() {
  std::error_code error;
  double count = 0;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  return count;
}

double MaxDescriptors() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

void AddProcessMetrics(Metrics& metrics, std::string_view version) {
  metrics
      .Gauge("koya_build_info", "Always 1; the labels name the version and the compiler.",
             {{"version", std::string(version)}, {"compiler", __VERSION__}})
      .Set(1);
  auto now = std::chrono::system_clock::now().time_since_epoch();
  metrics.Gauge("process_start_time_seconds", "When the process started, in Unix seconds.")
      .Set(std::chrono::duration<double>(now).count());
  metrics.WatchGauge("process_resident_memory_bytes", "Resident memory.", ResidentBytes);
  metrics.WatchCounter("process_cpu_seconds_total", "User and system CPU time.", CpuSeconds);
  metrics.WatchGauge("process_open_fds", "Open file descriptors.", OpenDescriptors);
  metrics.WatchGauge("process_max_fds", "Limit of open file descriptors.", MaxDescriptors);
}

std::uint64_t LimitCounter::Count(LimitName limit, Time now) {
  std::lock_guard lock(mutex_);
  Reached& reached = reached_[limit.text()];
  if (!reached.counter && metrics_ != nullptr) {
    reached.counter =
        metrics_->Counter("koya_limit_reached_total", "Times that a limit on input was reached.",
                          {{"limit", std::string(limit.text())}});
  }
  if (reached.counter) reached.counter->Add();
  ++reached.since;
  if (reached.told && now - *reached.told < kQuiet) return 0;
  reached.told = now;
  return std::exchange(reached.since, 0);
}

}  // namespace koya
