// Where other people's modules come from: a registry, and what its answers point to. Interface and
// the values that it yields; see registry_modules.h.
//
// Every function blocks and is meant for a worker pool; sources are thread-safe. Failures, besides
// what a function names, are those of provider_source.h, and are about upstream: kNotFound,
// kBadUpstream, kUpstreamTimeout, kUnavailable with Error::retry_after. Messages name the host and
// never a token.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/version.h"
#include "upstream/package_location.h"
#include "upstream/patience.h"
#include "upstream/provider_source.h"

namespace koya {
class HostName;
class ModuleAddress;
}  // namespace koya

namespace koya::upstream {

// The versions of a module, or word that the list held is still the one.
struct FetchedModuleVersions {
  bool unchanged = false;  // 304: `versions` is empty
  // In the order in which upstream has them, each once, in their canonical spelling. Strings that
  // clients warn about and pass over, or that no version of ours can hold, are left out and
  // counted.
  std::vector<Version> versions;
  std::size_t skipped = 0;
  Validators validators;
};

// What a module may cost to bring here.
inline constexpr LimitName kModuleTimeLimit = "fixed.module_fetch_time";
inline constexpr LimitName kModuleBytesLimit = "limits.module_bytes";

struct ModuleBounds {
  std::uint64_t package_bytes = 500ULL << 20;  // of an archive, or of what git transfers
  std::chrono::seconds time{300};              // in all, the download document included
};

// Where a module's package is brought, and at what cost.
struct ModuleDelivery {
  int file;  // takes the package: empty, open for reading and writing, its offset at 0
  // An existing folder for what else has to lie on disk meanwhile; nothing is left in it.
  const std::filesystem::path& scratch;
  const ModuleBounds& bounds;
  Patience patience = {};
  // Of an archive: told once, before the first byte, the length that upstream announced, if it did;
  // then before each piece is written. What they fail with ends the transfer.
  std::function<Status(std::optional<std::uint64_t> length)> on_start = {};
  std::function<Status(std::uint64_t bytes)> on_bytes = {};
};

// Where a module's package lies, as its registry says.
struct LocatedModule {
  std::string authority;  // whom the package is waited for from
  ModuleLocation location;
};

// A module's package as it came: an archive in a file of the caller's.
struct FetchedModule {
  std::uint64_t size = 0;  // bytes written, from offset 0
  // Where in the archive the module lies, without slashes at its ends: "" for the root,
  // "modules/vpc"; a first part "*" stands for the archive's one top folder ("*", "*/modules/vpc").
  std::string folder;
  std::string source;                 // where it came from, for people; no credentials, no query
  std::vector<std::string> warnings;  // for the log
};

class ModuleSource {
 public:
  virtual ~ModuleSource() = default;

  virtual Result<FetchedModuleVersions> Versions(const HostName& host, const ModuleAddress& address,
                                                 const Validators& held,
                                                 const Patience& patience) = 0;
  // Asks where the module is. kNotFound is the registry's word only.
  virtual Result<LocatedModule> Locate(const HostName& host, const ModuleAddress& address,
                                       const Version& version, const Patience& patience) = 0;
  // Brings the package: .zip or .tar.gz bytes. A git repository is brought as .tar.gz with its
  // files at the root; packages in bzip2 and xz fail with kBadUpstream. Nothing is known yet of
  // what the archive holds: names, links and sizes are for the caller to judge. Fails, besides,
  // with kTooLarge over `bounds.package_bytes`; after a failure the file holds anything.
  virtual Result<FetchedModule> Fetch(const LocatedModule& located,
                                      const ModuleDelivery& delivery) = 0;
};

}  // namespace koya::upstream
