// Reading providers: what the registry protocol and the wider API answer from.
#pragma once

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

// A file of a release, ready to be sent.
struct OpenReleaseFile {
  Digest digest;
  std::shared_ptr<Blob> blob;
};

class Providers {
 public:
  // Everything given must outlive this.
  Providers(ProviderCatalog& catalog, BlobStore& blobs, const Clock& clock)
      : catalog_(catalog), blobs_(blobs), clock_(clock) {}

  // Newest first. Fails: kNotFound.
  Task<std::vector<ReleaseSummary>> ListVersions(ProviderAddress address);
  // Fails: kNotFound.
  Task<ProviderRelease> FindVersion(ProviderAddress address, Version version);
  Task<Page<ProviderSummary>> List(ProviderFilter filter, PageRequest page);
  // A zip, SHA256SUMS or its signature, by its name. Fails: kNotFound; kCorrupt when the record's
  // blob is missing.
  Task<OpenReleaseFile> Open(ProviderAddress address, Version version, std::string file);
  // Takes a version out of every list for good, keeping the reason. Needs the admin scope.
  // Fails: kForbidden, kInvalid (no reason), kNotFound.
  Task<void> Withdraw(auth::Principal by, ProviderAddress address, Version version,
                      std::string reason);
  // Those that were, newest first; of a provider that was never here, none.
  Task<std::vector<WithdrawnRelease>> ListWithdrawn(ProviderAddress address);
  // Warns the version's users with `message` (one line, at most 1,000 bytes); "" takes the warning
  // back. Needs the publish scope. Fails: kForbidden, kInvalid, kNotFound.
  Task<void> Deprecate(auth::Principal by, ProviderAddress address, Version version,
                       std::string message);

 private:
  ProviderCatalog& catalog_;
  BlobStore& blobs_;
  const Clock& clock_;
};

// The newest of `versions` (newest first) that is not a prerelease, else the first.
const ReleaseSummary& Latest(const std::vector<ReleaseSummary>& versions);

}  // namespace koya::service
