// A zip of docs, and pieces of zips that are read by themselves.
//
// What is in such a zip is shown and never unpacked to a disk, so only names that would lead out of
// a folder, and bombs, are dangerous. Everything here blocks. Input is hostile; see
// module_package.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_budget.h"
#include "archive/archive_limits.h"
#include "archive/packed_file.h"
#include "archive/zip_directory.h"
#include "archive/zip_reader.h"
#include "base/result.h"
#include "domain/provider_docs_record.h"

namespace koya {

// One thread at a time.
class DocsPackage {
 public:
  // `descriptor` outlives it. Fails: kRefused, with a limit's name for what is too much of
  // anything, and without one for what cannot be read; kInternal.
  static Result<std::unique_ptr<DocsPackage>> Open(int descriptor, std::uint64_t size,
                                                   const ArchiveLimits& limits);

  struct File {
    std::string path;
    std::uint64_t size = 0;
    bool link = false;  // it leads elsewhere: its content is where
  };
  // Without folders, in the order of the zip. Names may be there twice.
  const std::vector<File>& files() const { return files_; }
  // Why names may not be taken, a sentence each; at most 20.
  const std::vector<std::string>& unsafe() const { return unsafe_; }

  struct Content {
    std::string text;
    PackedPart part;
  };
  // Of the file at this place of files(). Fails: kRefused: damaged, or over a limit; kInternal.
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

// What `part` is unpacked. `packed` is what lies there. Fails: kCorrupt: it is something else.
Result<std::string> UnpackPart(std::string_view packed, const PackedPart& part);

}  // namespace koya
