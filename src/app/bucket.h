// The bucket of blobs.url, with a cache on this machine in front of it: creates blobs/s3 from the
// settings, checks which catalog owns the bucket, and does the periodic work.
//
// Threads: one, except for the store itself, Stop(), and the reads of metrics and readiness.
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
#include "service/common/job_runs.h"

namespace koya {

class S3Client;

// All of them must outlive the bucket.
struct BucketParts {
  BlobLedger& ledger;
  FsBlobParts disk;  // for the cache
  Logger& log;
};

// The marker by which a bucket names the catalog that owns it.
StorageMarker MarkerOf(const Settings& settings, std::string catalog);

// A client of the bucket `url` with the access of blobs.s3.*; sends nothing. Fails: kInvalid,
// naming the setting.
Result<std::unique_ptr<S3Client>> OpenBucketClient(const Settings& settings, std::string url);

class Bucket {
 public:
  // Opens the cache; sends nothing to the store. Blocks. Fails: kInvalid, naming the setting;
  // kStorageFull, kInternal: the cache's folder.
  static Result<std::unique_ptr<Bucket>> Open(const Settings& settings, BucketParts parts);
  ~Bucket();  // stops
  Bucket(const Bucket&) = delete;
  Bucket& operator=(const Bucket&) = delete;

  BlobStore& store();
  // "s3://BUCKET/PREFIX".
  std::string where() const;

  // Checks that the store can be used with these settings and belongs to this catalog; claims a
  // store that belongs to none. Nothing is removed from the store before this has succeeded once.
  // Fails: kInvalid: a setting (named, with the fix); kRefused: the store belongs to another
  // catalog; kUnavailable: it cannot be reached.
  Task<void> Check(StorageMarker ours);
  // Check() for a running server: sets WhyNotReady() and logs when the result changes.
  Awaitable<void> CheckAgain(StorageMarker ours);
  // Makes the store belong to this catalog, whatever catalog owned it before.
  Task<void> Adopt(StorageMarker ours);
  // Why requests should not be sent to this server: nothing can be stored. "": they should. As
  // while the catalog is down, a balancer that prefers stored contents to none asks with
  // ?degraded=1.
  std::string WhyNotReady() const;

  // Names of the jobs whose last run is recorded.
  static constexpr const char* kSweepJob = "store-sweep";
  static constexpr const char* kScrubJob = "cache-scrub";
  // Removes objects that the ledger released long ago, until `stopping`.
  Awaitable<void> Sweep(service::JobRuns& jobs, const std::atomic<bool>& stopping);
  // Verifies the cache slowly and repeatedly, until Stop(). Records each complete pass in `jobs`.
  Awaitable<void> Scrub(WorkerPool& workers, service::JobRuns& jobs);
  // Call once a minute. Blocks.
  void TidyCache();

  // `metrics` must not be read once this is destroyed.
  void AddMetrics(Metrics& metrics);
  // For a server without a bucket: those of its metrics, at 0, that deploy/monitoring names.
  static void AddUnusedMetrics(Metrics& metrics);
  // Ends running work and sends nothing more to the store: readers of incomplete downloads are cut
  // off, uploads fail. Waits only for this machine and the catalog. Any thread; may be called
  // repeatedly.
  void Stop();

 private:
  struct Impl;
  explicit Bucket(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
