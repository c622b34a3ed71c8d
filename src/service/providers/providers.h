// Serves providers: the operations behind the registry protocol and the wider API.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/digest.h"
#include "domain/page.h"

namespace koya {
class Blob;
class BlobStore;
class Clock;
class ProviderAddress;
class ProviderCatalog;
struct ProviderFilter;
struct ProviderRelease;
struct ProviderSummary;
struct ReleaseSummary;
class Version;
struct WithdrawnRelease;
}  // namespace koya
namespace koya::auth {
struct Principal;
}

namespace koya::service {

class IndexQueue;

// A file of a release, ready to be sent.
struct OpenReleaseFile {
  Digest digest;
  std::shared_ptr<Blob> blob;
};

class Providers {
 public:
  // All arguments must outlive this. `restorable_for`: how long a withdrawal can be undone.
  Providers(ProviderCatalog& catalog, BlobStore& blobs, IndexQueue& index, const Clock& clock,
            std::chrono::seconds restorable_for)
      : catalog_(catalog),
        blobs_(blobs),
        index_(index),
        clock_(clock),
        restorable_for_(restorable_for) {}

  // Newest first. Fails: kNotFound.
  Task<std::vector<ReleaseSummary>> ListVersions(ProviderAddress address);
  // Fails: kNotFound; kGone: the version was withdrawn.
  Task<ProviderRelease> FindVersion(ProviderAddress address, Version version);
  Task<Page<ProviderSummary>> List(ProviderFilter filter, PageRequest page);
  // Opens a file by its name: a zip, SHA256SUMS or its signature. Fails: kNotFound; kGone; kCorrupt
  // when the record's blob is missing.
  Task<OpenReleaseFile> OpenFile(ProviderAddress address, Version version, std::string file);
  // Withdraws a version: removes it from all lists and stores the reason; users are advised to take
  // `successor`, if one is named. For owners (Principal::RequireOwnership). Fails: kForbidden,
  // kInvalid (no reason, or no such successor), kNotFound, kGone.
  Task<void> Withdraw(auth::Principal by, ProviderAddress address, Version version,
                      std::string reason, std::string successor);
  // Undoes a withdrawal while the bytes exist. For owners, too. Fails: kForbidden, kInvalid (no
  // reason), kNotFound, kConflict (not withdrawn), kGone (the bytes were removed).
  Task<void> Restore(auth::Principal by, ProviderAddress address, Version version,
                     std::string reason);
  // Withdrawn versions, newest first; empty for a provider that never existed.
  Task<std::vector<WithdrawnRelease>> ListWithdrawn(ProviderAddress address);
  // Warns the version's users with `message` (one line, at most 1,000 bytes); "" removes the
  // warning. Needs the publish scope. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> Deprecate(auth::Principal by, ProviderAddress address, Version version,
                       std::string message);

 private:
  // The successor's version as written. Fails: kInvalid: there is no such version to use instead.
  Task<std::string> FindSuccessor(ProviderAddress address, Version version, std::string successor);
  // Fails: kGone: a file of the withdrawn version was removed.
  Task<void> CheckBytes(ProviderAddress address, Version version);

  ProviderCatalog& catalog_;
  BlobStore& blobs_;
  IndexQueue& index_;
  const Clock& clock_;
  const std::chrono::seconds restorable_for_;
};

// The newest of `versions` (newest first) that is not a prerelease, else the first.
const ReleaseSummary& Latest(const std::vector<ReleaseSummary>& versions);

}  // namespace koya::service
