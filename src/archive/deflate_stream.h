// An RAII wrapper of zlib's compressor, for content in memory.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace koya {

// Not movable: zlib keeps a pointer to the state.
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
