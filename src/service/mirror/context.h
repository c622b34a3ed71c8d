// Bundles the dependencies that all parts of the mirror share, and has its threads.
#pragma once

#include <chrono>
#include <string>

#include "base/fair_pool.h"
#include "base/offload.h"

namespace koya {
class BlobReferences;
class BlobStore;
class Clock;
class Logger;
class MirrorCountCatalog;
class UpstreamCatalog;
}  // namespace koya

namespace koya::service {

struct ClusterLinks;
class Freeze;
class Gate;
class IndexQueue;
class LastUsedTracker;
class MirrorCounter;
class PullPolicy;

// The mirror's threads. A coroutine that blocks on a registry holds a slot for that host
// (base/fair_pool.h). Three pools, since archives take as long as they take: they must not delay
// documents, nor modules packages.
struct MirrorPools {
  // For computing, and for reading stored archives. Declared first, destroyed last: the pools below
  // may still have something computed while they finish.
  WorkerPool workers{8};
  FairPool documents{128, 16};
  FairPool packages{32, 16};
  FairPool modules{32, 16};

  // Ends everything that waits for a registry, soon and as a failure. Running writes to the store
  // complete.
  void Stop() {
    documents.Stop();
    packages.Stop();
    modules.Stop();
  }
};

// Everything referenced must outlive its users; the pools are destroyed first.
struct MirrorContext {
  UpstreamCatalog& catalog;
  BlobReferences& references;
  MirrorCountCatalog& counts;
  BlobStore& blobs;
  MirrorPools& pools;
  const PullPolicy& policy;
  Gate& gate;
  const Clock& clock;
  LastUsedTracker& uses;
  Logger& log;
  const ClusterLinks* cluster = nullptr;  // null: no other server uses the catalog
  IndexQueue* index = nullptr;            // null: SearchUpkeep finds new releases
  MirrorCounter* counter = nullptr;       // null: no counting
  Freeze* freeze = nullptr;               // null: nothing is ever frozen
};

// Time after the deadline of an upstream exchange during which its result still reaches the client.
// The deadline counts from the client's request, as clients give up on a document after ten
// seconds.
inline constexpr std::chrono::milliseconds kAnswerGrace{500};

// The client's error after the deadline.
inline Error TooLate(const std::string& name) {
  return {
      ErrorKind::kUpstreamTimeout, name + ": its registry did not respond in time; try again", {}};
}

}  // namespace koya::service
