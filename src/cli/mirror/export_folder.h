// The folder that "koya mirror export" writes: files appear whole or not at all, what is right
// already is left as it is, and nothing that is not of the export is touched.
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
  std::uint64_t size = 0;  // 0: not known
};

class ExportFolder {
 public:
  // Makes the folder at need. Fails: kInvalid when something is there that is no export.
  static Result<ExportFolder> Open(std::filesystem::path folder);

  const std::filesystem::path& path() const { return folder_; }

  // Whether exactly these bytes are there. Safe from any thread, as all below. Fails: kInvalid.
  Result<bool> Has(const ExpectedFile& file) const;

  // Writes what `fill` gives its sink, if it is what is expected. Fails: kCorrupt when it is not,
  // kStorageFull, kInvalid, and as `fill`.
  Status Write(const ExpectedFile& file, const std::function<Status(ByteSink)>& fill) const;
  // A small document; not written when it is there. Returns whether it was written.
  Result<bool> WriteText(const std::filesystem::path& path, std::string_view text) const;
  // "" when there is none.
  std::string ReadText(const std::filesystem::path& path) const;

 private:
  explicit ExportFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace koya::cli
