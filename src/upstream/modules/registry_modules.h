// Modules of other registries: the client side of modules.v1, and of the locations it points to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/version.h"
#include "upstream/fetcher.h"
#include "upstream/module_source.h"
#include "upstream/modules/git_package.h"
#include "upstream/modules/module_location.h"
#include "upstream/service_directory.h"

namespace koya::upstream {

class RegistryModules final : public ModuleSource {
 public:
  // Both must outlive the source. Tokens go only to the registry's own host, never to its targets.
  RegistryModules(Fetcher& fetcher, ServiceDirectory& services, TokenSource tokens,
                  GitPrograms programs = {})
      : fetcher_(fetcher),
        services_(services),
        tokens_(std::move(tokens)),
        git_(fetcher, std::move(programs)) {}

  // Ends within options.timeout, including discovery.
  Result<FetchedModuleVersions> Versions(const HostName& host, const ModuleAddress& address,
                                         const Validators& held, const Deadline& patience) override;
  Result<wire::ForeignDetails> Details(const HostName& host, const ModuleAddress& address,
                                       const Version& version, const Deadline& patience) override;
  // The documents together end within options.timeout.
  Result<LocatedModule> Locate(const HostName& host, const ModuleAddress& address,
                               const Version& version, const Deadline& patience) override;
  // A missing package is kBadUpstream. A package that stalls for options.timeout is cancelled.
  Result<FetchedModule> Fetch(const LocatedModule& located,
                              const ModuleDelivery& delivery) override;

 private:
  // Fills in the request's URL, token and fields.
  Result<Document> FetchDocument(const HostName& host, const std::string& path,
                                 DocumentRequest& request);
  Result<ModuleLocation> ReadDownload(const HostName& host, const ModuleAddress& address,
                                      const Version& version, const Deadline& patience);
  Result<ModuleLocation> ReadPage(const PageLocation& page, const Deadline& patience);
  Result<FetchedModule> FetchArchive(const PackedLocation& location,
                                     const ModuleDelivery& delivery);
  Result<FetchedModule> FetchGit(const GitLocation& location, const ModuleDelivery& delivery);

  Fetcher& fetcher_;
  ServiceDirectory& services_;
  const TokenSource tokens_;
  GitPackages git_;
};

// Converts the versions in another registry's module list to the spelling in which clients request
// them. Pure.
//
// Reads a version in a list as clients do (hashicorp/go-version, wire facts §2.2): "v1.2" is 1.2.0,
// "01.0.0" is 1.0.0, "1.0.0rc1" is 1.0.0-rc1. nullopt for strings that they skip, and for versions
// that Koya cannot represent: four numbers, numbers of 2^63 and more, "~", 0.0.0.
std::optional<Version> CanonicalVersion(std::string_view text);

struct CanonicalVersions {
  std::vector<Version> versions;  // in the order of the list, each once
  std::size_t skipped = 0;        // entries without a canonical spelling
};
CanonicalVersions CanonicalVersionsOf(const std::vector<std::string>& list);

}  // namespace koya::upstream
