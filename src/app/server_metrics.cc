#include "app/server_metrics.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace koya {
namespace {

// The numbers of one lane, by its place among all.
class PoolWatch {
 public:
  using Read = double (*)(const PoolLoad&);

  PoolWatch(Metrics& metrics, const CatalogLoad& load, std::size_t place, std::string pool)
      : metrics_(metrics), load_(load), place_(place), lane_(std::move(pool)) {}

  void Gauge(const std::string& name, const std::string& help, Read read) {
    metrics_.WatchGauge(name, help, At(read), {{"pool", lane_}});
  }
  void Counter(const std::string& name, const std::string& help, Read read) {
    metrics_.WatchCounter(name, help, At(read), {{"pool", lane_}});
  }
  void Refused(std::string why, Read read) {
    metrics_.WatchCounter("koya_catalog_rejected_total",
                          "Queries and changes that were not started (503), by reason.", At(read),
                          {{"pool", lane_}, {"reason", std::move(why)}});
  }

 private:
  std::function<double()> At(Read read) const {
    return [&load = load_, place = place_, read] { return read(load.Pools()[place]); };
  }

  Metrics& metrics_;
  const CatalogLoad& load_;
  const std::size_t place_;
  const std::string lane_;
};

void WatchPool(PoolWatch watch) {
  watch.Gauge("koya_catalog_running", "Threads of the catalog that are working or connecting.",
              [](const PoolLoad& pool) { return static_cast<double>(pool.running); });
  watch.Gauge("koya_catalog_queued", "Queries and changes that wait for a thread.",
              [](const PoolLoad& pool) { return static_cast<double>(pool.queued); });
  watch.Gauge("koya_catalog_circuit_open",
              "1 while the database does not respond: one query a second is tried.",
              [](const PoolLoad& pool) { return pool.breaker_open ? 1.0 : 0.0; });
  watch.Counter("koya_catalog_started_total", "Queries and changes that were started.",
                [](const PoolLoad& pool) { return static_cast<double>(pool.begun); });
  watch.Counter(
      "koya_catalog_wait_seconds_total", "Total time that those waited for a thread.",
      [](const PoolLoad& pool) { return std::chrono::duration<double>(pool.waited).count(); });
  watch.Counter("koya_catalog_timeouts_total",
                "Queries and changes that were aborted because the database took too long.",
                [](const PoolLoad& pool) { return static_cast<double>(pool.cut_off); });
  watch.Counter("koya_catalog_connections_total", "Connections to the database that were opened.",
                [](const PoolLoad& pool) { return static_cast<double>(pool.connections); });
  watch.Refused("full", [](const PoolLoad& pool) { return static_cast<double>(pool.full); });
  watch.Refused("timeout", [](const PoolLoad& pool) { return static_cast<double>(pool.late); });
  watch.Refused("circuit_open",
                [](const PoolLoad& pool) { return static_cast<double>(pool.not_tried); });
}

void AddGarbageMetrics(Metrics& metrics, const service::GarbageTotals& garbage) {
  auto watch = [&metrics](const std::string& name, const std::string& help,
                          const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter(name, help, [&counter] { return static_cast<double>(counter.load()); });
  };
  watch("koya_gc_examined_total", "Blobs that were checked for references.", garbage.examined);
  watch("koya_gc_marked_total",
        "Unreferenced blobs: removed from the folder, or marked for removal from the bucket.",
        garbage.marked);
  watch("koya_gc_marked_bytes_total", "Bytes of those.", garbage.marked_bytes);
  watch("koya_gc_drafts_total", "Expired drafts that were removed.", garbage.drafts);
}

}  // namespace

void AddPoolMetrics(Metrics& metrics, const CatalogLoad& load) {
  const std::vector<PoolLoad> pools = load.Pools();
  for (std::size_t place = 0; place < pools.size(); ++place) {
    WatchPool({metrics, load, place, std::string(pools[place].name)});
  }
}

void AddCatalogMetrics(Metrics& metrics, const CatalogMetricsSources& sources) {
  AddPoolMetrics(metrics, sources.load);
  AddGarbageMetrics(metrics, sources.garbage);
  metrics.WatchGauge("koya_change_feed_age_seconds",
                     "Time since the catalog last reported its changes.",
                     [&changes = sources.changes] {
                       auto age = std::chrono::steady_clock::now() - changes.ConfirmedAt();
                       return std::chrono::duration<double>(age).count();
                     });
  metrics.WatchGauge("koya_leases_held",
                     "Jobs that this server does for all servers on the catalog.",
                     [&leases = sources.leases] { return static_cast<double>(leases.held()); });
  metrics.WatchCounter("koya_leases_lost_total",
                       "Leases that expired, or went to another server, while they were held.",
                       [&leases = sources.leases] { return static_cast<double>(leases.lost()); });
  metrics.WatchGauge(
      "koya_clock_ahead_seconds", "How far this machine's clock is ahead of the database's.",
      [&clock = sources.clock] { return std::chrono::duration<double>(clock.ahead()).count(); });
}

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
