// Unpacks single entries of a zip whose directory was checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "archive/archive_limits.h"
#include "archive/deflate.h"
#include "archive/packed_file.h"
#include "archive/zip_directory.h"
#include "base/byte_sink.h"
#include "base/result.h"

namespace koya {

// Entries may be read in any order; in file order the file is read once, sequentially. One thread.
class ZipReader {
 public:
  // Both outlive the reader.
  ZipReader(const PackedFile& file, ArchiveBudget& budget);

  // Passes the content of `zip` to `sink`. The local header must match the directory, and header,
  // content and descriptor must fill the entry's extent; sizes and CRC are verified. All bytes read
  // are charged, and the time is checked even when little comes out: packed data that unpacks to
  // nothing may be as long as the archive. Fails: kRefused, kInternal, as ArchiveBudget::CheckTime,
  // and with the failure of `sink`.
  Status Read(const ZipEntry& zip, const ByteSink& sink);
  // The offset of the packed bytes of the entry that was read last.
  std::uint64_t content_begin() const { return content_begin_; }

 private:
  Status CheckLocalHeader(const ZipEntry& zip);
  Status CheckDescriptor(const ZipEntry& zip);
  Result<std::uint32_t> ReadContent(const ZipEntry& zip, const ByteSink& sink);
  Result<std::uint32_t> ReadStored(const ZipEntry& zip, const ByteSink& sink);
  Result<std::uint32_t> ReadDeflated(const ZipEntry& zip, const ByteSink& sink);

  ArchiveBudget& budget_;
  FileCursor cursor_;
  InflateStream inflate_;
  std::uint64_t content_begin_ = 0;
};

}  // namespace koya
