// Other registries' modules, pulled through, brought to archives with the module at their root, and
// kept: what the clients' own mirrors lack.
//
// The first request for a version fetches it; every later one is served from here. What was seen
// first of a version is pinned: nothing from upstream ever replaces it. Any number of callers who
// ask for one thing make one upstream request, which goes on when they have left.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/offload.h"
#include "base/single_flight.h"
#include "blobs/blob_store.h"
#include "catalog/upstream_catalog.h"
#include "obs/log.h"
#include "service/held_lists.h"
#include "service/module_fetch.h"
#include "service/pull_policy.h"
#include "service/use_notes.h"
#include "upstream/module_source.h"

namespace koya::service {

struct ModuleMirrorOptions {
  bool enabled = true;          // setting mirror.modules
  std::vector<HostName> hosts;  // that may be pulled from
  // Clients give up on a document after 10 s: whoever asks for a module that takes longer is told
  // to come back, which clients do, once, after as long as they are told.
  std::chrono::milliseconds patience{8000};
  unsigned retry_after = 15;  // seconds
};

struct MirroredModuleVersions {
  std::vector<std::string> versions;
  bool stale = false;          // upstream is failing: this is what it said last
  UnixSeconds checked_at = 0;  // when upstream said so
};

struct OpenMirroredModule {
  UpstreamModuleVersion record;
  std::shared_ptr<Blob> blob;
};

class ModuleMirror {
 public:
  // Everything given must outlive this. `archives` runs what brings modules.
  ModuleMirror(UpstreamCatalog& catalog, BlobStore& blobs, upstream::ModuleSource& source,
               ModuleFetch& fetch, HeldLists& lists, const PullPolicy& policy, WorkerPool& archives,
               const Clock& clock, Logger& log, ModuleMirrorOptions options)
      : catalog_(catalog),
        blobs_(blobs),
        source_(source),
        fetch_(fetch),
        lists_(lists),
        policy_(policy),
        clock_(clock),
        log_(log),
        options_(std::move(options)),
        flights_(archives) {}

  // Every call fails with kForbidden when the policy denies the module, with kNotFound when it is
  // neither held nor to be had, and as upstream::ModuleSource.

  // What upstream offers, no older than the freshness; while upstream fails, what is held.
  Task<MirroredModuleVersions> ListVersions(UpstreamModule module);
  // The version as it was seen first, which may be now. Fails, besides, with kUnavailable and
  // retry_after when it is still on its way.
  Task<UpstreamModuleVersion> FindVersion(UpstreamModule module, Version version);
  // The archive's bytes; fetched again if they were let go. Waits as long as that takes.
  Task<OpenMirroredModule> Open(UpstreamModule module, Version version);

  std::chrono::seconds freshness() const { return lists_.freshness(); }

 private:
  Status Check(const UpstreamModule& module) const;
  bool MayPull(const HostName& host) const;
  Result<FetchedList> FetchVersions(const UpstreamModule& module, const upstream::Validators& held);
  Task<MirroredModuleVersions> ListPinned(UpstreamModule module, Error why);
  Task<UpstreamModuleVersion> Fetch(UpstreamModule module, Version version,
                                    std::chrono::steady_clock::time_point deadline);

  UpstreamCatalog& catalog_;
  BlobStore& blobs_;
  upstream::ModuleSource& source_;
  ModuleFetch& fetch_;
  HeldLists& lists_;
  const PullPolicy& policy_;
  const Clock& clock_;
  Logger& log_;
  UseNotes uses_{log_};
  ModuleMirrorOptions options_;
  SingleFlight<UpstreamModuleVersion> flights_;
};

}  // namespace koya::service
