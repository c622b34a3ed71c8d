// What runs beside the requests, on the main thread: signals, changes made elsewhere, notes of
// what was used, garbage, the mirror's bound, files that nobody uses any more.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "blobs/blob_store.h"
#include "blobs/fs/open_files.h"
#include "catalog/catalog.h"
#include "obs/log.h"
#include "service/change_feed.h"
#include "service/leases.h"
#include "service/mirror/bound.h"
#include "service/use_notes.h"

namespace koya {

struct BackgroundWork {
  Catalog& catalog;
  BlobStore& blobs;
  OpenFiles& open_files;
  WorkerPool& workers;  // for what blocks
  service::ChangeFeed& changes;
  service::UseNotes& uses;
  service::Leases& leases;
  Logger& log;
  std::chrono::seconds garbage_grace;
  service::MirrorBound mirror_bound;
};

struct BackgroundEvents {
  std::function<void()> on_ready;           // signals are caught from here on
  std::function<void(int signal)> on_stop;  // SIGTERM or SIGINT came
};

// Runs until SIGTERM or SIGINT, and returns when all of the work has ended, about a second later
// at most. The events are told on this thread. Blocks.
void RunBackground(BackgroundWork work, const BackgroundEvents& events);

}  // namespace koya
