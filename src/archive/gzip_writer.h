// Compresses into a sink, deterministically: no name, no time, no operating system in the header.
// (Another version of zlib may pack differently; stored archives keep their own digests.)
#pragma once

#include <zlib.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/byte_sink.h"
#include "base/result.h"

namespace koya {

// Not movable: zlib keeps a pointer to the state. One thread at a time.
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
