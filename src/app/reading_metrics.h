// What a scrape says of modules that were not read yet, or by a worse reader, and of versions that
// are not in the search index yet.
#pragma once

#include "obs/metrics.h"
#include "service/index_queue.h"
#include "service/readings.h"

namespace koya {

// Adds koya_readings_…. `totals` are read at each scrape, as long as anybody may scrape.
void AddReadingMetrics(Metrics& metrics, const service::ReadingTotals& totals);
// Adds koya_search_waiting, in the same way.
void AddIndexMetrics(Metrics& metrics, const service::IndexQueue& queue);

}  // namespace koya
