// Reads a .tar.gz entry by entry, strictly: archives that tar programs read differently are
// rejected, so that every client unpacks the same files. Supports ustar, pax and GNU long names.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"
#include "archive/gzip.h"
#include "archive/packed_file.h"
#include "archive/tar_header.h"
#include "base/result.h"

namespace koya {

// One thread at a time. No calls are allowed after a failure.
class TarReader {
 public:
  // `file` outlives the reader.
  TarReader(const PackedFile& file, const ArchiveLimits& limits,
            LinkRule links = LinkRule::kRefuse);

  // The next file or folder, with its name and size checked; the rest of the previous content is
  // skipped. Nothing at the end, if the end marker was there and only padding followed. Devices,
  // fifos, sparse files and unknown types are rejected, and links unless they are to be reported.
  // Fails: kRefused, kInternal.
  Result<std::optional<ArchiveEntry>> Next();

  // The next piece of the latest entry's content; empty at its end. Valid until the next call.
  Result<std::span<const std::byte>> Content();

  // True if everything read so far can be read in one way only: one gzip member, POSIX headers of
  // files and folders, well-known pax records. Other archives are served repacked.
  bool plain() const { return plain_ && source_.plain(); }

 private:
  // Values from extended headers for the entry that follows them.
  struct Extension {
    std::optional<std::string> path;
    std::optional<std::uint64_t> size;
    std::optional<std::string> link;
    bool present = false;
  };

  Result<bool> ReadBlock(TarBlock& block);
  Status SkipContent();
  Status SkipPadding();
  Result<std::string> ReadText(const TarHeader& header);
  Status ReadPax(const TarHeader& header, Extension& extension);
  Status ReadGlobalPax(const TarHeader& header);
  Result<std::string> ReadLongText(const TarHeader& header);
  Status ReadLongName(const TarHeader& header, Extension& extension);
  Result<ArchiveEntry> MakeEntry(TarHeader header, const Extension& extension);
  static Status CheckMode(const TarHeader& header, const ArchiveEntry& entry);
  Result<ArchiveEntry> MakeLink(const TarHeader& header, const Extension& extension);
  Status CheckEnd();

  const LinkRule links_;
  ArchiveBudget budget_;
  GzipReader source_;
  std::uint64_t content_left_ = 0;
  std::size_t padding_left_ = 0;
  bool ended_ = false;
  bool plain_ = true;
};

}  // namespace koya
