// What runs beside the requests, on the main thread: signals, changes made elsewhere, notes of
// what was used, fetched, sent and denied, the audit log, garbage, the mirror's bound, files that
// nobody uses any more, what nobody has read, what was published and the search index lacks, the
// first administrator's token, sessions and codes that have expired.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "app/bucket.h"
#include "app/set_up.h"
#include "blobs/blob_store.h"
#include "blobs/fs/open_files.h"
#include "catalog/catalog.h"
#include "obs/log.h"
#include "service/audit_upkeep.h"
#include "service/change_feed.h"
#include "service/collect_garbage.h"
#include "service/database_clock.h"
#include "service/denied_attempts.h"
#include "service/index_queue.h"
#include "service/job_runs.h"
#include "service/leases.h"
#include "service/mirror/bound.h"
#include "service/mirror/mirror_counter.h"
#include "service/readings.h"
#include "service/reindex.h"
#include "service/replicas.h"
#include "service/request_limits.h"
#include "service/usage_counter.h"
#include "service/usage_upkeep.h"
#include "service/use_notes.h"

namespace koya {

struct BackgroundWork {
  service::DatabaseClock& clock;
  Catalog& catalog;
  BlobStore& blobs;
  Bucket* bucket = nullptr;  // the one that `blobs` is, if it is one
  StorageMarker marker;      // of this catalog, in the bucket
  OpenFiles& open_files;
  WorkerPool& workers;  // for what blocks
  service::ChangeFeed& changes;
  service::UseNotes& uses;
  service::DeniedAttempts& denied;
  service::Leases& leases;
  service::Replica& replica;
  service::RequestLimits& limits;
  service::UsageCounter& usage;
  service::MirrorCounter& mirror_counter;
  service::Readings& readings;
  service::Reindexing& reindexing;
  service::IndexQueue& index_queue;
  service::JobRuns& jobs;  // what it did last, for people
  Logger& log;
  SetUp* set_up = nullptr;  // of a server whose first administrator is made with a token
  service::GarbageTotals& garbage;
  std::chrono::seconds garbage_grace;
  std::chrono::seconds garbage_every;
  service::AuditUpkeep::Retention audit_retention;
  service::UsageRetention usage_retention;
  std::chrono::seconds offline_grace;
  service::MirrorBound mirror_bound;
};

struct BackgroundEvents {
  std::function<void()> on_ready;             // signals are caught from here on
  std::function<void(int signal)> on_signal;  // SIGTERM or SIGINT came
  // The time to stop has come: `drain_delay` after the signal, or with the next one.
  std::function<void()> on_stop;
  std::chrono::seconds drain_delay{0};
};

// Runs until SIGTERM or SIGINT and the delay after it, and returns when all of the work has ended,
// about a second later at most. The events are told on this thread. Blocks.
void RunBackground(BackgroundWork work, const BackgroundEvents& events);

}  // namespace koya
