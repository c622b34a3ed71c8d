// The location of a module's package: the parsed and checked result of module_location.h.
#pragma once

#include <optional>
#include <string>
#include <variant>

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
  http::Url url;  // https; without go-getter's own parameters
  PackageFormat format = PackageFormat::kByContent;
  std::optional<PackageChecksum> checksum = {};
  std::string folder = {};
};

// A page that gives the module's location in X-Terraform-Get or <meta name="terraform-get">.
struct PageLocation {
  http::Url url;  // https, with terraform-get=1
  std::string folder = {};
};

struct GitLocation {
  http::Url url;          // https or ssh, without user information and query
  std::string user = {};  // only for ssh; "": none
  // A branch, a tag or a commit, safe in a command; "" for the repository's HEAD.
  std::string ref = {};
  std::string folder = {};
};

using ModuleLocation = std::variant<PackedLocation, PageLocation, GitLocation>;

}  // namespace koya::upstream
