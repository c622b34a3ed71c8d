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

#include "domain/upstream_record.h"
#include "service/mirror/context.h"

namespace koya {
class Blob;
}
namespace koya::upstream {
class ModuleSource;
}

namespace koya::service {

struct ListCounters;
struct ModuleArrival;
class ModuleFetch;
struct ModuleLists;
template <class Kind>
class HeldLists;

struct ModuleMirrorOptions {
  bool enabled = true;  // setting mirror.modules
  std::chrono::seconds freshness{300};
  // Clients give up on a document after 10 s: whoever asks for a module that takes longer is told
  // to come back, which clients do, once, after as long as they are told.
  std::chrono::milliseconds patience{8000};
  // For archives they wait without an end: as long as a fetch may take, and a queue before it.
  std::chrono::milliseconds archive_patience{330'000};
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
  // Everything given must outlive this.
  ModuleMirror(MirrorContext context, upstream::ModuleSource& source, ModuleFetch& fetch,
               ModuleMirrorOptions options);
  ~ModuleMirror();

  // Every call fails with kForbidden when the policy denies the module, with kNotFound when it is
  // neither held nor to be had, and as upstream::ModuleSource.

  // What upstream offers, no older than the freshness; while upstream fails, what is held. And
  // always the versions of which archives are held: what was imported, and what upstream removed.
  Task<MirroredModuleVersions> ListVersions(UpstreamModule module);
  // The version as it was seen first, which may be now. Fails, besides, with kUnavailable and
  // retry_after when it is still on its way.
  Task<UpstreamModuleVersion> FindVersion(UpstreamModule module, Version version);
  // The archive's bytes, where it is of that kind (what is fetched becomes a .tar.gz, what was
  // imported stays what it was); fetched again if they were let go. Waits as long as that takes.
  Task<OpenMirroredModule> Open(UpstreamModule module, Version version, ArchiveKind kind);

  std::chrono::seconds freshness() const { return options_.freshness; }
  // Whether modules of other registries are mirrored at all. Fails: kNotFound, naming the setting.
  Status CheckEnabled() const;
  const ListCounters& list_counters() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  Status Check(const UpstreamModule& module) const;
  Task<MirroredModuleVersions> ListOffered(UpstreamModule module, Time deadline);
  Task<MirroredModuleVersions> ListPinned(UpstreamModule module, Error why);
  Task<MirroredModuleVersions> AddHeld(UpstreamModule module, MirroredModuleVersions list);
  Task<ModuleArrival> Fetch(UpstreamModule module, Version version, std::uint64_t ended,
                            Time deadline);

  MirrorContext context_;
  ModuleFetch& fetch_;
  ModuleMirrorOptions options_;
  const std::unique_ptr<HeldLists<ModuleLists>> lists_;
};

}  // namespace koya::service
