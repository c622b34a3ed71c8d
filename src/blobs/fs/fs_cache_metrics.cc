#include "blobs/fs/fs_cache_metrics.h"

namespace koya {

void AddCacheMetrics(const FsCache& cache, Metrics& metrics) {
  auto read = [&cache](std::uint64_t FsCacheCounters::* member) {
    return [&cache, member] { return static_cast<double>(cache.counters().*member); };
  };
  using Counters = FsCacheCounters;
  metrics.WatchGauge(
      "koya_cache_bytes",
      "Disk space that the cache takes: stored, being written, or deleted and still open.",
      read(&Counters::bytes));
  metrics.WatchGauge("koya_cache_limit_bytes", "Limit of that space (cache.archives_bytes).",
                     read(&Counters::bound));
  metrics.WatchGauge("koya_cache_entries", "Archives in the cache.", read(&Counters::entries));
  metrics.WatchCounter("koya_cache_hits_total", "Archives that were opened in the cache.",
                       read(&Counters::hits));
  metrics.WatchCounter("koya_cache_misses_total", "Archives that were not in the cache.",
                       read(&Counters::misses));
  metrics.WatchCounter("koya_cache_evictions_total", "Archives that were evicted to make room.",
                       read(&Counters::evictions));
  metrics.WatchCounter("koya_cache_skipped_total",
                       "Archives that were not cached: too large, or the disk was full.",
                       read(&Counters::unkept));
  metrics.WatchCounter("koya_cache_scrubbed_bytes_total",
                       "Bytes that were read again, to be verified with their digests.",
                       read(&Counters::scrubbed_bytes));
  metrics.WatchCounter("koya_cache_corrupt_entries_total", "Archives that were found damaged.",
                       read(&Counters::bad_entries));
}

}  // namespace koya
