#include "domain/release_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "domain/provider_address.h"
#include "domain/version.h"

namespace koya {
namespace {

constexpr std::string_view kPrefix = "terraform-provider-";
constexpr std::string_view kSums = "SHA256SUMS";
constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kDocs = "docs.zip";
constexpr std::string_view kSchema = "schema.json";
constexpr std::string_view kPackedSchema = "schema.json.gz";
constexpr std::string_view kZip = ".zip";
constexpr auto kSignatureEndings = std::to_array<std::string_view>({".sig", ".asc", ".gpg"});

std::string NameOf(const ProviderAddress& address, const Version& version, std::string_view rest) {
  return fmt::format("{}{}_{}_{}", kPrefix, address.type(), version.ToString(), rest);
}

// A file name and the release that it is checked against.
struct Candidate {
  std::string_view name;
  const ProviderAddress& address;
  const Version& version;

  Failure Refuse(std::string_view why) const {
    return FailInvalid("file \"{}\" does not belong to {} {}: {}", Printable(name, 260),
                       address.ToString(), version.ToString(), why);
  }
  std::string Wanted(std::string_view rest) const { return NameOf(address, version, rest); }
};

bool HasSignatureEnding(std::string_view text) {
  return std::ranges::any_of(kSignatureEndings,
                             [&](std::string_view ending) { return text.ends_with(ending); });
}

// What stands behind "terraform-provider-TYPE_". No type holds "_", so the first one ends it.
Result<std::string_view> SkipType(const Candidate& file) {
  if (!file.name.starts_with(kPrefix)) {
    bool manifest = file.name.ends_with(kManifest);
    return file.Refuse(
        fmt::format("its name must begin with \"{}{}_{}_\"; {}", kPrefix, file.address.type(),
                    file.version.ToString(),
                    manifest ? fmt::format("a manifest is called {}", file.Wanted(kManifest))
                             : std::string("leave out files that are not part of the release")));
  }
  std::string_view rest = file.name.substr(kPrefix.size());
  std::size_t cut = rest.find('_');
  std::string_view type = rest.substr(0, cut);
  if (type != file.address.type()) {
    return file.Refuse(fmt::format("it is of the provider type \"{}\", not of \"{}\"",
                                   Printable(type, 80), file.address.type()));
  }
  if (cut == std::string_view::npos) {
    return file.Refuse(
        fmt::format("its name has no version; a package is called {}", file.Wanted("OS_ARCH.zip")));
  }
  return rest.substr(cut + 1);
}

// What stands behind "VERSION_". No version holds "_" either.
Result<std::string_view> SkipVersion(const Candidate& file, std::string_view rest) {
  std::string wanted = file.version.ToString();
  std::size_t cut = rest.find('_');
  std::string_view version = rest.substr(0, cut);
  bool last = cut == std::string_view::npos;
  if (version == wanted && !last) return rest.substr(cut + 1);
  std::string_view tag = version.starts_with('v') ? version.substr(1) : std::string_view();
  if (last ? tag.starts_with(wanted) : tag == wanted) {
    return file.Refuse(
        fmt::format("leave out the \"v\" before the version: {}",
                    file.Wanted(last ? std::string_view("OS_ARCH.zip") : rest.substr(cut + 1))));
  }
  if (last) {
    return file.Refuse(
        fmt::format("its name ends before a platform; a package is called {}, the checksums are {}",
                    file.Wanted("OS_ARCH.zip"), file.Wanted(kSums)));
  }
  return file.Refuse(fmt::format("it is of the version \"{}\"; write the version exactly as {}",
                                 Printable(version, 140), wanted));
}

Result<ReleaseFile> ParsePackage(const Candidate& file, std::string_view platform) {
  Result<Platform> parsed = Platform::Parse(platform);
  if (!parsed) return file.Refuse(parsed.error().message);
  return ReleaseFile{.kind = ReleaseFile::Kind::kPackage, .platform = *std::move(parsed)};
}

// Names that people and tools give to things which have another name here.
Failure RefuseEnding(const Candidate& file, std::string_view rest) {
  constexpr auto kTars = std::to_array<std::string_view>(
      {".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tar.zst", ".tar"});
  if (rest.starts_with(kSums) && HasSignatureEnding(rest)) {
    return file.Refuse(fmt::format("leave the key's id out of a signature's name: {}",
                                   file.Wanted(fmt::format("{}.sig", kSums))));
  }
  if (std::ranges::any_of(kTars, [&](std::string_view tar) { return rest.ends_with(tar); })) {
    return file.Refuse("clients take packages as .zip only; pack it as one");
  }
  return file.Refuse(
      fmt::format("a release has {0} and {1}, {1}.sig and {2}, and may have {3} and {4}; leave out "
                  "or rename it",
                  file.Wanted("OS_ARCH.zip"), kSums, kManifest, kDocs, kSchema));
}

bool IsControl(std::string_view name, std::size_t at) {
  auto byte = static_cast<unsigned char>(name[at]);
  if (byte < 0x20 || byte == 0x7F) return true;
  // U+0080 to U+009F.
  return byte == 0xC2 && at + 1 < name.size() && static_cast<unsigned char>(name[at + 1]) < 0xA0;
}

}  // namespace

Result<ReleaseFile> ParseReleaseFile(std::string_view name, const ProviderAddress& address,
                                     const Version& version) {
  RETURN_IF_ERROR(CheckReleaseFileName(name));
  const Candidate file{.name = name, .address = address, .version = version};
  ASSIGN_OR_RETURN(std::string_view rest, SkipType(file));
  ASSIGN_OR_RETURN(rest, SkipVersion(file, rest));
  if (rest == kSums) return ReleaseFile{.kind = ReleaseFile::Kind::kSums};
  if (rest == kManifest) return ReleaseFile{.kind = ReleaseFile::Kind::kManifest};
  if (rest == kDocs) return ReleaseFile{.kind = ReleaseFile::Kind::kDocs};
  if (rest == kSchema || rest == kPackedSchema) {
    return ReleaseFile{.kind = ReleaseFile::Kind::kSchema};
  }
  if (rest.starts_with(kSums) &&
      std::ranges::find(kSignatureEndings, rest.substr(kSums.size())) != kSignatureEndings.end()) {
    return ReleaseFile{.kind = ReleaseFile::Kind::kSignature};
  }
  if (rest.ends_with(kZip)) return ParsePackage(file, rest.substr(0, rest.size() - kZip.size()));
  return RefuseEnding(file, rest);
}

Status CheckReleaseFileName(std::string_view name) {
  auto refuse = [&](std::string_view why) {
    return FailInvalid("file name \"{}\" is not allowed: {}", Printable(name, 80), why);
  };
  if (name.empty()) {
    return FailInvalid("the file name is empty: give the file its name in the release");
  }
  if (name.size() > kMaxReleaseFileName) {
    return refuse(fmt::format("it has {} bytes; use at most {}", name.size(), kMaxReleaseFileName));
  }
  if (!IsUtf8(name)) return refuse("it is not UTF-8");
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (IsControl(name, i)) return refuse("it holds a control character; rename the file");
  }
  if (name.find_first_of("/\\") != std::string_view::npos) {
    return refuse("a release has no folders; give the name without \"/\" and \"\\\"");
  }
  if (name == "." || name == "..") return refuse("it names a folder");
  return {};
}

std::string PackageFileName(const ProviderAddress& address, const Version& version,
                            const Platform& platform) {
  return NameOf(address, version, platform.ToString() + std::string(kZip));
}

std::string SumsFileName(const ProviderAddress& address, const Version& version) {
  return NameOf(address, version, kSums);
}

std::string SignatureFileName(const ProviderAddress& address, const Version& version) {
  return SumsFileName(address, version) + ".sig";
}

std::string ManifestFileName(const ProviderAddress& address, const Version& version) {
  return NameOf(address, version, kManifest);
}

std::string DocsFileName(const ProviderAddress& address, const Version& version) {
  return NameOf(address, version, kDocs);
}

std::string SchemaFileName(const ProviderAddress& address, const Version& version) {
  return NameOf(address, version, kSchema);
}

std::optional<std::string> VersionInReleaseFile(std::string_view name, std::string_view type) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (!name.starts_with(type)) return std::nullopt;
  name.remove_prefix(type.size());
  if (!name.starts_with('_')) return std::nullopt;
  name.remove_prefix(1);
  std::size_t cut = name.find('_');
  if (cut == 0 || cut == std::string_view::npos) return std::nullopt;
  return std::string(name.substr(0, cut));
}

}  // namespace koya
