// The API of what is kept of other registries, as the commands call it. One thread.
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

// What the server says a release or module is, in types that cannot be wrong: its texts become
// paths of requests and files. Fails: kInvalid.
Result<MirroredRelease> ParseInventory(const wire::InventoryRelease& release);
Result<MirroredModule> ParseInventory(const wire::InventoryModule& module);

// Every function fails as ApiClient::Call does. Those that import return false when the server had
// the very same already.
class InventoryClient {
 public:
  explicit InventoryClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // Whether the token is an administrator's without namespace patterns, as changing anything wants:
  // asked before a thousand things are refused one by one.
  Status RequireRightsToAll();

  // Everything, every page.
  Result<std::vector<wire::InventoryRelease>> ListReleases();
  Result<std::vector<wire::InventoryModule>> ListModules();

  Result<bool> ImportPackage(const MirroredRelease& release, const Platform& platform,
                             http::FileUpload upload);
  Result<bool> ImportDocuments(const MirroredRelease& release,
                               const wire::InventoryDocuments& documents);
  Result<bool> ImportModule(const MirroredModule& module, const std::string& source,
                            http::FileUpload upload);

  Result<wire::InventoryDocuments> GetDocuments(const MirroredRelease& release);
  // As a client would get it, so that what is not held is fetched.
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

}  // namespace koya::cli
