#include "app/stores.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "app/process_limits.h"
#include "blobs/fs/cache_scrub.h"
#include "blobs/fs/fs_blob_store.h"
#include "blobs/fs/fs_cache.h"
#include "blobs/s3/s3_blob_store.h"
#include "blobs/s3/s3_client.h"
#include "blobs/s3/storage_sweep.h"

namespace koya {
namespace {

std::string CaFileOf(const Settings& settings) {
  if (!settings.s3.ca_file.empty()) return settings.s3.ca_file.string();
  // libcurl does not read it by itself, and clients do.
  const char* everywhere = std::getenv("SSL_CERT_FILE");
  return everywhere != nullptr ? everywhere : "";
}

S3Options ClientOptionsOf(const Settings& settings, std::string bucket) {
  const S3Settings& s3 = settings.s3;
  return {.address = {.url = std::move(bucket),
                      .endpoint = s3.endpoint,
                      .region = s3.region,
                      .path_style = s3.path_style},
          .access_key_file = s3.access_key_file.string(),
          .ca_file = CaFileOf(settings),
          .sse = s3.sse,
          .sse_kms_key = s3.sse_kms_key,
          .part_bytes = s3.part_bytes,
          .parallel_parts = static_cast<unsigned>(s3.parallel_parts),
          .connect_timeout = s3.connect_timeout,
          .first_byte_timeout = s3.first_byte_timeout,
          .stall_timeout = s3.stall_timeout,
          .complete_timeout = s3.complete_timeout,
          .public_endpoint = s3.public_endpoint,
          .user_agent = "koya/" KOYA_VERSION};
}

RedirectOptions RedirectsOf(const S3Settings& settings) {
  using When = RedirectOptions::When;
  When when = When::kOff;
  if (settings.redirect == RedirectMode::kMisses) when = When::kMisses;
  if (settings.redirect == RedirectMode::kAll) when = When::kAll;
  return {.when = when, .min = settings.redirect_min, .ttl = settings.redirect_ttl};
}

std::string CacheFolderOf(const Settings& settings) {
  const std::filesystem::path& named = settings.cache.folder;
  return (named.empty() ? settings.server.data / "cache" : named).string();
}

}  // namespace

StorageMarker MarkerOf(const Settings& settings, std::string catalog) {
  const std::string& url = settings.server.url;
  return {.catalog = std::move(catalog), .url = url.empty() ? "no-server.url" : url};
}

Result<std::unique_ptr<S3Client>> OpenBucketClient(const Settings& settings, std::string url) {
  return S3Client::Make(ClientOptionsOf(settings, std::move(url)));
}

struct Bucket::Impl {
  Impl(const Settings& settings, BucketParts with, std::unique_ptr<S3Client> its_client,
       std::unique_ptr<FsCache> its_cache)
      : parts(with),
        times{settings.blobs.gc_grace, settings.blobs.trash_for},
        client(std::move(its_client)),
        cache(std::move(its_cache)),
        scrub(*cache, settings.cache.scrub),
        store({*client, parts.ledger, *cache, parts.log}, {.redirect = RedirectsOf(settings.s3)}),
        sweep(*client, parts.ledger, parts.log) {}

  // What a look at the store said, and whether that is news.
  bool Note(std::string why) {
    std::lock_guard lock(mutex);
    bool news = why != not_ready;
    not_ready = std::move(why);
    return news;
  }

