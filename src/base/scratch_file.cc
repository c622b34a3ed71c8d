#include "base/scratch_file.h"

#include "base/file_io.h"

namespace koya {

Result<ScratchFile> ScratchFile::Create(const std::filesystem::path& folder) {
  auto file = MakeTemporaryFile(folder);
  if (file) return ScratchFile(*std::move(file));
  return Failure(ErrnoError("create a scratch file in " + folder.string(), file.error()));
}

Status ScratchFile::Append(std::span<const std::byte> bytes) {
  int failed = WriteAll(fd_.get(), bytes);
  return failed == 0 ? Status() : Failure(ErrnoError("write a scratch file", failed));
}

Result<std::size_t> ScratchFile::ReadAt(std::uint64_t offset, std::span<std::byte> into) const {
  auto got = ReadSome(fd_.get(), into, offset);
  if (!got) return Failure(ErrnoError("read a scratch file", got.error()));
  return *got;
}

}  // namespace koya
