// Reads an uploaded file by position: several readers may share one descriptor. Detects the format
// of an archive from the file's bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "domain/archive_kind.h"

namespace koya {

// A descriptor and the number of its bytes that belong to the file. Does not own the descriptor.
class PackedFile {
 public:
  PackedFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}

  std::uint64_t size() const { return size_; }
  // Fills `out` from `offset`. REQUIRES: offset + out.size() <= size(). Fails: kInternal.
  Status ReadAt(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  int descriptor_;
  std::uint64_t size_;
};

// Reads a PackedFile forwards through a buffer of 64 KiB. One thread at a time.
class FileCursor {
 public:
  explicit FileCursor(const PackedFile& file);  // `file` outlives the cursor

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return file_.size() - position_; }
  // REQUIRES: position <= size of the file. Cheap when the position is in the buffer.
  void Seek(std::uint64_t position) { position_ = position; }
  // Up to `max` bytes, as many as the buffer has; fewer than `least` only where `max` or the file
  // ends. Valid until the next call. REQUIRES: least <= 64 KiB. Fails: kInternal.
  Result<std::span<const std::byte>> ReadBytes(std::uint64_t max, std::uint64_t least = 1);
  // Fills `out`. REQUIRES: out.size() <= remaining(). Fails: kInternal.
  Status Fill(std::span<std::byte> out);

 private:
  const PackedFile& file_;
  std::vector<std::byte> buffer_;
  std::uint64_t position_ = 0;
  std::uint64_t buffer_begin_ = 0;
  std::size_t buffer_size_ = 0;
};

// The format by the bytes alone. Looks at the beginning only: a gzip or zip may still turn out to
// be damaged. Fails: kRefused for everything else, naming the apparent format; kInternal.
Result<ArchiveKind> DetectArchiveKind(const PackedFile& file);

// For files that must be zips. Fails: kRefused, naming the apparent format; kInternal.
Status CheckIsZip(const PackedFile& file);

}  // namespace koya
