// A reader for zips of docs, and for single parts of zips.
//
// The content of such a zip is shown and never unpacked to a disk, so the only dangers are bombs
// and names that lead out of a folder. Everything here blocks. Input is hostile; see
// module_package.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/deflate.h"
#include "archive/packed_file.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"
#include "base/result.h"
#include "domain/provider_docs_record.h"

namespace koya {

// One thread at a time.
class DocsPackage {
 public:
  // `descriptor` must outlive the object. Fails: kRefused, with a limit's name when a limit is
  // exceeded, and without one when the zip is unreadable; kInternal.
  static Result<std::unique_ptr<DocsPackage>> Open(int descriptor, std::uint64_t size,
                                                   const ArchiveLimits& limits);

  struct File {
    std::string path;
    std::uint64_t size = 0;
    bool link = false;  // a link: its content is the target
  };
  // Without folders, in the order of the zip. Names may occur twice.
  const std::vector<File>& files() const { return files_; }
  // Why names are unsafe, a sentence each; at most 20.
  const std::vector<std::string>& unsafe() const { return unsafe_; }

  struct Content {
    std::string text;
    PackedPart part;
  };
  // The content of files()[file]. Fails: kRefused: damaged, or over a limit; kInternal.
  Result<Content> Read(std::size_t file);

 private:
  DocsPackage(const PackedFile& file, const ArchiveLimits& limits);
  void Take(std::vector<ZipEntry> entries);

  PackedFile file_;
  ArchiveBudget budget_;
  ZipReader reader_;
  std::vector<ZipEntry> entries_;  // of files_
  std::vector<File> files_;
  std::vector<std::string> unsafe_;
};

// The unpacked content of `part`. `packed`: the bytes at its place. Fails: kCorrupt: they do not
// match.
Result<std::string> UnpackPart(std::string_view packed, const PackedPart& part);
// The memory that it takes beside both texts.
inline constexpr std::uint64_t kUnpackBytes = InflateStream::kBytes;

}  // namespace koya
