// Copies single versions from a source to a server: fetches, verifies, and publishes by the
// server's ordinary API.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cli/api/api_client.h"
#include "cli/api/provider_client.h"
#include "cli/import/plan.h"
#include "cli/import/source.h"

namespace koya::cli {

struct CopyOptions {
  RegistryClientOptions target;
  std::filesystem::path temporary;  // an existing folder for files in transit
  bool trust_keys = false;          // keys of providers may sign new releases
};

struct CopiedVersion {
  bool created = false;     // false: the same bytes were there
  std::uint64_t bytes = 0;  // sent
};

// One thread; several may share the source and the keys.
class Copying {
 public:
  // The keys that were added to a namespace: "acme ARMOR". Thread-safe.
  struct AddedKeys {
    std::mutex mutex;
    std::set<std::string> keys;
  };

  // All must outlive this.
  Copying(ImportSource& source, const CopyOptions& options, AddedKeys& keys)
      : source_(source), options_(options), keys_(keys), target_(options.target) {}

  // Fails: as the source; as ApiClient::Call; kConflict if the target has other bytes under this
  // version: the message has both digests.
  Result<CopiedVersion> Copy(const PlannedPackage& package, const PlannedVersion& planned);

 private:
  Result<CopiedVersion> CopyModule(const PlannedPackage& package, const PlannedVersion& planned);
  Result<CopiedVersion> CopyProvider(const PlannedPackage& package, const PlannedVersion& planned);
  std::string ReleaseTime(const PlannedPackage& package, const PlannedVersion& planned);
  Status AddKey(const std::string& ns, const std::string& armor);
  Result<std::uint64_t> CopyPackages(const ReleaseId& theirs, const ReleaseId& ours,
                                     const SourceRelease& release, const wire::Draft& draft);
  Status Upload(const ReleaseId& release, const std::string& draft, const std::string& name,
                const std::string& text);
  Status Deprecate(const PlannedPackage& package, const PlannedVersion& planned);

  ImportSource& source_;
  const CopyOptions& options_;
  AddedKeys& keys_;
  ProviderClient target_;
};

}  // namespace koya::cli
