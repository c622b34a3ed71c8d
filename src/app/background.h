// Runs background work beside the requests, on the main thread: signals, changes made by other
// servers, records of uses, fetches, bytes sent and denied requests, the audit log, garbage
// collection, the mirror's size limit, a watch over packages that the policy may hold, signers of
// old releases, backups, removal of unused files, analysis of modules that were not analyzed,
// indexing of published versions that the search index lacks, the first administrator's token,
// expired sessions and codes, mail about notifications.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "app/set_up.h"
#include "app/stores.h"
#include "blobs/blob_store.h"
#include "blobs/fs/open_files.h"
#include "catalog/catalog.h"
#include "obs/log.h"
#include "service/access/request_limits.h"
#include "service/audit/audit.h"
#include "service/audit/denied_attempts.h"
#include "service/common/change_feed.h"
#include "service/common/database_clock.h"
#include "service/common/freeze.h"
#include "service/common/job_runs.h"
#include "service/common/last_used_tracker.h"
#include "service/common/leases.h"
#include "service/mirror/mirror_counter.h"
#include "service/mirror/mirror_space.h"
#include "service/mirror/mirror_upkeep.h"
#include "service/modules/reading_upkeep.h"
#include "service/operate/backups.h"
#include "service/operate/collect_garbage.h"
#include "service/operate/mail_notices.h"
#include "service/operate/replicas.h"
#include "service/search/index_queue.h"
#include "service/search/reindex.h"
#include "service/usage/usage_counter.h"

namespace koya {

struct BackgroundWork {
  service::DatabaseClock& clock;
  Catalog& catalog;
  BlobStore& blobs;
  Bucket* bucket = nullptr;  // `blobs`, if that is a bucket
  StorageMarker marker;      // this catalog's marker in the bucket
  OpenFiles& open_files;
  WorkerPool& workers;  // for blocking work
  service::ChangeFeed& changes;
  service::LastUsedTracker& uses;
  service::DeniedAttempts& denied;
  service::Leases& leases;
  service::Replica& replica;
  service::RequestLimits& limits;
  service::UsageCounter& usage;
  service::MirrorCounter& mirror_counter;
  service::AnalysisProgress& readings;
  service::Reindexing& reindexing;
  service::IndexQueue& index_queue;
  service::Backups& backups;
  service::JobRuns& jobs;  // the last run of each job, for display
  Logger& log;
  SetUp* set_up = nullptr;  // set when the first administrator is created with a token
  service::GarbageTotals& garbage;
  std::chrono::seconds garbage_grace;
  std::chrono::seconds garbage_every;
  service::AuditUpkeep::Retention audit_retention;
  service::UsageRetention usage_retention;
  std::chrono::seconds offline_grace;
  service::CacheEviction mirror_bound;
  struct {
    service::MirrorWatch& watch;
    std::chrono::seconds every;  // 0: never
  } mirror_watch;
  service::SignerBackfill signers;
  service::Freeze& freeze;
  service::MailNotices* mail = nullptr;  // null: no mail is sent
};

struct BackgroundEvents {
  std::function<void()> on_ready;             // signals are caught from now on
  std::function<void(int signal)> on_signal;  // SIGTERM or SIGINT was received
  // Time to stop: `drain_delay` after the signal, or at the next signal.
  std::function<void()> on_stop;
  std::chrono::seconds drain_delay{0};
};

// Runs until SIGTERM or SIGINT and the delay after it. Returns when all work has ended, about a
// second later at most. The events are called on this thread. Blocks.
void RunBackground(BackgroundWork work, const BackgroundEvents& events);

}  // namespace koya
