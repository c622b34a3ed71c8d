// Writes the deterministic .tar.gz that Koya serves: ustar entries of plain files, no times, no
// owners, a pax header only where a name or a size does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "archive/entry_name.h"
#include "archive/gzip.h"
#include "base/result.h"

namespace koya {

// Folders are not written: clients create them for the files, and empty ones do not count, as in
// git. The caller passes the files sorted. One thread at a time.
class TarWriter {
 public:
  explicit TarWriter(const ByteSink& sink) : gzip_(sink) {}

  // REQUIRES: `file` is no directory, and the last file is complete.
  Status BeginFile(const ArchiveEntry& file);
  // Fails: kInternal when the content exceeds the announced size.
  Status Content(std::span<const std::byte> bytes);
  // Ends the archive. REQUIRES: called once, last; the last file is complete.
  Status Finish();

 private:
  Status EndFile();
  Status WritePax(const ArchiveEntry& file, bool with_name, bool with_size);
  Status WriteZeros(std::size_t count);

  GzipWriter gzip_;
  std::uint64_t size_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace koya
