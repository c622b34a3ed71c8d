// WarmingRequest lists the providers and modules to warm a server's mirror with: from words of a
// command line, a lock file, a configuration. Reads files, and sends no requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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

}  // namespace koya::cli
