// Stored records of modules: plain records of well-formed values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/readable_namespaces.h"
#include "domain/version.h"
#include "domain/version_step.h"
#include "domain/withdrawal.h"

namespace koya {

// A published version of a module, as served.
struct ModuleVersionRecord {
  ModuleAddress address;  // in the letter case of the module's first publish
  Version version;
  ArchiveKind kind = ArchiveKind::kTarGz;
  Digest digest;           // of the archive that is served
  std::uint64_t size = 0;  // of the archive that is served
  Digest upload_digest;    // of the uploaded bytes; differs when they were repacked
  std::string description;
  UnixSeconds published_at = 0;
  std::string published_by;  // name of the token
  // The claims of the CI identity that published it, as JSON; "": none.
  std::string provenance = {};
  std::string deprecation = {};          // the warning to its users; "": not deprecated
  std::optional<VersionStep> step = {};  // since the version before; nullopt: not compared
};

// A withdrawn version.
struct WithdrawnModuleVersion {
  Version version;
  UnixSeconds published_at = 0;
  Withdrawal withdrawal;
};

// A module with its newest version (newest release, else newest prerelease).
struct ModuleSummary {
  ModuleAddress address;
  Version latest;
  std::string description;
  UnixSeconds published_at = 0;  // of `latest`
  std::uint64_t versions = 0;    // not withdrawn
};

// Selects modules for a listing. Empty fields do not restrict; all compare without letter case.
struct ModuleFilter {
  std::string ns;
  std::string name;
  std::string system;
  std::string query;  // matches when each word occurs in namespace, name, system or description
  std::string after;  // only modules after this address ("acme/vpc/aws") in order
  ReadableNamespaces readable;  // only modules in these namespaces
};

}  // namespace koya
