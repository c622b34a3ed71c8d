// What everything about other registries works with.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/fair_pool.h"
#include "base/offload.h"
#include "blobs/blob_store.h"
#include "obs/log.h"
#include "service/mirror/fetch_lease.h"
#include "service/mirror/pull_policy.h"
#include "service/use_notes.h"

namespace koya {
class BlobReferences;
class MirrorCountCatalog;
class UpstreamCatalog;
}  // namespace koya

namespace koya::service {

class IndexQueue;
class MirrorCounter;

// The mirror's threads. Whoever blocks on a registry takes a place for the host that it waits for
// (base/fair_pool.h). Three pools, as archives take as long as they take: they must not keep
// documents waiting, nor modules packages.
struct MirrorPools {
  // For computing, and for reading archives that are here. First, so that it goes last: what the
  // pools below wait for at their end may still have something computed.
  WorkerPool workers{8};
  FairPool documents{128, 16};
  FairPool packages{32, 16};
  FairPool modules{32, 16};

  // Everything that waits for a registry ends, soon and as a failure. What is being kept is kept.
  void Stop() {
    documents.Stop();
    packages.Stop();
    modules.Stop();
  }
};

// All of it must outlive its users; the pools go first.
struct MirrorContext {
  UpstreamCatalog& catalog;
  BlobReferences& references;
  MirrorCountCatalog& counts;
  BlobStore& blobs;
  MirrorPools& pools;
  const PullPolicy& policy;
  const Clock& clock;
  UseNotes& uses;
  Logger& log;
  ClusterLinks cluster = {};
  IndexQueue* index = nullptr;       // null: what came is found at the next look (SearchUpkeep)
  MirrorCounter* counter = nullptr;  // null: nobody counts
};

// When an exchange for a client's document must be over, counted from the client's request: clients
// give up after ten seconds. What it was good for is still told within the grace.
inline constexpr std::chrono::milliseconds kAnswerGrace{500};

// What a client is told whose time is over.
inline Error TooLate(const std::string& name) {
  return {ErrorKind::kUpstreamTimeout,
          fmt::format("{}: its registry did not answer in time; try again", name),
          {}};
}

}  // namespace koya::service
