// Mirrors other registries' modules, repacked as archives with the module at their root: the
// clients' own mirrors do not cover modules.
//
// The first request for a version fetches it; every later one is served from here. The first seen
// bytes of a version are pinned: nothing from upstream ever replaces them. Concurrent callers for
// the same thing share one upstream request, which goes on when they have left.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
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
class SubjectGate;
template <class Kind>
class CachedIndex;

struct ModuleMirrorOptions {
  bool enabled = true;  // setting mirror.modules
  std::chrono::seconds freshness{300};
  // Clients give up on a document after 10 s: a module that takes longer is answered with
  // retry_after, and clients retry once after that time.
  std::chrono::milliseconds patience{8000};
  // Clients wait for archives without a limit: this covers the longest fetch and the queue before
  // it.
  std::chrono::milliseconds archive_timeout{330'000};
  unsigned retry_after = 15;  // seconds
};

struct MirroredModuleVersions {
  std::vector<std::string> versions;
  bool stale = false;                           // upstream is failing: this is its last answer
  UnixSeconds checked_at = 0;                   // when upstream said so
  ReleaseTimes times = {};                      // as far as they are known, by version
  std::optional<SourceRepository> source = {};  // as CachedDocument::source
  std::optional<UnixSeconds> changes_at = {};   // as of GatedList
};

struct OpenMirroredModule {
  UpstreamModuleVersion record;
  std::shared_ptr<Blob> blob;
};

class ModuleMirror {
 public:
  // All arguments must outlive this.
  ModuleMirror(MirrorContext context, upstream::ModuleSource& source, ModuleFetch& fetch,
               ModuleMirrorOptions options);
  ~ModuleMirror();

  // Whether modules are mirrored at all.
  bool on() const { return options_.enabled; }

  // Every call fails with kForbidden when the gate does not let the module or version through, with
  // kNotFound when it is neither stored nor available upstream, and as upstream::ModuleSource.

  // Returns upstream's versions, no older than the freshness, or the cached ones while upstream
  // fails, without those that the gate stops. Includes versions with stored archives: imported
  // ones, and ones that upstream removed.
  Task<MirroredModuleVersions> ListVersions(UpstreamModule module);
  // Returns the version as first seen, which may be now. Also fails with kUnavailable and
  // retry_after while it is still arriving.
  Task<UpstreamModuleVersion> FindVersion(UpstreamModule module, Version version);
  // Opens the archive if it is of that kind (fetched modules are stored as .tar.gz, imported ones
  // as they were); fetches it again if it was evicted. Waits as long as the fetch takes.
  Task<OpenMirroredModule> OpenArchive(UpstreamModule module, Version version, ArchiveKind kind);

  std::chrono::seconds freshness() const { return options_.freshness; }
  // Checks that modules of other registries are mirrored at all. Fails: kNotFound, naming the
  // setting.
  Status CheckEnabled() const;
  const ListCounters& list_counters() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  Task<SubjectGate> OpenGate(std::string subject);
  Task<SubjectGate> JudgeListed(SubjectGate gate, UpstreamModule module,
                                std::vector<std::string> versions, ReleaseTimes times,
                                Time deadline);
  Task<void> CheckUnpinned(UpstreamModule module, Version version, Time deadline);
  Task<void> LetThrough(UpstreamModule module, Version version);
  Task<MirroredModuleVersions> ListOffered(UpstreamModule module, Time deadline);
  Task<MirroredModuleVersions> ListPinned(UpstreamModule module, Error why);
  Task<MirroredModuleVersions> AddHeld(UpstreamModule module, MirroredModuleVersions list);
  Task<ModuleArrival> Fetch(UpstreamModule module, Version version, std::uint64_t ended,
                            Time deadline);

  MirrorContext context_;
  ModuleFetch& fetch_;
  ModuleMirrorOptions options_;
  const std::unique_ptr<CachedIndex<ModuleLists>> lists_;
};

}  // namespace koya::service
