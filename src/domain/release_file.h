// Names of the files of a provider release, as GoReleaser and the public registries use them:
// terraform-provider-TYPE_VERSION_OS_ARCH.zip, …_SHA256SUMS, …_SHA256SUMS.sig, …_manifest.json.
// Koya also accepts …_docs.zip, …_schema.json or …_schema.json.gz.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/platform.h"

namespace koya {

class ProviderAddress;
class Version;

struct ReleaseFile {
  enum class Kind { kPackage, kSums, kSignature, kManifest, kDocs, kSchema };
  Kind kind = Kind::kPackage;
  std::optional<Platform> platform;  // for kPackage
};

inline constexpr std::size_t kMaxReleaseFileName = 255;

// Parses `name` as a file of the release of `address` at `version`; ".asc" and ".gpg" are
// signatures too. Fails: kInvalid, naming the part that is wrong: another type, another version, a
// "v" before the version, an unknown platform, an ending that no file of a release has.
Result<ReleaseFile> ParseReleaseFile(std::string_view name, const ProviderAddress& address,
                                     const Version& version);

// Checks that `name` is a valid file name: 1–255 bytes of printable UTF-8 without "/" and "\", not
// "." or "..". Fails: kInvalid.
Status CheckReleaseFileName(std::string_view name);

std::string PackageFileName(const ProviderAddress& address, const Version& version,
                            const Platform& platform);
std::string SumsFileName(const ProviderAddress& address, const Version& version);
std::string SignatureFileName(const ProviderAddress& address, const Version& version);
std::string ManifestFileName(const ProviderAddress& address, const Version& version);
std::string DocsFileName(const ProviderAddress& address, const Version& version);
// Without ".gz".
std::string SchemaFileName(const ProviderAddress& address, const Version& version);

// The version in a release file's name, for a folder whose version was not given: "1.2.3" of
// "terraform-provider-demo_1.2.3_linux_amd64.zip"; nullopt if there is none.
std::optional<std::string> VersionInReleaseFile(std::string_view name, std::string_view type);

}  // namespace koya
