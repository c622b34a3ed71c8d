// What "koya publish provider" finds in a folder that GoReleaser, or a hand, has filled. Looks at
// names and sizes; SHA256SUMS alone is opened, to see whether it lists a manifest that lies
// elsewhere.
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
  std::filesystem::path source = {};  // where it lies under another name; empty: in the folder
};

struct ReleaseFolder {
  std::filesystem::path path;
  Version version;
  std::vector<FolderFile> files;   // to be sent; by name
  std::vector<std::string> notes;  // sentences: what is left out, and why

  std::filesystem::path PathOf(const FolderFile& file) const {
    return file.source.empty() ? path / file.name : file.source;
  }
};

struct ReleaseQuestion {
  std::filesystem::path path;
  const ProviderAddress& address;
  std::optional<Version> version;  // nullopt: the one that the names have
  bool sign = false;               // the server makes SHA256SUMS and the signature
  bool protocols_given = false;    // so that a missing manifest is no matter
};

// Picks the release's files, and the project's manifest (terraform-registry-manifest.json, in the
// folder or beside it) when SHA256SUMS lists it under the release's name. Fails: kInvalid, when
// what would be sent could never be published: no such folder, no zip, several versions and none
// named, a zip for a platform that nobody knows, an empty file; and, without `sign`, no SHA256SUMS
// or no signature.
Result<ReleaseFolder> ReadReleaseFolder(const ReleaseQuestion& question);

}  // namespace koya::cli
