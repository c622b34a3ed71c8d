// Metrics of modules that were not analyzed yet, or by an older reader, and of versions that are
// not in the search index yet.
#pragma once

#include "obs/metrics.h"
#include "service/modules/analysis_progress.h"
#include "service/search/index_queue.h"

namespace koya {

// Adds koya_module_analysis_…. `totals` is read at each scrape and must outlive the last one.
void AddReadingMetrics(Metrics& metrics, const service::ReadingTotals& totals);
// Adds koya_search_waiting, likewise.
void AddIndexMetrics(Metrics& metrics, const service::IndexQueue& queue);

}  // namespace koya
