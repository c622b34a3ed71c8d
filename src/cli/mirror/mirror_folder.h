// Reads the folder that "koya mirror import" imports: the output of "tofu providers mirror", a
// filesystem_mirror in packed layout, or the output of "koya mirror export". Looks at names and
// sizes and reads small documents; does not open zips. Ignores the contents of providers'
// index.json and VERSION.json.
//
//   HOST/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_ARCH.zip
//                       terraform-provider-TYPE_VERSION_SHA256SUMS, …_SHA256SUMS.sig, …_keys.json
//   _modules/HOST/NAMESPACE/NAME/SYSTEM/VERSION.tar.gz, VERSION.json
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_sink.h"
#include "base/result.h"
#include "cli/api/inventory_client.h"

namespace koya::cli {

// No host can have this name, so clients that read the folder skip it.
inline constexpr std::string_view kModulesFolder = "_modules";

// Name of the file beside SHA256SUMS with the keys and protocols that the registry named.
std::string KeysFileName(const ProviderAddress& address, const Version& version);

struct FoundPackage {
  MirroredRelease release;
  Platform platform;
  std::filesystem::path path;
  std::uint64_t size = 0;
};

struct FoundDocuments {
  MirroredRelease release;
  wire::ReleaseDocuments documents;
  std::filesystem::path path;  // of SHA256SUMS
};

struct FoundModule {
  MirroredModule module;
  std::string source;
  std::filesystem::path path;
  std::uint64_t size = 0;
};

struct MirrorFolder {
  std::vector<FoundPackage> packages;
  std::vector<FoundDocuments> documents;
  std::vector<FoundModule> modules;
  std::vector<std::string> problems;  // sentences: files that cannot be imported, and why
  std::vector<std::string> notes;     // sentences: skipped files, which do not matter
};

// All files, sorted by path. Fails: kInvalid when it is not a folder, or cannot be read.
Result<MirrorFolder> ReadMirrorFolder(const std::filesystem::path& folder);

// ---- the folder that "koya mirror export" writes: files appear whole or not at all, correct files
// are left unchanged, and files that are not part of the export are not touched

struct ExpectedFile {
  std::filesystem::path path;
  std::string digest;      // "sha256:…"
  std::uint64_t size = 0;  // 0: unknown
};

class ExportFolder {
 public:
  // Creates the folder if needed. Fails: kInvalid when it is no folder, or neither empty nor a
  // mirror.
  static Result<ExportFolder> Open(std::filesystem::path folder);

  const std::filesystem::path& path() const { return folder_; }

  // True if the file has exactly these bytes. Safe from any thread, like the functions below.
  // Fails: kInvalid.
  Result<bool> Has(const ExpectedFile& file) const;

  // Writes the bytes that `fill` sends to its sink, if they match `file`. Fails: kCorrupt when they
  // do not, kStorageFull, kInvalid, and as `fill`.
  Status Write(const ExpectedFile& file, const std::function<Status(ByteSink)>& fill) const;
  // Writes a small document unless it is already there. Returns whether it was written.
  Result<bool> WriteText(const std::filesystem::path& path, std::string_view text) const;
  // "" when there is no such file.
  std::string ReadText(const std::filesystem::path& path) const;

 private:
  explicit ExportFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace koya::cli
