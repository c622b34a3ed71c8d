#include "archive/gzip_writer.h"

#include <algorithm>
#include <new>

namespace koya {
namespace {

// The level is part of the format: another one gives other bytes, and so another digest.
constexpr int kLevel = 6;
constexpr int kGzipOutputWindow = 16 + MAX_WBITS;
constexpr int kMemoryLevel = 8;
constexpr int kUnknownSystem = 255;
constexpr std::size_t kGzipOutputBytes = 64 << 10;

}  // namespace

GzipWriter::GzipWriter(const ByteSink& sink) : sink_(sink), buffer_(kGzipOutputBytes) {
  if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipOutputWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  header_.os = kUnknownSystem;
  deflateSetHeader(&stream_, &header_);
}

GzipWriter::~GzipWriter() { deflateEnd(&stream_); }

Status GzipWriter::Write(std::span<const std::byte> bytes) {
  constexpr std::size_t kStep = 1 << 30;  // zlib counts in 32 bits
  while (!bytes.empty()) {
    std::span<const std::byte> part = bytes.first(std::min(bytes.size(), kStep));
    // zlib's interface takes a pointer to non-const and only reads through it.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    RETURN_IF_ERROR(Deflate(Z_NO_FLUSH));
    bytes = bytes.subspan(part.size());
  }
  return {};
}

Status GzipWriter::Finish() { return Deflate(Z_FINISH); }

// Runs until zlib leaves room in the buffer: then it has taken all input and given all it will.
Status GzipWriter::Deflate(int flush) {
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    if (deflate(&stream_, flush) == Z_STREAM_ERROR) {
      return Fail(ErrorKind::kInternal, "the server could not pack the module; see its log",
                  "deflate: Z_STREAM_ERROR");
    }
    std::size_t produced = buffer_.size() - stream_.avail_out;
    if (produced > 0) RETURN_IF_ERROR(sink_(std::span(buffer_).first(produced)));
  } while (stream_.avail_out == 0);
  return {};
}

}  // namespace koya
