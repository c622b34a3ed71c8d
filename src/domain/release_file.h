// The names of a provider release's files, as GoReleaser and the public registries have them:
// terraform-provider-TYPE_VERSION_OS_ARCH.zip, …_SHA256SUMS, …_SHA256SUMS.sig, …_manifest.json. And
// what Koya takes beside them: …_docs.zip, …_schema.json or …_schema.json.gz.
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

// What `name` is in the release of `address` at `version`; ".asc" and ".gpg" are signatures too.
// Fails: kInvalid, saying which part differs from what it must be: another type, another version, a
// "v" before the version, an unknown platform, an ending that no file of a release has.
Result<ReleaseFile> ParseReleaseFile(std::string_view name, const ProviderAddress& address,
                                     const Version& version);

// Whether `name` can be the name of a file at all: 1–255 bytes of printable UTF-8 without "/" and
// "\", not "." or "..". Fails: kInvalid.
Status CheckReleaseFileName(std::string_view name);

std::string PackageFileName(const ProviderAddress& address, const Version& version,
                            const Platform& platform);
std::string SumsFileName(const ProviderAddress& address, const Version& version);
std::string SignatureFileName(const ProviderAddress& address, const Version& version);
std::string ManifestFileName(const ProviderAddress& address, const Version& version);
std::string DocsFileName(const ProviderAddress& address, const Version& version);
// Without ".gz".
std::string SchemaFileName(const ProviderAddress& address, const Version& version);

// The version that stands in a release file's name, for a folder whose version nobody named:
// "1.2.3" of "terraform-provider-demo_1.2.3_linux_amd64.zip"; nullopt when there is none.
std::optional<std::string> VersionInReleaseFile(std::string_view name, std::string_view type);

}  // namespace koya
