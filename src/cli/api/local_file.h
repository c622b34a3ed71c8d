// Reads local files that are sent or compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace koya::cli {

// An open file. One thread.
class LocalFile {
 public:
  // Fails: kInvalid, naming the file.
  static Result<LocalFile> Open(std::filesystem::path path);

  int descriptor() const { return fd_.get(); }
  std::uint64_t size() const { return size_; }
  // "sha256:…" Fails: kInvalid.
  Result<std::string> ComputeDigest() const;

 private:
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::filesystem::path path_;
};

// Error for a failed operation on a local file, with the system's message: kStorageFull, else
// kInvalid.
Failure LocalFailure(std::string_view what, const std::filesystem::path& path, int error_number);

// Fails: kInvalid.
Result<UniqueFd> OpenForReading(const std::filesystem::path& path);

// "sha256:…" of a file. Fails: kInvalid.
Result<std::string> FileDigest(const std::filesystem::path& path);

}  // namespace koya::cli
