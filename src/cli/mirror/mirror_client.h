// A server's mirror as those who warm it ask it: each answer means that the server holds the thing,
// or why not. One thread.
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
  // How long an answer that says "ask again later" is obeyed, and how long a package may take.
  static constexpr std::chrono::seconds kPatience{60};
  static constexpr std::chrono::seconds kFillPatience{3600};

  explicit MirrorClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // Every function fails as ApiClient::Call does.

  // Those that are versions; others are passed over, as clients do.
  Result<std::vector<Version>> ListVersions(const hcl::ProviderSource& source);
  // Fails, besides: kNotFound when the server has no such release and cannot get it.
  Result<wire::MirrorVersion> GetRelease(const hcl::ProviderSource& source, const Version& version);
  // Waits until the server holds the package, whole and verified.
  Status FetchPackage(const std::string& url);

  Result<std::vector<Version>> ListVersions(const hcl::ModuleSource& source);
  Status FetchModule(const hcl::ModuleSource& source, const Version& version);

 private:
  Result<std::string> Get(const std::string& path);
  // Sends `request` until its answer is another than "ask again later", or the patience is over.
  Result<http::ClientResponse> Ask(const std::string& path, const http::ClientRequest& request,
                                   std::chrono::seconds patience);

  ApiClient api_;
};

}  // namespace koya::cli
