#include "cli/import/boring_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <system_error>

#include "base/file_io.h"
#include "base/text.h"
#include "cli/api/local_file.h"
#include "domain/host_name.h"
#include "domain/release_file.h"
#include "hcl/config_folder.h"
#include "signing/sha256sums.h"
#include "upstream/provider_source.h"
#include "upstream/verification.h"
#include "wire/providers.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

// The names in a folder, sorted; none if it cannot be read.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    names.push_back(each->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string TimeOf(const fs::path& file) {
  std::error_code failed;
  const fs::file_time_type time = fs::last_write_time(file, failed);
  if (failed) return {};
  const auto system = std::chrono::file_clock::to_sys(time);
  return FormatRfc3339(
      std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count());
}

Result<std::uint64_t> CopyFile(const fs::path& path, const ByteSink& sink) {
  ASSIGN_OR_RETURN(const LocalFile file, LocalFile::Open(path));
  std::vector<std::byte> buffer(256 << 10);
  std::uint64_t offset = 0;
  while (true) {
    const auto got = ReadSome(file.descriptor(), buffer, offset);
    if (!got) return LocalFailure("cannot read", path, got.error());
    if (*got == 0) return offset;
    offset += *got;
    RETURN_IF_ERROR(sink(std::span(buffer).first(*got)));
  }
}

// {"gpg_public_keys": […]}, or one key alone, as versions of before wrote it.
Result<std::vector<wire::SigningKey>> ReadKeys(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, hcl::ReadTextFile(file));
  Result<std::vector<wire::SigningKey>> keys = wire::DecodeSigningKeys(text);
  if (!keys || keys->empty()) {
    keys = wire::DecodeSigningKeys(fmt::format("{{\"gpg_public_keys\":[{}]}}", text));
  }
  if (!keys) return FailInvalid("{}: {}", file.string(), keys.error().message);
  return keys;
}

}  // namespace

Result<std::unique_ptr<ImportSource>> BoringFolder::Open(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder / "modules", ignored) &&
      !fs::is_directory(folder / "providers", ignored)) {
    return FailInvalid(
        "{} is no copy of a boring-registry's bucket: it has neither modules/ nor providers/",
        folder.string());
  }
  return std::unique_ptr<ImportSource>(new BoringFolder(folder));
}

fs::path BoringFolder::ArchiveOf(const ModuleAddress& address, const std::string& version) const {
  return folder_ / "modules" / address.ns() / address.name() / address.system() /
         fmt::format("{}-{}-{}-{}.tar.gz", address.ns(), address.name(), address.system(), version);
}

fs::path BoringFolder::FolderOf(const ProviderAddress& address) const {
  return folder_ / "providers" / address.ns() / address.type();
}

Result<std::vector<wire::ListedPackage>> BoringFolder::ListPackages() {
  std::vector<wire::ListedPackage> packages;
  const fs::path modules = folder_ / "modules";
  for (const std::string& ns : NamesIn(modules)) {
    for (const std::string& name : NamesIn(modules / ns)) {
      for (const std::string& system : NamesIn(modules / ns / name)) {
        packages.push_back(
            {.is_module = true, .address = fmt::format("{}/{}/{}", ns, name, system)});
      }
    }
  }
  const fs::path providers = folder_ / "providers";
  for (const std::string& ns : NamesIn(providers)) {
    for (const std::string& type : NamesIn(providers / ns)) {
      std::error_code ignored;
      if (!fs::is_directory(providers / ns / type, ignored)) continue;  // signing-keys.json
      packages.push_back({.is_module = false, .address = fmt::format("{}/{}", ns, type)});
    }
  }
  for (wire::ListedPackage& each : packages) {
    ASSIGN_OR_RETURN(each.versions, ListVersions(each));
  }
  return packages;
}

