#include "app/reading_metrics.h"

#include <atomic>
#include <cstdint>
#include <functional>

namespace koya {

void AddReadingMetrics(Metrics& metrics, const service::ReadingTotals& totals) {
  auto read = [](const std::atomic<std::uint64_t>& number) -> std::function<double()> {
    return [&number] { return static_cast<double>(number.load()); };
  };
  metrics.WatchGauge("koya_module_analysis_pending",
                     "Module versions that this program has not analyzed, as last counted.",
                     read(totals.unread));
  metrics.WatchCounter("koya_module_analysis_total", "Those that this server has analyzed since.",
                       read(totals.read));
  metrics.WatchCounter("koya_module_analysis_failures_total",
                       "Those whose archive could not be read; each try counts.",
                       read(totals.failed));
}

void AddIndexMetrics(Metrics& metrics, const service::IndexQueue& queue) {
  metrics.WatchGauge("koya_search_index_pending",
                     "Versions that this server published and that wait for the search index.",
                     [&queue] { return static_cast<double>(queue.waiting()); });
}

}  // namespace koya
