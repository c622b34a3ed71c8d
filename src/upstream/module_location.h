// Where a registry says that a module is: the addresses of go-getter, as far as a server may follow
// them (wire facts §2.3 to §2.5). Pure functions: any thread.
//
// Followed: https archives, git over https and ssh in all their spellings, https pages that name
// another place. Refused: everything that is not encrypted, that names this machine, that needs
// credentials inside, or another system's program (hg, S3, GCS, OCI).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "http/url.h"

namespace koya::upstream {

enum class PackageFormat { kByContent, kZip, kTarGz, kTarBz2, kTarXz };

struct PackageChecksum {
  enum class Algorithm { kMd5, kSha1, kSha256, kSha512 };
  Algorithm algorithm = Algorithm::kSha256;
  std::string hex;  // lower case, of the algorithm's length
  friend bool operator==(const PackageChecksum&, const PackageChecksum&) = default;
};

// Folders below are as in FetchedModule: "modules/vpc", "*" first only for archives.

struct PackedLocation {
  http::Url url;  // https; without what go-getter keeps for itself
  PackageFormat format = PackageFormat::kByContent;
  std::optional<PackageChecksum> checksum = {};
  std::string folder = {};
};

// A page that says in X-Terraform-Get or <meta name="terraform-get"> where the module is.
struct PageLocation {
  http::Url url;  // https, with terraform-get=1
  std::string folder = {};
};

struct GitLocation {
  http::Url url;          // https or ssh, without user information and query
  std::string user = {};  // only for ssh; "" for none
  // A branch, a tag or a commit, fit to stand in a command; "" for the repository's HEAD.
  std::string ref = {};
  std::string folder = {};
};

using ModuleLocation = std::variant<PackedLocation, PageLocation, GitLocation>;

// `text` as a registry or a page gave it; relative ones ("/", "./", "../" in front) are seen from
// `asked`, the URL that was asked, before redirects. Fails: kBadUpstream, saying what cannot be
// followed and why; never with user information or a query.
Result<ModuleLocation> ParseModuleLocation(const http::Url& asked, std::string_view text);

// The location of a document that has "use_registry_credentials": a plain URL of any relative form,
// the bytes say what it is. Fails as above.
Result<ModuleLocation> ParseDirectLocation(const http::Url& asked, std::string_view text);

// What a page's <meta name="terraform-get" content="…"> says; "" when it has none before its body.
std::string FindTerraformGet(std::string_view html);

// A folder inside another, both as in FetchedModule.
std::string JoinFolders(std::string_view outer, std::string_view inner);

// `text` fit to be shown: without what may be secret in it.
std::string ShownLocation(std::string_view text);

}  // namespace koya::upstream
