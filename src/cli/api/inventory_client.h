// Clients of the API of what a server stores: the mirror's inventory, and "koya verify". One
// thread.
#pragma once

#include <cstdint>
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

// Parses a release or module of the server's inventory into validated types: its texts become paths
// of requests and files. Fails: kInvalid.
Result<MirroredRelease> ParseInventory(const wire::InventoryRelease& release);
Result<MirroredModule> ParseInventory(const wire::InventoryModule& module);

// The mirror's inventory. Every function fails as ApiClient::Call does. Imports return false when
// the server already had exactly the same.
class InventoryClient {
 public:
  explicit InventoryClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // Checks that the token is an administrator's without namespace patterns, which all changes
  // require: called once, before a thousand requests are denied one by one.
  Status RequireRightsToAll();

  // All of them, from all pages.
  Result<std::vector<wire::InventoryRelease>> ListReleases();
  Result<std::vector<wire::InventoryModule>> ListModules();

  Result<bool> ImportPackage(const MirroredRelease& release, const Platform& platform,
                             http::FileUpload upload);
  Result<bool> ImportDocuments(const MirroredRelease& release,
                               const wire::InventoryDocuments& documents);
  Result<bool> ImportModule(const MirroredModule& module, const std::string& source,
                            http::FileUpload upload);

  Result<wire::InventoryDocuments> GetDocuments(const MirroredRelease& release);
  // Downloads as a client would, so that the server fetches a package that it does not hold.
  Status DownloadPackage(const MirroredRelease& release, const std::string& filename,
                         ByteSink sink);
  Status DownloadModule(const MirroredModule& module, ByteSink sink);

  Status ReleasePackage(const MirroredRelease& release, const Platform& platform);
  Status ReleaseModule(const MirroredModule& module);

 private:
  Result<bool> Put(const std::string& path, http::ClientRequest request);
  Status Download(const std::string& path, ByteSink sink);

  ApiClient api_;
};

// What "koya verify" asks. Every function fails as ApiClient::Call does.
class VerifyClient {
 public:
  explicit VerifyClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // The page of stored artifacts that begins after `after`; "" for the first. `of`: "", "mirror" or
  // "storage", as in GET /api/v1/verify.
  Result<wire::ArtifactList> List(const std::string& after, std::string_view of);
  // Fails with kNotFound for artifacts that were removed in the meantime.
  Result<wire::CheckOutcome> Check(const wire::StoredArtifact& thing,
                                   const wire::VerifyRequest& wish);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
