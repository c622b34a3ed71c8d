#include "archive/gzip.h"

#include <algorithm>
#include <array>
#include <new>

#include "archive/refusal.h"

namespace koya {
namespace {

constexpr std::size_t kGzipInputBytes = 128 << 10;
constexpr std::array<std::byte, 2> kGzipMagic{std::byte{0x1F}, std::byte{0x8B}};

// Whether the header that `start` begins with has no parts that readers treat differently.
bool HasPlainHeader(std::span<const std::byte> start) {
  constexpr std::size_t kFixed = 10;
  constexpr std::size_t kNameMost = 256;
  if (start.size() < kFixed) return false;
  if (start[3] == std::byte{0}) return true;
  std::span<const std::byte> name = start.subspan(kFixed);
  name = name.first(std::min(name.size(), kNameMost));
  return start[3] == std::byte{8} && std::ranges::find(name, std::byte{0}) != name.end();
}

}  // namespace

GzipReader::GzipReader(const PackedFile& file, ArchiveBudget& budget)
    : budget_(budget),
      cursor_(file),
      inflate_(InflateStream::Format::kGzip),
      buffer_(kGzipInputBytes) {}

Result<std::span<const std::byte>> GzipReader::ReadBytes(std::size_t max) {
  while (ready_.empty() && in_member_) RETURN_IF_ERROR(Decompress());
  std::span<const std::byte> part = ready_.first(std::min(max, ready_.size()));
  ready_ = ready_.subspan(part.size());
  return part;
}

// Fills the buffer with what one piece of the file gives, which may be nothing.
Status GzipReader::Decompress() {
  std::uint64_t begin = cursor_.position();
  ASSIGN_OR_RETURN(std::span<const std::byte> packed, cursor_.ReadBytes(cursor_.remaining()));
  if (begin == 0) plain_ = HasPlainHeader(packed);
  InflateStream::Step step = inflate_.Run(packed, buffer_);
  cursor_.Seek(begin + step.consumed);
  RETURN_IF_ERROR(budget_.AddUnpacked(step.produced));
  ready_ = std::span(buffer_).first(step.produced);
  switch (step.progress) {
    case InflateStream::Progress::kMore:
      if (packed.empty() && step.produced == 0) {
        return RefuseArchive("is cut off: its gzip data ends too early; pack and upload it again");
      }
      return {};
    case InflateStream::Progress::kEnd:
      return FinishMember();
    case InflateStream::Progress::kBroken:
      return RefuseArchive("is damaged: its gzip data is broken; pack and upload it again");
  }
  return {};
}

Status GzipReader::FinishMember() {
  if (cursor_.remaining() == 0) {
    in_member_ = false;
    return {};
  }
  std::array<std::byte, 2> magic{};
  if (cursor_.remaining() >= magic.size()) {
    RETURN_IF_ERROR(cursor_.Fill(magic));
    cursor_.Seek(cursor_.position() - magic.size());
  }
  if (magic != kGzipMagic) {
    return RefuseArchive("has other data after its gzip data ends; pack and upload it again");
  }
  plain_ = false;
  inflate_.Restart();
  return {};
}

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
