// What a scrape says of modules that were not read yet, or by a worse reader.
#pragma once

#include "obs/metrics.h"
#include "service/readings.h"

namespace koya {

// Adds koya_readings_…. `totals` are read at each scrape, as long as anybody may scrape.
void AddReadingMetrics(Metrics& metrics, const service::ReadingTotals& totals);

}  // namespace koya
