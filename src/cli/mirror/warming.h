// Makes a server fetch and store the requested providers and modules, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "domain/platform.h"
#include "domain/version_constraint.h"
#include "hcl/source_address.h"

namespace koya::cli {

// Exactly this version, whose packages must have one of these hashes (none: not compared).
struct LockedRelease {
  Version version;
  std::vector<std::string> hashes;
  std::string place;  // ".terraform.lock.hcl:4"
};

struct ProviderRequest {
  hcl::ProviderSource source;
  VersionConstraint constraint;
  std::optional<LockedRelease> lock = {};  // overrides `constraint`
};

struct ModuleRequest {
  hcl::ModuleSource source;
  VersionConstraint constraint;
};

// The providers and modules to warm a server's mirror with: from words of a command line, a lock
// file, a configuration. Reads files, and sends no requests.
struct WarmingRequest {
  std::vector<ProviderRequest> providers;
  std::vector<ModuleRequest> modules;
  std::vector<std::string> problems;  // parts that could not be read, which need attention
  std::vector<std::string> notes;     // notices for the user

  // Adds "[HOST/]NS/TYPE[@CONSTRAINT]" or "[HOST/]NS/NAME/SYSTEM[@CONSTRAINT]". The first of three
  // parts is a host when it has a dot or a port. Fails: kInvalid.
  Status AddAddress(std::string_view text, const HostName& default_host);
  // Fails: kInvalid, naming file and line.
  Status AddLockFile(const std::string& path);
  // Adds a configuration's folder; a lock file in it decides the versions of the providers that it
  // names. Fails: kInvalid.
  Status AddConfiguration(const std::string& folder, const HostName& default_host);
};

// One result: a package of a provider, a module, or (with a failure) the provider, module or
// release at which warming failed.
struct Warmed {
  std::string address;   // "registry.opentofu.org/hashicorp/random"
  std::string version;   // "" when none was found
  std::string platform;  // "" for modules
  std::optional<Error> failure;

  // "registry.opentofu.org/hashicorp/random 3.6.0 linux_amd64"
  std::string Name() const;
};

struct WarmingOptions {
  RegistryClientOptions connection;
  std::vector<Platform> platforms;  // empty: all platforms of each release
  bool all_versions = false;        // all allowed versions, not only the newest
  std::size_t jobs = 4;
  // Called for each result as soon as it succeeds or fails, one at a time; `done` of `total`.
  std::function<void(const Warmed&, std::size_t done, std::size_t total)> on_done = {};
};

// Continues after failures. Results are sorted by name.
std::vector<Warmed> WarmMirror(const WarmingRequest& wishes, const WarmingOptions& options);

}  // namespace koya::cli
