// What a scrape says of the catalog, and of what this server does with it for all servers.
#pragma once

#include "catalog/catalog_load.h"
#include "obs/metrics.h"
#include "service/change_feed.h"
#include "service/collect_garbage.h"
#include "service/database_clock.h"
#include "service/leases.h"

namespace koya {

// All of it is read at each scrape, as long as anybody may scrape.
struct CatalogMetricsSources {
  const CatalogLoad& load;
  const service::ChangeFeed& changes;
  const service::Leases& leases;
  const service::DatabaseClock& clock;
  const service::GarbageTotals& garbage;
};

// Adds koya_catalog_…, koya_change_feed_…, koya_leases_…, koya_clock_… and koya_gc_….
void AddCatalogMetrics(Metrics& metrics, const CatalogMetricsSources& sources);

// One set for each of `load`'s lanes, under its name.
void AddLaneMetrics(Metrics& metrics, const CatalogLoad& load);

}  // namespace koya
