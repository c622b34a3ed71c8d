#include "archive/packed_file.h"

#include <algorithm>
#include <cstring>

#include "base/file_io.h"

namespace koya {
namespace {

constexpr std::size_t kPackedFileBytes = 64 << 10;

}  // namespace

Status PackedFile::ReadAt(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    auto got = ReadSome(descriptor_, out, offset);
    if (!got) return Failure(ErrnoError("read archive", got.error()));
    if (*got == 0) {
      return Fail(ErrorKind::kInternal, "the server could not read the archive back; see its log",
                  "read archive: the file is shorter than its stated size");
    }
    offset += *got;
    out = out.subspan(*got);
  }
  return {};
}

FileCursor::FileCursor(const PackedFile& file) : file_(file), buffer_(kPackedFileBytes) {}

// Refills only when the buffer has too little after the position, so reading in small pieces, and
// seeking a little, cost no system call.
Result<std::span<const std::byte>> FileCursor::ReadBytes(std::uint64_t max, std::uint64_t least) {
  least = std::min({least, max, remaining()});
  if (position_ < buffer_begin_ || position_ + least > buffer_begin_ + buffer_size_) {
    auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), remaining()));
    buffer_size_ = 0;
    RETURN_IF_ERROR(file_.ReadAt(position_, std::span(buffer_).first(size)));
    buffer_begin_ = position_;
    buffer_size_ = size;
  }
  std::span<const std::byte> rest(buffer_.data(), buffer_size_);
  rest = rest.subspan(static_cast<std::size_t>(position_ - buffer_begin_));
  rest = rest.first(static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), max)));
  position_ += rest.size();
  return rest;
}

Status FileCursor::Fill(std::span<std::byte> out) {
  while (!out.empty()) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, ReadBytes(out.size()));
    std::ranges::copy(part, out.begin());
    out = out.subspan(part.size());
  }
  return {};
}

}  // namespace koya
