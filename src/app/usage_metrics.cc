#include "app/usage_metrics.h"

#include <string>

namespace koya {

void AddUsageMetrics(Metrics& metrics, const service::UsageCounter& usage) {
  using service::UsageNumbers;
  auto read = [&usage](std::uint64_t UsageNumbers::* member) {
    return [&usage, member] { return static_cast<double>(usage.Numbers().*member); };
  };
  metrics.WatchCounter("koya_usage_counted_total", "Fetches and archives that were counted.",
                       read(&UsageNumbers::counted));
  metrics.WatchCounter(
      "koya_usage_unattributed_total",
      "Those that were counted without a caller, because too many came in one minute.",
      read(&UsageNumbers::folded));
  metrics.WatchCounter("koya_usage_dropped_total",
                       "Those that were lost, because the catalog accepted no writes for too long.",
                       read(&UsageNumbers::dropped));
  metrics.WatchGauge("koya_usage_pending_rows", "Rows that are not yet written to the catalog.",
                     read(&UsageNumbers::waiting));
}

}  // namespace koya
