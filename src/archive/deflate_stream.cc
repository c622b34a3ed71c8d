#include "archive/deflate_stream.h"

#include <new>

namespace koya {
namespace {

// The level is part of the format: another one gives other bytes, and so another digest.
constexpr int kZipLevel = 6;
constexpr int kRawOutputWindow = -MAX_WBITS;
constexpr int kZipMemoryLevel = 8;

}  // namespace

DeflateStream::DeflateStream() {
  if (deflateInit2(&stream_, kZipLevel, Z_DEFLATED, kRawOutputWindow, kZipMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

DeflateStream::~DeflateStream() { deflateEnd(&stream_); }

std::string DeflateStream::Pack(std::string_view content) {
  deflateReset(&stream_);
  std::string out(deflateBound(&stream_, content.size()), '\0');
  // zlib's interface takes a pointer to non-const and only reads through it.
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(content.data()));
  stream_.avail_in = static_cast<uInt>(content.size());
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = static_cast<uInt>(out.size());
  deflate(&stream_, Z_FINISH);  // there is room for all of it
  out.resize(out.size() - stream_.avail_out);
  return out;
}

}  // namespace koya
