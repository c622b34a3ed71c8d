// Bundles the dependencies that all parts of the mirror share.
#pragma once

#include <chrono>
#include <string>

#include "service/mirror/fetch_lease.h"

namespace koya {
class BlobReferences;
class BlobStore;
class Logger;
class MirrorCountCatalog;
class UpstreamCatalog;
}  // namespace koya

namespace koya::service {

class IndexQueue;
class MirrorCounter;
struct MirrorPools;
class PullPolicy;
class LastUsedTracker;

// Everything referenced must outlive its users; the pools are destroyed first.
struct MirrorContext {
  UpstreamCatalog& catalog;
  BlobReferences& references;
  MirrorCountCatalog& counts;
  BlobStore& blobs;
  MirrorPools& pools;
  const PullPolicy& policy;
  const Clock& clock;
  LastUsedTracker& uses;
  Logger& log;
  ClusterLinks cluster = {};
  IndexQueue* index = nullptr;       // null: SearchUpkeep finds new releases
  MirrorCounter* counter = nullptr;  // null: no counting
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
