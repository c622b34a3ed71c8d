// The bucket of blobs.url, with this machine's cache in front of it: what the settings make of
// blobs/s3, whose it is, and what has to be done regularly.
//
// Threads: one, but for the store itself, Stop() and what metrics and readiness read.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/settings.h"
#include "base/offload.h"
#include "base/task.h"
#include "blobs/blob_store.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/s3/storage_marker.h"
#include "catalog/blob_ledger.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/job_runs.h"

namespace koya {

// All of it outlives the bucket.
struct BucketParts {
  BlobLedger& ledger;
  FsBlobParts disk;  // of the cache
  Logger& log;
};

// What a bucket says of the catalog whose it is.
StorageMarker MarkerOf(const Settings& settings, std::string catalog);

class Bucket {
 public:
  // Opens the cache. Nothing is sent to the store. Blocks. Fails: kInvalid, naming the setting;
  // kStorageFull, kInternal: the cache's folder.
  static Result<std::unique_ptr<Bucket>> Open(const Settings& settings, BucketParts parts);
  ~Bucket();  // stops
  Bucket(const Bucket&) = delete;
  Bucket& operator=(const Bucket&) = delete;

  BlobStore& store();
  // "s3://BUCKET/PREFIX".
  std::string where() const;

  // Whether the store can be used with these settings, and is this catalog's; one that is nobody's
  // becomes so. Nothing is removed from it before this succeeded once. Fails: kInvalid: a setting
  // (named, with the mend); kRefused: it is another catalog's; kUnavailable: it cannot be reached.
  Task<void> Check(StorageMarker ours);
  // The same, at a server that goes on: noted for WhyNotReady, and in the log when it changes.
  Awaitable<void> Look(StorageMarker ours);
  // Makes the store this catalog's, whosever it was.
  Task<void> Adopt(StorageMarker ours);
  // Why requests should not be sent here: nothing can be stored; "": they should. As of a catalog
  // that is away, a balancer that would rather have what is held asks with ?degraded=1.
  std::string WhyNotReady() const;

  // How the jobs are called that note what they did last.
  static constexpr const char* kSweepJob = "store-sweep";
  static constexpr const char* kScrubJob = "cache-scrub";
  // Removes what the ledger has let go of long ago, until `stopping`.
  Awaitable<void> Sweep(service::JobRuns& jobs, const std::atomic<bool>& stopping);
  // Reads the cache again, slowly, until Stop(). `jobs` is told of each time that all was read.
  Awaitable<void> Scrub(WorkerPool& workers, service::JobRuns& jobs);
  // To be called each minute. Blocks.
  void TidyCache();

  // `metrics` are not read any more once this goes.
  void AddMetrics(Metrics& metrics);
  // Ends what is under way, and nothing more is asked of the store: readers of what is arriving are
  // cut off, uploads fail. Waits for nobody but this machine and the catalog. Any thread, again and
  // again.
  void Stop();

 private:
  struct Impl;
  explicit Bucket(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
