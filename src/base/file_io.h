// Reads, writes and creates temporary files by descriptor. Calls interrupted by a signal are
// resumed; failures are errno values, since only the caller can word a message, but for those of
// ScratchFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/result.h"

namespace koya {

// Writes all of `bytes`, at the descriptor's own offset or at `offset`. Returns 0, or an errno.
int WriteAll(int descriptor, std::span<const std::byte> bytes,
             std::optional<std::uint64_t> offset = std::nullopt);

// Reads up to `into.size()` bytes, at the descriptor's own offset or at `offset`; 0 at the end.
std::expected<std::size_t, int> ReadSome(int descriptor, std::span<std::byte> into,
                                         std::optional<std::uint64_t> offset = std::nullopt);

// An unnamed file in `folder` for reading and writing. It is removed when closed, also when the
// process crashes.
std::expected<UniqueFd, int> MakeTemporaryFile(const std::filesystem::path& folder);

// An unnamed temporary file for bytes in transit: removed when closed, also after a crash.
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
