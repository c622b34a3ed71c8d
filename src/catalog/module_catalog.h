// ModuleCatalog is the part of the catalog (catalog.h) that stores modules that are published here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "catalog/contents_catalog.h"
#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/withdrawal.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct Actor;

// Outcome of AddVersion. Only kAdded changes anything.
struct AddOutcome {
  enum class What {
    kAdded,
    kSameUpload,  // `existing` was published from the same uploaded bytes
    kOtherBytes,  // `existing` holds other bytes: a version never changes
    kOtherBuild,  // `existing` differs only in build metadata
    kWithdrawn,   // the version was withdrawn; `withdrawal` says when and why
  };
  What what = What::kAdded;
  std::optional<ModuleVersionRecord> existing;  // set unless kAdded
  std::optional<Withdrawal> withdrawal;         // set for kWithdrawn
};

// Methods that change something for users take the acting caller first, and write the audit log
// entry in the same transaction (see AuditCatalog).
class ModuleCatalog {
 public:
  explicit ModuleCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Adds a version, and its module if needed; the check against existing versions and the addition
  // are one step, so of two concurrent publishes one wins and the other's outcome says so.
  // `record.address` is stored in the existing module's letter case. `extras` are stored when the
  // version is added; they fail as ContentsCatalog::PutContents.
  Task<AddOutcome> AddVersion(Actor by, ModuleVersionRecord record, VersionExtras extras = {});
  // All versions that are not withdrawn, newest first. Fails: kNotFound when the module is unknown
  // or has none.
  Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address);
  // Finds a version by its exact spelling, build metadata included. Fails: kNotFound; kGone: it was
  // withdrawn.
  Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version);
  // What AddVersion would return, for clients that check before an upload. Without `upload`, an
  // existing version counts as kSameUpload, since it may be.
  Task<AddOutcome> CheckVersion(ModuleAddress address, Version version,
                                std::optional<Digest> upload);
  // Ordered by address key, bytewise. Modules without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen are ignored.
  Task<Page<ModuleSummary>> ListModules(ModuleFilter filter, PageRequest page);
  // Removes a version from every listing; its record and the reason stay, and its bytes stay for
  // `keep_for`. Fails: kNotFound; kGone: it was withdrawn before.
  Task<void> Withdraw(Actor by, ModuleAddress address, Version version, Withdrawal withdrawal,
                      std::chrono::seconds keep_for = {});
  // Undoes a withdrawal while the bytes stay. Fails: kNotFound; kConflict: it is not withdrawn;
  // kGone: the bytes stay no longer.
  Task<void> Restore(Actor by, ModuleAddress address, Version version, std::string reason);
  // Withdrawn versions, newest first; none for a module that was never here.
  Task<std::vector<WithdrawnModuleVersion>> ListWithdrawn(ModuleAddress address);
  // Sets the deprecation message for users of the version; "" clears it. No-op when it is set
  // already. Fails: kNotFound; kGone; kInvalid: the message is not UTF-8, or has a NUL.
  Task<void> Deprecate(Actor by, ModuleAddress address, Version version, std::string message);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
