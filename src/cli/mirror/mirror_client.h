// MirrorClient calls a server's mirror to warm it: success means that the server holds the
// artifact, a failure says why not. One thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/version.h"
#include "hcl/source_address.h"
#include "http/client/client.h"
#include "wire/mirror.h"

namespace koya::cli {

class MirrorClient {
 public:
  // Timeouts for retries while the server responds "ask again later": of documents, and of
  // archives.
  static constexpr std::chrono::seconds kPatience{60};
  static constexpr std::chrono::seconds kFillTimeout{3600};

  explicit MirrorClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // Every function fails as ApiClient::Call does.

  // The valid versions; others are skipped, as clients do.
  Result<std::vector<Version>> ListVersions(const hcl::ProviderSource& source);
  // Also fails with kNotFound when the server has no such release and cannot fetch it.
  Result<wire::MirrorVersion> GetRelease(const hcl::ProviderSource& source, const Version& version);
  // Waits until the server holds the package, whole and verified.
  Status FetchPackage(const std::string& url);

  Result<std::vector<Version>> ListVersions(const hcl::ModuleSource& source);
  Status FetchModule(const hcl::ModuleSource& source, const Version& version);

 private:
  Result<std::string> Get(const std::string& path);
  // Sends `request` until the response is not "ask again later", or `patience` has passed.
  Result<http::ClientResponse> SendRequest(const std::string& path,
                                           const http::ClientRequest& request,
                                           std::chrono::seconds patience);

  ApiClient api_;
};

}  // namespace koya::cli
