// Picks the files of a release from a folder that GoReleaser or a person has filled, for "koya
// publish provider". Looks at names and sizes; opens SHA256SUMS alone, to see whether it lists a
// manifest that is stored elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/provider_address.h"
#include "domain/release_file.h"
#include "domain/version.h"

namespace koya::cli {

struct FolderFile {
  std::string name;
  std::uint64_t size = 0;
  ReleaseFile::Kind kind = ReleaseFile::Kind::kPackage;
  std::filesystem::path source = {};  // the file, if not `name` in the folder; else empty
};

struct ReleaseFolder {
  std::filesystem::path path;
  Version version;
  std::vector<FolderFile> files;             // to be sent, sorted by name
  std::vector<FolderFile> attachments = {};  // likewise: files that are named as attachments
  std::vector<std::string> notes;            // sentences: skipped files, with the reason

  std::filesystem::path PathOf(const FolderFile& file) const {
    return file.source.empty() ? path / file.name : file.source;
  }
};

struct ReleaseQuestion {
  std::filesystem::path path;
  const ProviderAddress& address;
  std::optional<Version> version;  // nullopt: taken from the file names
  bool sign = false;               // the server creates SHA256SUMS and the signature
  bool protocols_given = false;    // then the manifest may be missing
};

// Picks the release's files, and the project's manifest (terraform-registry-manifest.json, in the
// folder or beside it) when SHA256SUMS lists it under the release's name. Fails: kInvalid, when the
// result could never be published: no such folder, no zip, several versions and none given, a zip
// for an unknown platform, an empty file; and, without `sign`, no SHA256SUMS or no signature.
Result<ReleaseFolder> ReadReleaseFolder(const ReleaseQuestion& question);

}  // namespace koya::cli
