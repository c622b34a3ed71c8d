#include "http/server/gzip.h"

#include <zlib.h>

namespace koya::http {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip wrapper
constexpr int kMemoryLevel = 8;
constexpr int kQuickLevel = 4;

}  // namespace

std::string Gzip(std::string_view text, GzipEffort effort) {
  z_stream stream{};
  const int level = effort == GzipEffort::kBest ? Z_BEST_COMPRESSION : kQuickLevel;
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  // zlib reads through a pointer it declares mutable.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  bool complete = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(complete ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

}  // namespace koya::http
