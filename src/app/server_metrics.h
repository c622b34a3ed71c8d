// Metrics of what this server does besides requests: its work on the catalog for all servers, the
// analysis and indexing of published versions, the counting of fetches.
#pragma once

#include "catalog/catalog_load.h"
#include "obs/metrics.h"
#include "service/common/change_feed.h"
#include "service/common/database_clock.h"
#include "service/common/leases.h"
#include "service/modules/reading_upkeep.h"
#include "service/operate/collect_garbage.h"
#include "service/search/index_queue.h"
#include "service/usage/usage_counter.h"

namespace koya {

// Read at each scrape; must outlive the last one.
struct CatalogMetricsSources {
  const CatalogLoad& load;
  const service::ChangeFeed& changes;
  const service::Leases& leases;
  const service::DatabaseClock& clock;
  const service::GarbageTotals& garbage;
};

// Adds koya_catalog_…, koya_change_feed_…, koya_leases_…, koya_clock_… and koya_gc_….
void AddCatalogMetrics(Metrics& metrics, const CatalogMetricsSources& sources);

// One set for each connection pool of `load`, under its name.
void AddPoolMetrics(Metrics& metrics, const CatalogLoad& load);

// Adds koya_module_analysis_…. `totals` is read at each scrape and must outlive the last one.
void AddReadingMetrics(Metrics& metrics, const service::ReadingTotals& totals);
// Adds koya_search_index_pending, likewise.
void AddIndexMetrics(Metrics& metrics, const service::IndexQueue& queue);

// Adds koya_usage_…. `usage` must outlive the metrics' last scrape.
void AddUsageMetrics(Metrics& metrics, const service::UsageCounter& usage);

}  // namespace koya
