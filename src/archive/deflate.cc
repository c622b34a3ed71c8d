#include "archive/deflate.h"

#include <new>

namespace koya {
namespace {

// zlib's codes for the framing, and the largest window.
constexpr int kGzipWindow = 16 + MAX_WBITS;
constexpr int kRawWindow = -MAX_WBITS;

}  // namespace

InflateStream::InflateStream(Format format) {
  int window = format == Format::kGzip ? kGzipWindow : kRawWindow;
  if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
}

InflateStream::~InflateStream() { inflateEnd(&stream_); }

InflateStream::Step InflateStream::Run(std::span<const std::byte> in, std::span<std::byte> out) {
  // zlib's interface takes a pointer to non-const and only reads through it.
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
  stream_.avail_in = static_cast<uInt>(in.size());
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = static_cast<uInt>(out.size());
  int code = inflate(&stream_, Z_NO_FLUSH);
  Step step;
  step.consumed = in.size() - stream_.avail_in;
  step.produced = out.size() - stream_.avail_out;
  // Z_BUF_ERROR only says that nothing could be done with so little input or room.
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code == Z_STREAM_END) {
    step.progress = Progress::kEnd;
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    step.progress = Progress::kBroken;
  }
  return step;
}

void InflateStream::Restart() { inflateReset(&stream_); }

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
