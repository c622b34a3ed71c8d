// What a server's mirror is to be warmed with: from command line words, a lock file, a
// configuration. Reads files, asks nobody.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/version_constraint.h"
#include "hcl/source_address.h"

namespace koya::cli {

// Exactly this version, and one of these hashes on its packages (none: not compared).
struct LockedRelease {
  Version version;
  std::vector<std::string> hashes;
  std::string place;  // ".terraform.lock.hcl:4"
};

struct ProviderWish {
  hcl::ProviderSource source;
  VersionConstraint constraint;
  std::optional<LockedRelease> lock = {};  // then `constraint` does not matter
};

struct ModuleWish {
  hcl::ModuleSource source;
  VersionConstraint constraint;
};

struct MirrorWishes {
  std::vector<ProviderWish> providers;
  std::vector<ModuleWish> modules;
  std::vector<std::string> problems;  // what could not be read: somebody has to look
  std::vector<std::string> notes;     // what the user should know

  // "[HOST/]NS/TYPE[@CONSTRAINT]", "[HOST/]NS/NAME/SYSTEM[@CONSTRAINT]". The first of three parts
  // is a host when it has a dot or a port. Fails: kInvalid.
  Status AddAddress(std::string_view text, const HostName& default_host);
  // Fails: kInvalid, naming file and line.
  Status AddLockFile(const std::string& path);
  // A configuration's folder; a lock file in it decides the versions of what it names. Fails:
  // kInvalid.
  Status AddConfiguration(const std::string& folder, const HostName& default_host);
};

}  // namespace koya::cli
