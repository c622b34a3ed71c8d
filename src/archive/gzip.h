// Reads the tar stream inside a .tar.gz, decompressed piece by piece, and writes one,
// deterministically: no name, no time, no operating system in the header. (Another version of zlib
// may pack differently; stored archives keep their own digests.)
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "archive/archive_limits.h"
#include "archive/deflate.h"
#include "archive/packed_file.h"
#include "base/byte_sink.h"
#include "base/result.h"

namespace koya {

// Reads. Several consecutive gzip members are one stream, as clients read them; any other data
// after a member is rejected. Checksums are verified. Not movable: zlib keeps a pointer to the
// state. One thread at a time.
class GzipReader {
 public:
  // Both outlive the reader; every unpacked byte is charged to `budget`.
  GzipReader(const PackedFile& file, ArchiveBudget& budget);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Up to `max` bytes of the stream; empty only at its verified end. Valid until the next call.
  // Fails: kRefused (cut off, damaged, followed by other data, over the budget), kInternal.
  Result<std::span<const std::byte>> ReadBytes(std::size_t max);

  // Whether it has been a single member so far, with nothing in its header but perhaps a short file
  // name.
  bool plain() const { return plain_; }

 private:
  enum class Part { kHeader, kData, kTrailer, kEnd };

  Status ReadPart();
  // They return the bytes that they consumed.
  Result<std::size_t> ReadHeader(std::span<const std::byte> packed);
  Result<std::size_t> ReadData(std::span<const std::byte> packed);
  Result<std::size_t> ReadTrailer(std::span<const std::byte> packed);
  Status FinishMember();

  ArchiveBudget& budget_;
  FileCursor cursor_;
  z_stream header_{};
  InflateStream inflate_;
  std::span<const std::byte> ready_;
  Part next_ = Part::kHeader;  // of a member; kEnd: of the stream
  std::uint32_t crc_ = 0;
  std::uint32_t size_ = 0;  // of the member's content, modulo 2^32
  bool plain_ = true;
};

// Compresses into a sink. Not movable: zlib keeps a pointer to the state. One thread at a time.
class GzipWriter {
 public:
  explicit GzipWriter(const ByteSink& sink);  // `sink` outlives the writer
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  // Fails with the sink's failure; nothing may be written afterwards.
  Status Write(std::span<const std::byte> bytes);
  // REQUIRES: called once, last.
  Status Finish();

 private:
  Status Deflate(int flush);

  const ByteSink& sink_;
  z_stream stream_{};
  gz_header header_{};
  std::vector<std::byte> buffer_;
};

}  // namespace koya
