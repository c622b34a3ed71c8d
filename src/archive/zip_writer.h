// Packs files into a zip, deterministically: no times, no modes, no folders. Every reader of this
// folder accepts the result. (Another version of zlib may pack differently.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/deflate.h"
#include "base/byte_sink.h"
#include "base/result.h"
#include "domain/provider_docs_record.h"

namespace koya {

// One thread at a time.
class ZipWriter {
 public:
  // The most that a zip without the zip64 extension can hold.
  static constexpr std::size_t kMostFiles = 65'534;

  explicit ZipWriter(const ByteSink& sink);  // `sink` outlives the writer

  // Returns the place of the file's bytes, for UnpackPart. REQUIRES: `name` is one that
  // ParseEntryName accepts unchanged, and was not added before. Fails: kTooLarge: more than
  // kMostFiles, or 4 GiB; and as the sink, after which nothing may be added.
  Result<PackedPart> Add(std::string_view name, std::string_view content);
  // REQUIRES: called once, last.
  Status Finish();

 private:
  struct Header {
    std::string_view name;
    PackedPart part;
    std::uint32_t crc = 0;
    std::uint64_t begin = 0;  // of the local header
  };
  Status Write(std::string_view bytes);
  void Remember(const Header& header);

  const ByteSink& sink_;
  DeflateStream deflate_;
  std::string directory_;
  std::size_t files_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace koya
