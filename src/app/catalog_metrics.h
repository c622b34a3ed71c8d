// Metrics of the catalog, and of this server's work on it for all servers.
#pragma once

#include "catalog/catalog_load.h"
#include "obs/metrics.h"
#include "service/common/change_feed.h"
#include "service/common/database_clock.h"
#include "service/common/leases.h"
#include "service/operate/collect_garbage.h"

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

}  // namespace koya
