// ProviderClient adds to the endpoints what calls about providers need: pages, releases put
// together from several documents, commits, and paths of the provider registry protocol. One
// thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "wire/modules.h"
#include "wire/provider_docs.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::cli {

// The release that a call concerns.
struct ReleaseId {
  ProviderAddress address;
  Version version;
  std::string ToString() const { return address.ToString() + " " + version.ToString(); }
};
inline std::array<std::string, 3> PathParts(const ReleaseId& release) {
  return {release.address.ns(), release.address.type(), release.version.ToString()};
}

struct CommitAnswer {
  // All of the server's reasons to reject the draft; if there are any, the rest is empty.
  std::vector<std::string> problems;
  wire::PublishedProvider provider;
  bool created = false;  // false: the same release had been published before
};

// Every function fails as ApiClient::Call does.
class ProviderClient : public ApiClient {
 public:
  using ApiClient::ApiClient;

  // All providers, of one namespace if it is not empty, from all pages.
  Result<wire::ProviderList> ListProviders(std::string_view ns);
  // The latest version when `version` is nullopt.
  Result<wire::ProviderDetails> ShowProvider(const ProviderAddress& address,
                                             const std::optional<Version>& version);
  // Contents of a version; without docs and schema when the server knows of none.
  Result<wire::ProviderInside> ShowInside(const ProviderAddress& address, std::string_view version);
  // The release that is published under this version, as a publish would return it; nullopt when
  // there is none.
  Result<std::optional<wire::PublishedProvider>> FindPublished(const ReleaseId& release);

  Result<CommitAnswer> Commit(const ReleaseId& release, std::string_view draft,
                              const wire::CommitRequest& request);
  // Dry run of Commit: publishes nothing. Also fails with kRefused: the server is too old to know
  // dry runs.
  Result<CommitAnswer> Check(const ReleaseId& release, std::string_view draft,
                             const wire::CommitRequest& request);

 private:
  Result<CommitAnswer> Finish(RequestLine<wire::CommitRequest, wire::PublishedProvider> line,
                              const wire::CommitRequest& request);
  Result<wire::PublishedPackage> FindPackage(const ReleaseId& release,
                                             const wire::PlatformName& platform);
};

}  // namespace koya::cli
