// Metrics of the disk cache: koya_cache_*, by the names of FsCacheCounters.
#pragma once

#include "blobs/fs/fs_cache.h"
#include "obs/metrics.h"

namespace koya {

// `cache` must outlive all scrapes.
void AddCacheMetrics(const FsCache& cache, Metrics& metrics);

}  // namespace koya