Result<std::vector<wire::ListedVersion>> BoringFolder::ListVersions(
    const wire::ListedPackage& package) {
  std::vector<wire::ListedVersion> versions;
  const fs::path folder = folder_ / (package.is_module ? "modules" : "providers") / package.address;
  std::string prefix = package.address + "-";
  std::ranges::replace(prefix, '/', '-');
  constexpr std::string_view kArchive = ".tar.gz";
  constexpr std::string_view kSums = "_SHA256SUMS";
  const std::string stem =
      fmt::format("terraform-provider-{}_", package.address.substr(package.address.find('/') + 1));
  for (const std::string& name : NamesIn(folder)) {
    const fs::path file = folder / name;
    const std::string_view begin = package.is_module ? prefix : stem;
    const std::string_view end = package.is_module ? kArchive : kSums;
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    if (name.size() <= begin.size() + end.size()) continue;
    wire::ListedVersion version{
        .version = name.substr(begin.size(), name.size() - begin.size() - end.size()),
        .published_at = TimeOf(file)};
    if (package.is_module) {
      ASSIGN_OR_RETURN(version.digest, FileDigest(file));
      std::error_code ignored;
      version.size = fs::file_size(file, ignored);
    }
    versions.push_back(std::move(version));
  }
  return versions;
}

// The list states it.
std::optional<UnixSeconds> BoringFolder::FindReleaseTime(const wire::ListedPackage&,
                                                         const Version&) {
  return std::nullopt;
}

Result<FetchedArchive> BoringFolder::FetchModule(const ModuleAddress& address,
                                                 const Version& version, int file,
                                                 const fs::path&) {
  const fs::path path = ArchiveOf(address, version.ToString());
  const ByteSink sink = [&](std::span<const std::byte> bytes) -> Status {
    if (int failed = WriteAll(file, bytes)) return Failure(ErrnoError("write", failed));
    return {};
  };
  ASSIGN_OR_RETURN(const std::uint64_t size, CopyFile(path, sink));
  return FetchedArchive{size, ""};
}

Result<SourceRelease> BoringFolder::FetchRelease(const ProviderAddress& address,
                                                 const Version& version) {
  const fs::path folder = FolderOf(address);
  upstream::FetchedDownload download{.protocols = {"5.0"}};
  ASSIGN_OR_RETURN(download.sums, hcl::ReadTextFile(folder / SumsFileName(address, version)));
  ASSIGN_OR_RETURN(download.signature,
                   hcl::ReadTextFile(folder / SignatureFileName(address, version)));
  ASSIGN_OR_RETURN(download.keys, ReadKeys(folder.parent_path() / "signing-keys.json"));
  const signing::SumsReading sums = signing::ReadSums(download.sums);
  if (!sums.problems.empty()) return FailBadUpstream("SHA256SUMS: {}", sums.problems.front());
  SourceRelease release{.sums = download.sums, .signature = download.signature};
  for (const signing::SumsLine& line : sums.lines) {
    const Result<ReleaseFile> file = ParseReleaseFile(line.name, address, version);
    if (!file || file->kind != ReleaseFile::Kind::kPackage) continue;
    release.packages.push_back({*file->platform, line.name, line.digest});
  }
  if (release.packages.empty()) return FailBadUpstream("SHA256SUMS lists no package");
  const SourcePackage& first = release.packages.front();
  download.os = first.platform.os();
  download.arch = first.platform.arch();
  download.filename = first.filename;
  download.shasum = first.digest.hex();
  ASSIGN_OR_RETURN(const HostName nowhere, HostName::Parse("boring-registry.invalid"));
  RETURN_IF_ERROR(upstream::VerifyDownload(download, nowhere, address, version, first.platform,
                                           SystemClock().Now()));
  for (const wire::SigningKey& key : download.keys) {
    upstream::FetchedDownload with_key = download;
    with_key.keys = {key};
    if (upstream::FindSigner(with_key, SystemClock().Now())) release.key = key.ascii_armor;
  }
  // The manifest is there for the protocols, where its author uploaded it.
  const Result<std::string> manifest =
      hcl::ReadTextFile(folder / ManifestFileName(address, version));
  if (manifest) {
    release.protocols =
        wire::DecodeProviderManifest(*manifest).value_or(std::vector<std::string>());
  }
  if (release.protocols.empty()) release.protocols = download.protocols;
  return release;
}

Status BoringFolder::FetchPackage(const ProviderAddress& address, const Version&,
                                  const SourcePackage& package, ByteSink sink) {
  RETURN_IF_ERROR(CopyFile(FolderOf(address) / package.filename, sink));
  return {};
}

}  // namespace koya::cli
