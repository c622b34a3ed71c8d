// Stored records of modules, and of the contents of their versions: plain records of well-formed
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/source_repository.h"
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
  // As CI's claims say it, else as the publisher does; nullopt: not known, or published before it
  // was recorded.
  std::optional<SourceRepository> source = {};
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
  bool deprecated = false;       // `latest` is
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

// A version of a module that is published here or mirrored from another registry.
struct ModuleSubject {
  std::string host;  // ASCII form of the other registry's host; "": published here
  ModuleAddress address;
  Version version;

  bool IsPublishedHere() const { return host.empty(); }
  // Key of all versions of the module: as the module's own key, or UpstreamModule's.
  std::string Key() const { return host.empty() ? address.Key() : host + "/" + address.Key(); }
};

struct ContentsRecord {
  // The number of the reader that analyzed it. An improved reader has a higher number.
  std::uint64_t reader = 0;
  std::string body;  // the reader's result; UTF-8. Opaque to the catalog
  friend bool operator==(const ContentsRecord&, const ContentsRecord&) = default;
};
// The size of a record, without its body.
struct ContentsSize {
  std::uint64_t reader = 0;
  std::uint64_t bytes = 0;  // of the body
};
// The maximum length of a body, in bytes: longer ones are not stored.
inline constexpr std::size_t kLongestContents = 32U << 20;

// A version that no reader or only an older one has analyzed, and the location of its archive.
struct UnreadModule {
  // Where to continue: all modules published here come before all of other registries.
  struct Place {
    bool mirrored = false;
    std::int64_t row = 0;
  };
  Place place;
  ModuleSubject subject;
  ArchiveKind kind = ArchiveKind::kTarGz;
  Digest digest;
  std::uint64_t size = 0;
};

}  // namespace koya
