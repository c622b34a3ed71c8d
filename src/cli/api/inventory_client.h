// InventoryClient adds to the endpoints what calls about a server's stored artifacts need: pages,
// uploads and downloads; CheckStored is for "koya verify". One thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_sink.h"
#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "wire/inventory.h"
#include "wire/verify.h"

namespace koya::cli {

struct MirroredRelease {
  HostName host;
  ProviderAddress address;
  Version version;
  std::string Key() const { return host.ascii() + "/" + address.ToString(); }
  // "registry.opentofu.org/acme/demo 1.0.0", for people.
  std::string ToString() const;
};

struct MirroredModule {
  HostName host;
  ModuleAddress address;
  Version version;
  std::string ToString() const;
};

inline std::array<std::string, 4> PathParts(const MirroredRelease& release) {
  return {release.host.ascii(), release.address.ns(), release.address.type(),
          release.version.ToString()};
}
inline std::array<std::string, 5> PathParts(const MirroredModule& module) {
  return {module.host.ascii(), module.address.ns(), module.address.name(), module.address.system(),
          module.version.ToString()};
}

// Parses a release or module of the server's inventory into validated types: its texts become paths
// of requests and files. Fails: kInvalid.
Result<MirroredRelease> ParseInventory(const wire::InventoryRelease& release);
Result<MirroredModule> ParseInventory(const wire::InventoryModule& module);

// The mirror's inventory. Every function fails as ApiClient::Call does. Imports return false when
// the server already had exactly the same.
class InventoryClient : public ApiClient {
 public:
  using ApiClient::ApiClient;

  // Checks that the token is an administrator's without namespace patterns, which all changes
  // require: called once, before a thousand requests are denied one by one.
  Status RequireRightsToAll();

  // All of them, from all pages.
  Result<std::vector<wire::InventoryRelease>> ListReleases();
  Result<std::vector<wire::InventoryModule>> ListModules();

  Result<bool> ImportPackage(const MirroredRelease& release, const Platform& platform,
                             http::FileUpload upload);
  Result<bool> ImportDocuments(const MirroredRelease& release,
                               const wire::ReleaseDocuments& documents);
  Result<bool> ImportModule(const MirroredModule& module, const std::string& source,
                            http::FileUpload upload);

  // Downloads as a client would, so that the server fetches a package that it does not hold.
  Status DownloadPackage(const MirroredRelease& release, const std::string& filename,
                         ByteSink sink);
  Status DownloadModule(const MirroredModule& module, ByteSink sink);
};

// Checks one artifact on the server. Fails as ApiClient::Call does; kNotFound for artifacts that
// were removed in the meantime.
Result<wire::CheckOutcome> CheckStored(ApiClient& api, const wire::StoredArtifact& thing,
                                       const wire::VerifyRequest& wish);

}  // namespace koya::cli