  const BucketParts parts;
  const SweepTimes times;
  // In the order in which they need each other.
  const std::unique_ptr<S3Client> client;
  const std::unique_ptr<FsCache> cache;
  CacheScrub scrub;
  S3BlobStore store;
  StorageSweep sweep;
  std::stop_source stop;
  std::atomic<bool> ours = false;  // the marker says so
  mutable std::mutex mutex;        // of what follows
  std::string not_ready = "the object store has not responded yet";
};

Result<std::unique_ptr<Bucket>> Bucket::Open(const Settings& settings, BucketParts parts) {
  ASSIGN_OR_RETURN(std::unique_ptr<S3Client> client,
                   OpenBucketClient(settings, settings.blobs.url));
  FsCacheOptions options{.bound = settings.cache.archives_bytes};
  options.on_trouble = [&log = parts.log](std::string_view what, const Error& error) {
    log.Failure(what, error);
  };
  ASSIGN_OR_RETURN(std::unique_ptr<FsCache> cache,
                   FsCache::Open(CacheFolderOf(settings), parts.disk, std::move(options)));
  auto impl = std::make_unique<Impl>(settings, parts, std::move(client), std::move(cache));
  return std::unique_ptr<Bucket>(new Bucket(std::move(impl)));
}

Bucket::Bucket(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Bucket::~Bucket() { Stop(); }

BlobStore& Bucket::store() { return impl_->store; }
std::string Bucket::where() const { return impl_->client->where(); }

Task<void> Bucket::Check(StorageMarker ours) {
  const RetryTimeout patience = impl_->ours ? RetryTimeout::kLook : RetryTimeout::kClient;
  CO_RETURN_IF_ERROR(co_await impl_->client->Check(std::string(kMarkerName), patience));
  CO_RETURN_IF_ERROR(co_await CheckMarker(*impl_->client, ours));
  // The marker is this catalog's: writing it again shows whether the store takes writes by now.
  if (impl_->client->write_trouble()) {
    Status written = co_await AdoptStorage(*impl_->client, std::move(ours));
    std::optional<Error> trouble = impl_->client->write_trouble();
    if (!written && trouble) co_return Failure(*std::move(trouble));
    CO_RETURN_IF_ERROR(std::move(written));
  }
  impl_->ours = true;
  impl_->Note("");
  co_return Status();
}

Awaitable<void> Bucket::CheckAgain(StorageMarker ours) {
  const bool was_ready = WhyNotReady().empty();
  Status checked = co_await Check(std::move(ours));
  if (checked) {
    if (!was_ready) impl_->parts.log.Info("the object store can be used", {{"store", where()}});
    co_return;
  }
  const Error& error = checked.error();
  std::string why = error.message;
  if (!impl_->ours && error.kind == ErrorKind::kUnavailable) {
    why = "the object store has not responded yet";
  }
  if (impl_->Note(why) && !why.empty()) {
    impl_->parts.log.Failure("the object store cannot be used", error, {{"store", where()}});
  }
}

Task<void> Bucket::Adopt(StorageMarker ours) {
  CO_RETURN_IF_ERROR(co_await impl_->client->Check(std::string(kMarkerName)));
  co_return co_await AdoptStorage(*impl_->client, std::move(ours));
}

std::string Bucket::WhyNotReady() const {
  {
    std::lock_guard lock(impl_->mutex);
    if (!impl_->not_ready.empty()) return impl_->not_ready;
  }
  // What a publish has met needs no look.
  const std::optional<Error> trouble = impl_->client->write_trouble();
  return trouble ? trouble->message : "";
}

Awaitable<void> Bucket::Sweep(service::JobRuns& jobs, const std::atomic<bool>& stopping) {
  // A copy of a database names the objects of the original.
  if (!impl_->ours || stopping) co_return;
  const service::RunTimer timer;
  Result<SweepReport> report = co_await impl_->sweep.Run(impl_->times, impl_->stop.get_token());
  if (report) {
    jobs.NoteDone(kSweepJob,
                  fmt::format("removed {} objects ({} bytes), aborted {} abandoned uploads; {} "
                              "objects could not be removed",
                              report->removed, report->bytes, report->given_up, report->failed),
                  {.took = timer.Took(), .waiting = report->failed});
  } else {
    jobs.NoteFailed(kSweepJob, report.error(), {.took = timer.Took()});
  }
  if (!report) {
    impl_->parts.log.Failure("the object store could not be swept; retrying", report.error());
  } else if (report->removed + report->given_up + report->failed > 0) {
    impl_->parts.log.Info("the object store was swept", {{"given_up", report->given_up},
                                                         {"removed", report->removed},
                                                         {"removed_bytes", report->bytes},
                                                         {"failed", report->failed}});
  }
}

Awaitable<void> Bucket::Scrub(WorkerPool& workers, service::JobRuns& jobs) {
  impl_->scrub.OnRound([&jobs](const ScrubRound& round) {
    jobs.NoteDone(kScrubJob,
                  fmt::format("verified {} archives again ({} bytes); dropped {} damaged ones",
                              round.entries, round.bytes, round.bad),
                  {.took = round.took});
  });
  co_await impl_->scrub.Run(workers);
}
void Bucket::TidyCache() { impl_->cache->Tidy(); }

// ---- metrics

namespace {

void WatchAttempts(Metrics& metrics, const s3::StoreMetrics& seen) {
  for (std::size_t i = 0; i < s3::kOperations; ++i) {
    for (std::size_t j = 0; j < s3::kFailureClasses; ++j) {
      auto operation = static_cast<s3::Operation>(i);
      auto trouble = static_cast<s3::FailureClass>(j);
      metrics.WatchCounter(
          "koya_store_requests_total",
          "Requests to the object store, by outcome. Each retry counts.",
          [&seen, operation, trouble] {
            return static_cast<double>(seen.Count(operation, trouble));
          },
          {{"operation", std::string(NameOf(operation))}, {"class", std::string(NameOf(trouble))}});
    }
  }
}

void WatchClient(Metrics& metrics, const S3Client& client) {
  const s3::StoreMetrics& seen = client.observations();
  WatchAttempts(metrics, seen);
  metrics.WatchCounter("koya_store_retries_total",
                       "Requests to the object store that were retried.",
                       [&seen] { return static_cast<double>(seen.retries.load()); });
  constexpr const char* kBytesHelp = "Bytes to and from the object store.";
  metrics.WatchCounter("koya_store_bytes_total", kBytesHelp,
                       [&seen] { return static_cast<double>(seen.bytes_sent.load()); },
                       {{"direction", "sent"}});
  metrics.WatchCounter("koya_store_bytes_total", kBytesHelp,
                       [&seen] { return static_cast<double>(seen.bytes_received.load()); },
                       {{"direction", "received"}});
  metrics.WatchGauge("koya_store_circuit_open",
                     "1 while the object store has failed too often and gets no requests.",
                     [&seen] { return seen.circuit_open ? 1.0 : 0.0; });
  metrics.WatchGauge("koya_store_retry_budget", "Requests that can be retried at once.",
                     [&client] { return client.retry_budget(); });
  metrics.WatchGauge("koya_store_clock_offset_seconds",
                     "How far the object store's clock is ahead of this machine's.",
                     [&seen] { return static_cast<double>(seen.clock_offset.load()); });
}

template <class Counts, class Source>
void WatchCount(Metrics& metrics, const std::string& name, const std::string& help,
                const Source& source, Counts (Source::*counts)() const,
                std::uint64_t Counts::* member) {
  metrics.WatchCounter(name, help, [&source, counts, member] {
    return static_cast<double>((source.*counts)().*member);
  });
}

void WatchStore(Metrics& metrics, const S3BlobStore& store) {
  auto count = [&](const std::string& name, const std::string& help,
                   std::uint64_t S3BlobCounts::* member) {
    WatchCount(metrics, name, help, store, &S3BlobStore::counts, member);
  };
  count("koya_blob_fetches_total", "Blobs that were fetched from the object store.",
        &S3BlobCounts::fills);
  count("koya_blob_fetch_failures_total", "Blobs that could not be fetched.",
        &S3BlobCounts::fill_failures);
  count("koya_blobs_lost_total", "Blobs that the object store has lost or altered.",
        &S3BlobCounts::lost);
  count("koya_blob_uploads_total", "Blobs that were sent to the object store.",
        &S3BlobCounts::uploads);
  count("koya_blob_redirects_total", "Requests that were redirected to the object store.",
        &S3BlobCounts::redirects);
  metrics.WatchGauge("koya_blob_fetches_in_progress", "Blobs that are being fetched, or could be.",
                     [&store] { return static_cast<double>(store.arriving()); });
}

// With what the mirror counts: where the bytes of archives come from.
void WatchSources(Metrics& metrics, const S3BlobStore& store) {
  auto watch = [&](const char* source, std::uint64_t S3BlobCounts::* member) {
    metrics.WatchCounter("koya_archive_source_bytes_total", "Bytes of archives, by source.",
                         [&store, member] { return static_cast<double>(store.counts().*member); },
                         {{"source", source}});
  };
  watch("store", &S3BlobCounts::store_bytes);
  watch("cache", &S3BlobCounts::cache_bytes);
  watch("redirect", &S3BlobCounts::redirect_bytes);
}

void WatchSweep(Metrics& metrics, const SweepTotals& totals) {
  auto watch = [&](const std::string& name, const std::string& help,
                   const std::atomic<std::uint64_t>& counter) {
    metrics.WatchCounter(name, help, [&counter] { return static_cast<double>(counter.load()); });
  };
  watch("koya_gc_removed_total", "Objects that were removed from the bucket.", totals.removed);
  watch("koya_gc_removed_bytes_total", "Bytes of those.", totals.bytes);
  watch("koya_gc_remove_failures_total",
        "Objects that could not be removed from the bucket; this is retried.", totals.failed);
  watch("koya_gc_aborted_uploads_total", "Abandoned uploads to the bucket that were aborted.",
        totals.given_up);
}

}  // namespace

void Bucket::AddUnusedMetrics(Metrics& metrics) {
  metrics.Counter("koya_store_requests_total",
                  "Requests to the object store, by outcome. Each retry counts.",
                  {{"operation", std::string(NameOf(s3::Operation{}))},
                   {"class", std::string(NameOf(s3::FailureClass::kNone))}});
  metrics.Gauge("koya_store_circuit_open",
                "1 while the object store has failed too often and gets no requests.");
  metrics.Gauge("koya_store_retry_budget", "Requests that can be retried at once.");
  metrics.Counter("koya_blobs_lost_total", "Blobs that the object store has lost or altered.");
  metrics.Counter("koya_cache_hits_total", "Archives that were opened in the cache.");
  metrics.Counter("koya_cache_misses_total", "Archives that were not in the cache.");
  metrics.Counter("koya_cache_corrupt_entries_total", "Archives that were found damaged.");
}

void Bucket::AddMetrics(Metrics& metrics) {
  WatchClient(metrics, *impl_->client);
  WatchStore(metrics, impl_->store);
  WatchSources(metrics, impl_->store);
  WatchSweep(metrics, impl_->sweep.totals());
  AddCacheMetrics(*impl_->cache, metrics);
}

void Bucket::Stop() {
  impl_->stop.request_stop();
  impl_->scrub.Stop();
  // First: what arrives may be waiting for an answer of the store.
  impl_->client->Stop();
  impl_->store.Stop();
}

namespace {

Status MakeFolder(const std::filesystem::path& folder) {
  std::error_code error;
  bool made = std::filesystem::create_directories(folder, error);
  if (error) {
    return Fail(
        error == std::errc::no_space_on_device ? ErrorKind::kStorageFull : ErrorKind::kInvalid,
        fmt::format("the data folder {} cannot be created ({}): name another with --data, or let "
                    "this user write there",
                    folder.string(), error.message()));
  }
  // Only the owner may read the contents (tokens' hashes, unpublished bytes).
  if (made) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  return {};
}

std::string CatalogUrl(const Settings& settings) {
  if (!settings.catalog.url.empty()) return settings.catalog.url;
  return "sqlite:" + (settings.server.data / "koya.db").string();
}

}  // namespace

CatalogOptions CatalogOptionsOf(const Settings& settings) {
  return {.url = CatalogUrl(settings),
          .readers = settings.catalog.readers,
          .writers = settings.catalog.writers,
          .read_timeout = settings.catalog.read_timeout,
          .write_timeout = settings.catalog.write_timeout,
          .blob_ledger = !settings.blobs.url.empty(),
          .migrate = settings.catalog.wait_for_migration ? CatalogOptions::Migrate::kWait
                                                         : CatalogOptions::Migrate::kAuto};
}

Result<Stores> OpenStores(const Settings& settings, Logger& log,
                          std::function<void(const SchemaReport&)> on_migrated) {
  const std::filesystem::path& data = settings.server.data;
  Stores stores;
  stores.scratch_folder = data / "scratch";
  RETURN_IF_ERROR(MakeFolder(data));
  RETURN_IF_ERROR(MakeFolder(stores.scratch_folder));
  // The catalog first: it holds the lock that keeps a second server out of the folder.
  CatalogOptions catalog = CatalogOptionsOf(settings);
  catalog.on_migrated = std::move(on_migrated);
  ASSIGN_OR_RETURN(stores.catalog, OpenCatalog(std::move(catalog)));
  // Readers have threads of their own: uploads that wait for the disk are no matter of theirs.
  stores.blob_readers = std::make_unique<WorkerPool>(settings.workers.threads);
  stores.blob_writers = std::make_unique<WorkerPool>(settings.workers.threads);
  stores.open_files = std::make_unique<OpenFiles>(DescriptorBudget::Of(DescriptorLimit()).files);
  FsBlobParts parts{*stores.blob_readers, *stores.blob_writers, *stores.open_files};
  if (settings.blobs.url.empty()) {
    ASSIGN_OR_RETURN(stores.folder, FsBlobStore::Open((data / "blobs").string(), parts));
    stores.blobs = stores.folder.get();
  } else {
    ASSIGN_OR_RETURN(stores.bucket, Bucket::Open(settings, {*stores.catalog, parts, log}));
    stores.blobs = &stores.bucket->store();
  }
  return stores;
}

}  // namespace koya
