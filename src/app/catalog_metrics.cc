#include "app/catalog_metrics.h"

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
class LaneWatch {
 public:
  using Read = double (*)(const LaneLoad&);

  LaneWatch(Metrics& metrics, const CatalogLoad& load, std::size_t place, std::string lane)
      : metrics_(metrics), load_(load), place_(place), lane_(std::move(lane)) {}

  void Gauge(const std::string& name, const std::string& help, Read read) {
    metrics_.WatchGauge(name, help, At(read), {{"lane", lane_}});
  }
  void Counter(const std::string& name, const std::string& help, Read read) {
    metrics_.WatchCounter(name, help, At(read), {{"lane", lane_}});
  }
  void Refused(std::string why, Read read) {
    metrics_.WatchCounter("koya_catalog_refused_total",
                          "Questions and changes that were not even begun (503), by why.", At(read),
                          {{"lane", lane_}, {"reason", std::move(why)}});
  }

 private:
  std::function<double()> At(Read read) const {
    return [&load = load_, place = place_, read] { return read(load.Lanes()[place]); };
  }

  Metrics& metrics_;
  const CatalogLoad& load_;
  const std::size_t place_;
  const std::string lane_;
};

void WatchLane(LaneWatch watch) {
  watch.Gauge("koya_catalog_running", "Threads of the catalog that are at work.",
              [](const LaneLoad& lane) { return static_cast<double>(lane.running); });
  watch.Gauge("koya_catalog_queued", "Questions and changes that wait for a thread.",
              [](const LaneLoad& lane) { return static_cast<double>(lane.queued); });
  watch.Gauge("koya_catalog_closed",
              "1 while the database does not answer: one question a second is tried.",
              [](const LaneLoad& lane) { return lane.closed ? 1.0 : 0.0; });
  watch.Counter("koya_catalog_begun_total", "Questions and changes that were begun.",
                [](const LaneLoad& lane) { return static_cast<double>(lane.begun); });
  watch.Counter(
      "koya_catalog_waited_seconds_total", "How long those waited for a thread, in all.",
      [](const LaneLoad& lane) { return std::chrono::duration<double>(lane.waited).count(); });
  watch.Counter("koya_catalog_cut_off_total",
                "Questions and changes that were ended because the database took too long.",
                [](const LaneLoad& lane) { return static_cast<double>(lane.cut_off); });
  watch.Counter("koya_catalog_connections_total", "Connections to the database that were opened.",
                [](const LaneLoad& lane) { return static_cast<double>(lane.connections); });
  watch.Refused("full", [](const LaneLoad& lane) { return static_cast<double>(lane.full); });
  watch.Refused("late", [](const LaneLoad& lane) { return static_cast<double>(lane.late); });
  watch.Refused("closed", [](const LaneLoad& lane) { return static_cast<double>(lane.not_tried); });
}

void AddGarbageMetrics(Metrics& metrics, const service::GarbageTotals& garbage) {
  auto watch = [&metrics](const std::string& name, const std::string& help,
                          const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter(name, help, [&counter] { return static_cast<double>(counter.load()); });
  };
  watch("koya_gc_examined_total", "Blobs that were looked at for whether anything needs them.",
        garbage.examined);
  watch("koya_gc_marked_total",
        "Blobs that nothing needed: removed from the folder, or marked to leave the bucket.",
        garbage.marked);
  watch("koya_gc_marked_bytes_total", "Bytes of those.", garbage.marked_bytes);
  watch("koya_gc_drafts_total", "Expired drafts that were removed.", garbage.drafts);
}

}  // namespace

void AddLaneMetrics(Metrics& metrics, const CatalogLoad& load) {
  const std::vector<LaneLoad> lanes = load.Lanes();
  for (std::size_t place = 0; place < lanes.size(); ++place) {
    WatchLane({metrics, load, place, std::string(lanes[place].name)});
  }
}

void AddCatalogMetrics(Metrics& metrics, const CatalogMetricsSources& sources) {
  AddLaneMetrics(metrics, sources.load);
  AddGarbageMetrics(metrics, sources.garbage);
  metrics.WatchGauge("koya_change_feed_age_seconds",
                     "How long ago the catalog last told of its changes.",
                     [&changes = sources.changes] {
                       auto age = std::chrono::steady_clock::now() - changes.ConfirmedAt();
                       return std::chrono::duration<double>(age).count();
                     });
  metrics.WatchGauge("koya_leases_held", "What this server does for all servers on the catalog.",
                     [&leases = sources.leases] { return static_cast<double>(leases.held()); });
  metrics.WatchCounter("koya_leases_lost_total",
                       "Leases that ran out, or went to another server, while they were held.",
                       [&leases = sources.leases] { return static_cast<double>(leases.lost()); });
  metrics.WatchGauge(
      "koya_clock_ahead_seconds", "How far this machine's clock is ahead of the database's.",
      [&clock = sources.clock] { return std::chrono::duration<double>(clock.ahead()).count(); });
}

}  // namespace koya
