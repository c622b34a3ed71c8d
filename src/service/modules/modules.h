// Serves modules: the operations behind the registry protocol and the wider API.
#pragma once

#include <chrono>
#include <memory>
#include <string>
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

class IndexQueue;

// An archive that is ready to be sent.
struct OpenArchive {
  ModuleVersionRecord record;
  std::shared_ptr<Blob> blob;
};

class Modules {
 public:
  // All arguments must outlive this. `restorable_for`: how long a withdrawal can be undone.
  Modules(ModuleCatalog& catalog, BlobStore& blobs, IndexQueue& index, const Clock& clock,
          std::chrono::seconds restorable_for)
      : catalog_(catalog),
        blobs_(blobs),
        index_(index),
        clock_(clock),
        restorable_for_(restorable_for) {}

  // Newest first. Fails: kNotFound.
  Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address);
  // Fails: kNotFound; kGone: the version was withdrawn.
  Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version);
  // The newest release, or the newest prerelease if there is no release. Fails: kNotFound.
  Task<ModuleVersionRecord> FindLatest(ModuleAddress address);
  Task<Page<ModuleSummary>> List(ModuleFilter filter, PageRequest page);
  // Fails: kNotFound; kGone; kCorrupt when the record's blob is missing.
  Task<OpenArchive> OpenVersion(ModuleAddress address, Version version);
  // Withdraws a version: removes it from all lists and stores the reason; users are advised to take
  // `successor`, if one is named. For owners (Principal::RequireOwnership). Fails: kForbidden,
  // kInvalid (no reason, or no such successor), kNotFound, kGone.
  Task<void> Withdraw(auth::Principal by, ModuleAddress address, Version version,
                      std::string reason, std::string successor);
  // Undoes a withdrawal while the bytes exist. For owners, too. Fails: kForbidden, kInvalid (no
  // reason), kNotFound, kConflict (not withdrawn), kGone (the bytes were removed).
  Task<void> Restore(auth::Principal by, ModuleAddress address, Version version,
                     std::string reason);
  // Withdrawn versions, newest first; empty for a module that never existed.
  Task<std::vector<WithdrawnModuleVersion>> ListWithdrawn(ModuleAddress address);
  // Warns the version's users with `message` (one line, at most 1,000 bytes) on pages and in
  // searches; clients do not show it. "" removes the warning. Needs the publish scope. Fails:
  // kForbidden, kInvalid, kNotFound.
  Task<void> Deprecate(auth::Principal by, ModuleAddress address, Version version,
                       std::string message);

 private:
  // The successor's version as written. Fails: kInvalid: there is no such version to use instead.
  Task<std::string> FindSuccessor(ModuleAddress address, Version version, std::string successor);
  // Fails: kGone: a file of the withdrawn version was removed.
  Task<void> CheckBytes(ModuleAddress address, Version version);

  ModuleCatalog& catalog_;
  BlobStore& blobs_;
  IndexQueue& index_;
  const Clock& clock_;
  const std::chrono::seconds restorable_for_;
};

// The newest of `versions` (newest first) that is not a prerelease, else the first.
const ModuleVersionRecord& Latest(const std::vector<ModuleVersionRecord>& versions);

}  // namespace koya::service
