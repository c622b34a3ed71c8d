// Reads the lists in which other products say what they have: modules and providers, with or
// without their versions. Entries that name nothing are skipped and counted, so that one of them
// does not invalidate the rest; nothing is normalised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// A version, as far as the list describes it.
struct ListedVersion {
  std::string version;       // as spelled
  std::string published_at;  // RFC 3339; "": not stated
  std::string digest;        // "sha256:…" of a module's archive; "": not stated
  std::uint64_t size = 0;    // of its files in bytes; 0: not stated
  std::string deprecation;   // the message for users; "": it is not deprecated
  friend bool operator==(const ListedVersion&, const ListedVersion&) = default;
};

struct ListedPackage {
  bool is_module = false;
  std::string address;                  // "acme/vpc/aws", "acme/demo"
  std::vector<ListedVersion> versions;  // of lists that have them
  friend bool operator==(const ListedPackage&, const ListedPackage&) = default;
};

struct ListedPage {
  std::vector<ListedPackage> packages;  // one with several entries in a list may be here repeatedly
  std::size_t entries = 0;              // of the page, with those that are left out
  std::string next;                     // the next page as the product names it; "": not stated
  std::size_t skipped = 0;              // entries of another shape

  // Adds a version to a package, which is the last one if its address is the same.
  void Add(bool is_module, std::string address, ListedVersion version);
};

// All fail with kInvalid for another document. `next` is an offset, a page's number, or a token.
//
// The list API of registries: /v1/modules?limit&offset, {"meta": {"next_offset"}, "modules": […]};
// the same of providers.
Result<ListedPage> DecodeModuleListing(std::string_view body);
Result<ListedPage> DecodeProviderListing(std::string_view body);
// GitLab: /api/v4/groups/ID/packages?package_type=terraform_module. `ns`: the top-level group,
// which is the namespace of its modules. Packages that are hidden or pending destruction are no
// entries.
Result<ListedPage> DecodeGitlabListing(std::string_view body, std::string_view ns);
// HCP Terraform: /api/v2/organizations/ORG/registry-modules, and …/registry-providers. Curated
// public modules and providers are no entries.
Result<ListedPage> DecodeHcpModules(std::string_view body);
Result<ListedPage> DecodeHcpProviders(std::string_view body);
// Artifactory: /artifactory/api/storage/REPOSITORY?list&deep=1, of a repository of modules or of
// providers.
Result<ListedPage> DecodeArtifactoryModules(std::string_view body);
Result<ListedPage> DecodeArtifactoryProviders(std::string_view body);
// Nexus: /service/rest/v1/components?repository=REPOSITORY
Result<ListedPage> DecodeNexusListing(std::string_view body);
// Terralist: /v1/api/artifacts/
Result<ListedPage> DecodeTerralistListing(std::string_view body);

}  // namespace koya::wire
