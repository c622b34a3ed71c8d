// Modules of other registries: the registry, and the locations that it points to. Interface and
// result types; see registry_modules.h.
//
// Every function blocks and is meant for a worker pool; sources are thread-safe. Failures, in
// addition to those named at a function, are those of provider_source.h, and concern upstream:
// kNotFound, kBadUpstream, kUpstreamTimeout, kUnavailable with Error::retry_after. Messages name
// the host and never a token.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "domain/version.h"
#include "http/url.h"
#include "upstream/deadline.h"
#include "upstream/provider_source.h"

namespace koya {
class HostName;
class ModuleAddress;
}  // namespace koya

namespace koya::upstream {

// ---- the location of a module's package: the parsed and checked result of module_location.h

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

// The versions of a module, or the information that the stored list is still current.
struct FetchedModuleVersions {
  bool unchanged = false;  // 304: `versions` is empty
  // In upstream's order, each once, in their canonical spelling. Strings that clients skip with a
  // warning, or that Koya's versions cannot represent, are left out and counted.
  std::vector<Version> versions;
  std::size_t skipped = 0;
  // Release times as the registry spells them, by canonical version; of those that state one.
  std::map<std::string, std::string> discovered = {};
  Validators validators;
};

// Limits on fetching a module.
inline constexpr LimitName kModuleTimeLimit = "fixed.module_fetch_time";
inline constexpr LimitName kModuleBytesLimit = "limits.module_bytes";

struct ModuleLimits {
  std::uint64_t package_bytes = 500ULL << 20;  // of an archive, or of what git transfers
  std::chrono::seconds time{300};              // in total, including the download document
};

// Where to write a module's package, and the limits.
struct ModuleDelivery {
  int file;  // receives the package: empty, open for reading and writing, its offset at 0
  // An existing folder for other temporary files; it is empty again afterwards.
  const std::filesystem::path& scratch;
  const ModuleLimits& bounds;
  Deadline patience = {};
  // For an archive: on_start is called once, before the first byte, with the length that upstream
  // announced, if it did; on_bytes before each piece is written. Their errors end the transfer.
  std::function<Status(std::optional<std::uint64_t> length)> on_start = {};
  std::function<Status(std::uint64_t bytes)> on_bytes = {};
};

// The location of a module's package, as its registry gives it.
struct LocatedModule {
  std::string authority;  // the host that the package is fetched from
  ModuleLocation location;
};

// A module's package as fetched: an archive in the caller's file.
struct FetchedModule {
  std::uint64_t size = 0;  // bytes written, from offset 0
  // The folder of the module in the archive, without slashes at its ends: "" for the root,
  // "modules/vpc"; a first part "*" stands for the archive's only top folder ("*",
  // "*/modules/vpc").
  std::string folder;
  std::string source;                 // its origin, for display; no credentials, no query
  std::vector<std::string> warnings;  // for the log
};

class ModuleSource {
 public:
  virtual ~ModuleSource() = default;

  virtual Result<FetchedModuleVersions> Versions(const HostName& host, const ModuleAddress& address,
                                                 const Validators& held,
                                                 const Deadline& patience) = 0;
  // As ProviderSource::Details.
  virtual Result<wire::ForeignDetails> Details(const HostName& host, const ModuleAddress& address,
                                               const Version& version,
                                               const Deadline& patience) = 0;
  // Asks the registry for the module's location. kNotFound comes only from the registry itself.
  virtual Result<LocatedModule> Locate(const HostName& host, const ModuleAddress& address,
                                       const Version& version, const Deadline& patience) = 0;
  // Fetches the package: .zip or .tar.gz bytes. A git repository is converted to .tar.gz with its
  // files at the root; packages in bzip2 and xz fail with kBadUpstream. The contents of the archive
  // are not checked yet: the caller must check names, links and sizes. Also fails with kTooLarge
  // over `bounds.package_bytes`; after a failure the content of the file is undefined.
  virtual Result<FetchedModule> Fetch(const LocatedModule& located,
                                      const ModuleDelivery& delivery) = 0;
};

}  // namespace koya::upstream
