// ExportFolder is the folder that "koya mirror export" writes: files appear whole or not at all,
// correct files are left unchanged, and files that are not part of the export are not touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_sink.h"
#include "base/result.h"

namespace koya::cli {

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
