// The stores behind a server. The only place that names concrete backends.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/settings.h"
#include "base/offload.h"
#include "base/task.h"
#include "blobs/blob_store.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/fs/open_files.h"
#include "blobs/s3/storage_marker.h"
#include "catalog/blob_ledger.h"
#include "catalog/catalog.h"
#include "catalog/sql/open_catalog.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "service/common/job_runs.h"

namespace koya {

// The bucket of blobs.url, with a cache on this machine in front of it: creates blobs/s3 from the
// settings, checks which catalog owns the bucket, and does the periodic work.
//
// Threads: one, except for the store itself, Stop(), and the reads of metrics and readiness.

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

// Members are ordered so that each is destroyed after its users.
struct Stores {
  std::unique_ptr<WorkerPool> blob_readers;
  std::unique_ptr<WorkerPool> blob_writers;
  std::unique_ptr<OpenFiles> open_files;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<Bucket> bucket;        // with blobs.url = s3://…
  std::unique_ptr<BlobStore> folder;     // otherwise
  BlobStore* blobs = nullptr;            // `bucket`'s or `folder`
  std::filesystem::path scratch_folder;  // on the blobs' disk
};

// Options for the catalog that the settings name.
CatalogOptions CatalogOptionsOf(const Settings& settings);

// Opens the stores that the settings name, and creates missing ones. Blocks. `on_migrated`: see
// CatalogOptions.
//   <data>/koya.db    the catalog, unless catalog.url names another
//   <data>/blobs/     archives, unless blobs.url names a bucket
//   <data>/cache/     the bucket's cache on this machine, unless cache.folder names another
//   <data>/scratch/   modules of other registries while they are fetched
// Fails: kInvalid, kUnavailable (a second server holds the folder), kCorrupt, kStorageFull; the
// message names the file or the database, and a remedy. `log` must outlive the stores.
Result<Stores> OpenStores(const Settings& settings, Logger& log,
                          std::function<void(const SchemaReport&)> on_migrated = {});

}  // namespace koya
