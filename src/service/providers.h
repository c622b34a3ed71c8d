// Reading providers: what the registry protocol and the wider API answer from.
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
  // Everything given must outlive this. `restorable_for`: how long after it a withdrawal can be
  // undone.
  Providers(ProviderCatalog& catalog, BlobStore& blobs, IndexQueue& index, const Clock& clock,
            std::chrono::seconds restorable_for)
      : catalog_(catalog),
        blobs_(blobs),
        index_(index),
        clock_(clock),
        restorable_for_(restorable_for) {}

  // Newest first. Fails: kNotFound.
  Task<std::vector<ReleaseSummary>> ListVersions(ProviderAddress address);
  // Fails: kNotFound; kGone: it was withdrawn.
  Task<ProviderRelease> FindVersion(ProviderAddress address, Version version);
  Task<Page<ProviderSummary>> List(ProviderFilter filter, PageRequest page);
  // A zip, SHA256SUMS or its signature, by its name. Fails: kNotFound; kGone; kCorrupt when the
  // record's blob is missing.
  Task<OpenReleaseFile> Open(ProviderAddress address, Version version, std::string file);
  // Takes a version out of every list, keeping the reason; users read to take `successor`, if one
  // is named. For owners (Principal::RequireOwnership). Fails: kForbidden, kInvalid (no reason, or
  // no such successor), kNotFound, kGone.
  Task<void> Withdraw(auth::Principal by, ProviderAddress address, Version version,
                      std::string reason, std::string successor);
  // Undoes that while the bytes are there. Needs the same. Fails: kForbidden, kInvalid (no reason),
  // kNotFound, kConflict (it is not withdrawn), kGone (the bytes are not there any more).
  Task<void> Restore(auth::Principal by, ProviderAddress address, Version version,
                     std::string reason);
  // Those that were, newest first; of a provider that was never here, none.
  Task<std::vector<WithdrawnRelease>> ListWithdrawn(ProviderAddress address);
  // Warns the version's users with `message` (one line, at most 1,000 bytes); "" takes the warning
  // back. Needs the publish scope. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> Deprecate(auth::Principal by, ProviderAddress address, Version version,
                       std::string message);

 private:
  // As it is written. Fails: kInvalid: there is no such version to use instead.
  Task<std::string> FindSuccessor(ProviderAddress address, Version version, std::string successor);
  // Fails: kGone: a file of what was withdrawn is not there any more.
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
