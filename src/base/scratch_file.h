// An unnamed temporary file for bytes in transit: removed when closed, also after a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/file.h"
#include "base/result.h"

namespace koya {

// Blocking; one thread at a time.
class ScratchFile {
 public:
  // In `folder`, which must exist. Fails: kStorageFull, kInternal.
  static Result<ScratchFile> Create(const std::filesystem::path& folder);

  // Fails: kStorageFull, kInternal.
  Status Append(std::span<const std::byte> bytes);
  // Reads up to `into.size()` bytes; 0 at the end. Fails: kInternal.
  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<std::byte> into) const;
  // Open for reading and writing, owned by this.
  int descriptor() const { return fd_.get(); }

 private:
  explicit ScratchFile(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace koya
