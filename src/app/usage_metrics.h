// Metrics of the counting of fetches.
#pragma once

#include "obs/metrics.h"
#include "service/usage/usage_counter.h"

namespace koya {

// `usage` must outlive the metrics' last scrape.
void AddUsageMetrics(Metrics& metrics, const service::UsageCounter& usage);

}  // namespace koya
