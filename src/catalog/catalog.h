// The catalog: what exists, and who may do what. Records only; bytes live in the blob store.
//
// Several small interfaces, one implementation (catalog/sql, on SQLite and PostgreSQL), one
// conformance suite (catalog_suite.h). Every method is one transaction. Threads: any method from
// any coroutine on any thread; SQL runs on the catalog's own worker pool.
// Fails, besides what a method names: kUnavailable (database gone or busy), kCorrupt, kStorageFull.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/module_record.h"
#include "domain/token_record.h"
#include "domain/version.h"

namespace koya {

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

class ModuleCatalog {
 public:
  virtual ~ModuleCatalog() = default;
  // Adds a version, creating the module at need; the check against what is there
  // and the addition are one step, so of two racing publishes one wins and the other is told.
  // `record.address` takes the stored module's letter case in what is kept.
  virtual Task<AddOutcome> AddVersion(ModuleVersionRecord record) = 0;
  // All versions that are not withdrawn, newest first. Fails: kNotFound when the module is unknown
  // or has none.
  virtual Task<std::vector<ModuleVersionRecord>> ListVersions(ModuleAddress address) = 0;
  // A withdrawn version is kNotFound. A version is found by its exact spelling, build metadata
  // included. Fails: kNotFound.
  virtual Task<ModuleVersionRecord> FindVersion(ModuleAddress address, Version version) = 0;
  // For uploads that want to know before they send: what AddVersion would say. Without `upload`, a
  // version that is there already counts as kSameUpload, since it may be.
  virtual Task<AddOutcome> CheckVersion(ModuleAddress address, Version version,
                                        std::optional<Digest> upload) = 0;
  // Ordered by address key, bytewise. Modules without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen do not restrict.
  virtual Task<Page<ModuleSummary>> ListModules(ModuleFilter filter, PageRequest page) = 0;
  // Takes a version out of every listing, keeping record and reason. Fails: kNotFound.
  virtual Task<void> Withdraw(ModuleAddress address, Version version, Withdrawal withdrawal) = 0;
  // Whether a version that is not withdrawn is served from this blob. For garbage
  // collection: a withdrawn version no longer needs its blob.
  virtual Task<bool> IsBlobReferenced(Digest digest) = 0;
};

class TokenCatalog {
 public:
  virtual ~TokenCatalog() = default;
  // Fails: kConflict when the name is taken.
  virtual Task<void> AddToken(TokenRecord record) = 0;
  // Expired tokens are found too: the caller says so to the user. Fails: kNotFound.
  virtual Task<TokenRecord> FindToken(Digest secret) = 0;
  virtual Task<std::vector<TokenRecord>> ListTokens() = 0;  // by name
  // Fails: kNotFound.
  virtual Task<void> RevokeToken(std::string name) = 0;
  // Notes the use, at most once a minute per token.
  virtual Task<void> TouchToken(Digest secret, UnixSeconds at) = 0;
};

// One thing that changed. Each transaction that changes what documents show appends one.
struct Change {
  std::int64_t sequence = 0;  // grows; gaps are possible
  // "module:<address key>" or "token:<name>"; "" when anything may have changed, because the
  // changes in between are no longer kept.
  std::string topic;
};

class ChangeLog {
 public:
  virtual ~ChangeLog() = default;
  // The newest sequence number; 0 when nothing ever changed.
  virtual Task<std::int64_t> LatestChange() = 0;
  // Changes after `sequence`, oldest first, at most 1000. The newest 10,000 are kept: whoever is
  // further behind gets one change with an empty topic.
  virtual Task<std::vector<Change>> ChangesSince(std::int64_t sequence) = 0;
  // Ends with the next moment at which ChangesSince may have something new: after a change made
  // here, at a notification from another server on the same database (PostgreSQL), or after a
  // second at the latest. A change that nobody waited for ends the next wait at once.
  virtual Task<void> WaitForChange() = 0;
};

class Catalog : public ModuleCatalog, public TokenCatalog, public ChangeLog {};

}  // namespace koya
