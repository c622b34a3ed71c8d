// Part of the catalog (catalog.h): modules that are published here.
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

namespace koya {

struct Actor;

// What AddVersion found. Only kAdded changes anything.
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

// Whatever changes something for people takes who does it first: the audit log says so (see
// AuditCatalog), in the same transaction.
class ModuleCatalog {
 public:
  virtual ~ModuleCatalog() = default;
  // Adds a version, creating the module at need; the check against what is there
  // and the addition are one step, so of two racing publishes one wins and the other is told.
  // `record.address` takes the stored module's letter case in what is kept. `extras` are kept when
  // the version is added; they fail as ContentsCatalog::PutContents.
  virtual Task<AddOutcome> AddVersion(Actor by, ModuleVersionRecord record,
                                      VersionExtras extras = {}) = 0;
  // All versions that are not withdrawn, newest first. Fails: kNotFound when the module is unknown
  // or has none.
  virtual Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address) = 0;
  // A version is found by its exact spelling, build metadata included. Fails: kNotFound; kGone: it
  // was withdrawn.
  virtual Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version) = 0;
  // For uploads that want to know before they send: what AddVersion would say. Without `upload`, a
  // version that is there already counts as kSameUpload, since it may be.
  virtual Task<AddOutcome> CheckVersion(ModuleAddress address, Version version,
                                        std::optional<Digest> upload) = 0;
  // Ordered by address key, bytewise. Modules without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen do not restrict.
  virtual Task<Page<ModuleSummary>> ListModules(ModuleFilter filter, PageRequest page) = 0;
  // Takes a version out of every listing, keeping record and reason. Its bytes stay for `keep_for`.
  // Fails: kNotFound; kGone: it was withdrawn before.
  virtual Task<void> Withdraw(Actor by, ModuleAddress address, Version version,
                              Withdrawal withdrawal, std::chrono::seconds keep_for = {}) = 0;
  // Undoes that while its bytes stay. Fails: kNotFound; kConflict: it is not withdrawn; kGone: they
  // stay no longer.
  virtual Task<void> Restore(Actor by, ModuleAddress address, Version version,
                             std::string reason) = 0;
  // Those that were, newest first; of a module that was never here, none.
  virtual Task<std::vector<WithdrawnModuleVersion>> ListWithdrawn(ModuleAddress address) = 0;
  // Sets what users of the version are warned with; "" takes the warning back. Nothing changes when
  // it is so already. Fails: kNotFound; kGone; kInvalid: the message is not UTF-8, or has a NUL.
  virtual Task<void> Deprecate(Actor by, ModuleAddress address, Version version,
                               std::string message) = 0;
};

}  // namespace koya
