// ImportSource is where an import's modules and providers come from. See protocol_source.h and
// boring_folder.h.
//
// Functions block, and may be called by several threads. Failures, besides those named: as of
// upstream::ProviderSource. Messages never contain tokens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "base/clock.h"
#include "base/result.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "wire/foreign/foreign_listings.h"

namespace koya::cli {

// A module's archive in a file of the caller.
struct FetchedArchive {
  std::uint64_t size = 0;
  std::string folder;  // of the module in it, as of upstream::FetchedModule
};

struct SourcePackage {
  Platform platform;
  std::string filename;
  Digest digest;
};

// The signed description of a provider's release.
struct SourceRelease {
  std::vector<std::string> protocols;
  std::string sums;                     // SHA256SUMS, byte for byte
  std::string signature;                // of it, byte for byte
  std::string key;                      // ASCII armor of the key that made the signature
  std::vector<SourcePackage> packages;  // all that SHA256SUMS lists
};

class ImportSource {
 public:
  virtual ~ImportSource() = default;

  // For provenance and messages: "registry.example.com".
  virtual const std::string& name() const = 0;
  // Modules and providers, perhaps with their versions. Fails: kBadUpstream also for pages that
  // never end.
  virtual Result<std::vector<wire::ListedPackage>> ListPackages() = 0;
  // The versions of a package that the list did not state. Fails: kNotFound.
  virtual Result<std::vector<wire::ListedVersion>> ListVersions(
      const wire::ListedPackage& package) = 0;
  // The time of a version's release; nullopt: not stated.
  virtual std::optional<UnixSeconds> FindReleaseTime(const wire::ListedPackage& package,
                                                     const Version& version) = 0;
  // Writes the archive to `file`, which is empty and open for reading and writing. `scratch`: an
  // existing folder for temporary files.
  virtual Result<FetchedArchive> FetchModule(const ModuleAddress& address, const Version& version,
                                             int file, const std::filesystem::path& scratch) = 0;
  // Fetches and verifies what a client verifies. Fails: kBadUpstream also for a signature that is
  // missing or by an unknown key, and for documents that crash clients.
  virtual Result<SourceRelease> FetchRelease(const ProviderAddress& address,
                                             const Version& version) = 0;
  // The bytes are not verified against the package's digest.
  virtual Status FetchPackage(const ProviderAddress& address, const Version& version,
                              const SourcePackage& package, ByteSink sink) = 0;
};

}  // namespace koya::cli
