// What everything about other registries works with.
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
class UseNotes;

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
  return {
      ErrorKind::kUpstreamTimeout, name + ": its registry did not answer in time; try again", {}};
}

}  // namespace koya::service
