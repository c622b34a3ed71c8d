// ProtocolSource fetches modules and providers by the registry protocols, as clients do, and lists
// them as its product does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/import/source.h"
#include "domain/host_name.h"
#include "upstream/credentials.h"
#include "upstream/fetcher.h"
#include "upstream/modules/registry_modules.h"
#include "upstream/registry_source.h"
#include "upstream/service_directory.h"
#include "upstream/verification.h"
#include "wire/foreign/foreign_versions.h"

namespace koya::cli {

class ProtocolSource;

// A user's name and password from ~/.netrc.
struct NetrcLogin {
  std::string user;
  std::string password;
};

struct ProtocolOptions {
  HostName host;
  upstream::UpstreamOptions http;
  std::vector<clients::StoredCredential> credentials = {};
  std::optional<NetrcLogin> netrc = {};
  // Where the services are, for products that do not say so at their host's root: "modules.v1".
  std::map<std::string, std::string> services = {};
  std::function<Result<std::vector<wire::ListedPackage>>(ProtocolSource&)> list = {};
  // Waits after 429; for tests.
  std::function<void(std::chrono::seconds)> wait = {};
};

class ProtocolSource final : public ImportSource {
 public:
  // Fails: as Fetcher::Create.
  static Result<std::unique_ptr<ProtocolSource>> Create(ProtocolOptions options);

  const std::string& name() const override { return options_.host.display(); }
  Result<std::vector<wire::ListedPackage>> ListPackages() override { return options_.list(*this); }
  Result<std::vector<wire::ListedVersion>> ListVersions(
      const wire::ListedPackage& package) override;
  std::optional<UnixSeconds> FindReleaseTime(const wire::ListedPackage& package,
                                             const Version& version) override;
  Result<FetchedArchive> FetchModule(const ModuleAddress& address, const Version& version, int file,
                                     const std::filesystem::path& scratch) override;
  Result<SourceRelease> FetchRelease(const ProviderAddress& address,
                                     const Version& version) override;
  Status FetchPackage(const ProviderAddress& address, const Version& version,
                      const SourcePackage& package, ByteSink sink) override;

  // ---- for lists

  // A document of this host; `path` may be absolute, with a query. `basic`: sends the login of
  // ~/.netrc as such, not as a token. Fails: kBadUpstream also for a page in HTML.
  Result<std::string> GetDocument(const std::string& path, const std::string& what,
                                  bool basic = false);
  // The URL of a service, without a slash at its end. Fails: kNotFound.
  Result<std::string> FindService(std::string_view id);

 private:
  explicit ProtocolSource(ProtocolOptions options) : options_(std::move(options)) {}
  upstream::TokenSource Tokens();
  // Calls `fetch` again after 429, when the source says so.
  template <class Fetch>
  auto Patiently(const Fetch& fetch) -> decltype(fetch());
  Result<upstream::Document> GetFrom(std::string_view service, const std::string& path,
                                     const std::string& what);
  Result<std::vector<Platform>> PlatformsOf(const ProviderAddress& address, const Version& version);
  Result<std::pair<upstream::FetchedDownload, upstream::VerifiedDownload>> Describe(
      const ProviderAddress& address, const Version& version, const Platform& platform);

  const ProtocolOptions options_;
  SystemExchangeClock clock_;
  std::unique_ptr<upstream::Credentials> credentials_;
  std::unique_ptr<upstream::Fetcher> fetcher_;
  std::unique_ptr<upstream::ServiceDirectory> services_;
  std::unique_ptr<upstream::RegistrySource> providers_;
  std::unique_ptr<upstream::RegistryModules> modules_;

  std::mutex mutex_;                                               // for the rest
  std::map<std::string, wire::ProviderVersions> known_providers_;  // by address
  std::set<std::string> without_times_;                            // packages without details
};

// "acme/vpc/aws" for a URL: its parts percent-encoded. Pure.
std::string AddressPath(std::string_view address);

// The login of `host` in a netrc file's text; nullopt: there is none. Pure.
std::optional<NetrcLogin> FindNetrcLogin(std::string_view text, std::string_view host);

}  // namespace koya::cli
