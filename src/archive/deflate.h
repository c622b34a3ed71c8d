// RAII wrappers of zlib's decompressor, and of its compressor for content in memory.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace koya {

// Decompresses one deflate stream piece by piece. Not movable: zlib keeps a pointer to the state.
class InflateStream {
 public:
  enum class Format { kGzip, kRaw };
  enum class Progress { kMore, kEnd, kBroken };

  explicit InflateStream(Format format);
  ~InflateStream();
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  struct Step {
    Progress progress = Progress::kMore;
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };
  // Decompresses some of `in` into some of `out`. kMore with nothing consumed and nothing produced
  // means that more input is needed. REQUIRES: both fit zlib's 32 bits.
  Step Run(std::span<const std::byte> in, std::span<std::byte> out);

  // Starts another stream of the same format.
  void Restart();

 private:
  z_stream stream_{};
};

// Compresses content in memory. Not movable: zlib keeps a pointer to the state.
class DeflateStream {
 public:
  DeflateStream();
  ~DeflateStream();
  DeflateStream(const DeflateStream&) = delete;
  DeflateStream& operator=(const DeflateStream&) = delete;

  // Returns all of `content` as raw deflate data, as zips hold it. REQUIRES: less than 4 GiB.
  std::string Pack(std::string_view content);

 private:
  z_stream stream_{};
};

}  // namespace koya
