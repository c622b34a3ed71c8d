// Part of the catalog (catalog.h): providers that are published here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "catalog/provider_docs_catalog.h"
#include "domain/page.h"
#include "domain/provider_record.h"
#include "domain/withdrawal.h"

namespace koya {

struct Actor;

// What AddRelease found. Only kAdded changes anything.
struct ReleaseOutcome {
  enum class What {
    kAdded,
    kSameSums,    // `existing` was published with the same SHA256SUMS
    kOtherSums,   // `existing` has other packages: a version never changes
    kOtherBuild,  // `existing` differs only in build metadata
    kWithdrawn,   // the version was withdrawn; `withdrawal` says when and why
  };
  What what = What::kAdded;
  std::optional<ProviderRelease> existing;  // set unless kAdded
  std::optional<Withdrawal> withdrawal;     // set for kWithdrawn
};

// Whatever changes something for people takes who does it first: the audit log says so (see
// AuditCatalog), in the same transaction.
class ProviderCatalog {
 public:
  virtual ~ProviderCatalog() = default;
  // Adds a release with all its packages, creating the provider at need, and removes the draft
  // that it was made from, if any: one transaction, so of two racing commits one wins and the other
  // is told. `draft` is as it was read: what was abandoned or replaced since is never published.
  // Fails: kNotFound when the draft is gone; kConflict when it holds other files by now, and when
  // `release.key_fingerprint` names no key of the namespace, or one that was removed meanwhile;
  // kInvalid when a text of `extras`, which are kept with it, is not UTF-8, or has a NUL.
  virtual Task<ReleaseOutcome> AddRelease(Actor by, ProviderRelease release,
                                          std::optional<DraftRecord> draft,
                                          ReleaseExtras extras = {}) = 0;
  // For authors who want to know before they upload: what AddRelease would say. Without `sums`, a
  // version that is there already counts as kSameSums, since it may be.
  virtual Task<ReleaseOutcome> CheckRelease(ProviderAddress address, Version version,
                                            std::optional<Digest> sums) = 0;
  // All versions that are not withdrawn, newest first. Costs one statement however many platforms
  // there are. Fails: kNotFound when the provider is unknown or has none.
  virtual Task<std::vector<ReleaseSummary>> ListReleases(ProviderAddress address) = 0;
  // By exact spelling, build metadata included. Fails: kNotFound; kGone: it was withdrawn.
  virtual Task<ProviderRelease> FindRelease(ProviderAddress address, Version version) = 0;
  // Ordered by address, bytewise. Providers without versions are left out. A page holds at most
  // 1000; words of a query after the first sixteen do not restrict.
  virtual Task<Page<ProviderSummary>> ListProviders(ProviderFilter filter, PageRequest page) = 0;
  // Takes a version out of every listing, keeping record and reason. Its bytes stay for `keep_for`.
  // Fails: kNotFound; kGone: it was withdrawn before.
  virtual Task<void> WithdrawRelease(Actor by, ProviderAddress address, Version version,
                                     Withdrawal withdrawal, std::chrono::seconds keep_for = {}) = 0;
  // Undoes that while its bytes stay. Fails: kNotFound; kConflict: it is not withdrawn; kGone: they
  // stay no longer.
  virtual Task<void> RestoreRelease(Actor by, ProviderAddress address, Version version,
                                    std::string reason) = 0;
  // Those that were, newest first; of a provider that was never here, none.
  virtual Task<std::vector<WithdrawnRelease>> ListWithdrawnReleases(ProviderAddress address) = 0;
  // Sets what users of the version are warned with; "" takes the warning back. Nothing changes when
  // it is so already. Fails: kNotFound; kGone.
  virtual Task<void> DeprecateRelease(Actor by, ProviderAddress address, Version version,
                                      std::string message) = 0;
};

}  // namespace koya
