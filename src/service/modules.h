// Reading modules: what the registry protocol and the wider API answer from.
#pragma once

#include <memory>
#include <vector>

#include "base/task.h"
#include "domain/module_record.h"
#include "domain/page.h"

namespace koya {
class Blob;
class BlobStore;
class ModuleCatalog;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

// An archive ready to be sent.
struct OpenArchive {
  ModuleVersionRecord record;
  std::shared_ptr<Blob> blob;
};

class Modules {
 public:
  // Everything given must outlive this.
  Modules(ModuleCatalog& catalog, BlobStore& blobs, const Clock& clock)
      : catalog_(catalog), blobs_(blobs), clock_(clock) {}

  // Newest first. Fails: kNotFound.
  Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address);
  // Fails: kNotFound.
  Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version);
  // The newest release, or the newest prerelease where there is no release. Fails: kNotFound.
  Task<ModuleVersionRecord> FindLatest(ModuleAddress address);
  Task<Page<ModuleSummary>> List(ModuleFilter filter, PageRequest page);
  // Fails: kNotFound (also for a withdrawn version); kCorrupt when the record's blob is missing.
  Task<OpenArchive> Open(ModuleAddress address, Version version);
  // Takes a version out of every list for good, keeping the reason. Needs the admin scope.
  // Fails: kForbidden, kInvalid (no reason), kNotFound.
  Task<void> Withdraw(auth::Principal by, ModuleAddress address, Version version,
                      std::string reason);
  // Those that were, newest first; of a module that was never here, none.
  Task<std::vector<WithdrawnModuleVersion>> ListWithdrawn(ModuleAddress address);
  // Warns the version's users with `message` (one line, at most 1,000 bytes), on pages and in
  // searches: clients show it to nobody. "" takes the warning back. Needs the publish scope. Fails:
  // kForbidden, kInvalid, kNotFound.
  Task<void> Deprecate(auth::Principal by, ModuleAddress address, Version version,
                       std::string message);

 private:
  ModuleCatalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
};

// The newest of `versions` (newest first) that is not a prerelease, else the first.
const ModuleVersionRecord& Latest(const std::vector<ModuleVersionRecord>& versions);

}  // namespace koya::service
