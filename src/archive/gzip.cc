#include "archive/gzip.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "archive/archive_limits.h"
#include "archive/zip_directory.h"

namespace koya {
namespace {

// zlib's codes: gzip's framing and the largest window; what Z_BLOCK says between header and data.
constexpr int kGzipWindow = 16 + MAX_WBITS;
constexpr int kBeforeBlock = 128;
constexpr std::size_t kGzipTrailerBytes = 8;
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

Failure CutOff() {
  return RefuseArchive("is cut off: its gzip data ends too early; pack and upload it again");
}

Failure BrokenGzip() {
  return RefuseArchive("is damaged: its gzip data is broken; pack and upload it again");
}

}  // namespace

GzipReader::GzipReader(const PackedFile& file, ArchiveBudget& budget)
    : budget_(budget), cursor_(file) {
  if (inflateInit2(&header_, kGzipWindow) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() { inflateEnd(&header_); }

Result<std::span<const std::byte>> GzipReader::ReadBytes(std::size_t max) {
  while (ready_.empty() && next_ != Part::kEnd) RETURN_IF_ERROR(ReadPart());
  std::span<const std::byte> part = ready_.first(std::min(max, ready_.size()));
  ready_ = ready_.subspan(part.size());
  return part;
}

// Reads one piece of the file, which may give nothing.
Status GzipReader::ReadPart() {
  const std::uint64_t begin = cursor_.position();
  ASSIGN_OR_RETURN(std::span<const std::byte> packed,
                   cursor_.ReadBytes(cursor_.remaining(), InflateStream::kLookAhead));
  if (begin == 0) plain_ = HasPlainHeader(packed);
  Result<std::size_t> consumed = 0;
  switch (next_) {
    case Part::kHeader:
      consumed = ReadHeader(packed);
      break;
    case Part::kData:
      consumed = ReadData(packed);
      break;
    case Part::kTrailer:
      consumed = ReadTrailer(packed);
      break;
    case Part::kEnd:
      break;
  }
  if (!consumed) return Failure(std::move(consumed).error());
  cursor_.Seek(begin + *consumed);
  return next_ == Part::kEnd ? FinishMember() : Status();
}

// zlib reads what comes before the data.
Result<std::size_t> GzipReader::ReadHeader(std::span<const std::byte> packed) {
  RETURN_IF_ERROR(budget_.CheckTime());
  if (packed.empty()) return CutOff();
  Bytef none = 0;
  // zlib's interface takes a pointer to non-const and only reads through it.
  header_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  header_.avail_in = static_cast<uInt>(packed.size());
  header_.next_out = &none;
  header_.avail_out = 0;
  const int code = inflate(&header_, Z_BLOCK);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code != Z_OK) return BrokenGzip();
  if ((header_.data_type & kBeforeBlock) != 0) next_ = Part::kData;
  return packed.size() - header_.avail_in;
}

Result<std::size_t> GzipReader::ReadData(std::span<const std::byte> packed) {
  const InflateStream::Step step = inflate_.Run(packed);
  RETURN_IF_ERROR(budget_.AddUnpacked(step.unpacked.size()));
  ready_ = step.unpacked;
  crc_ = UpdateCrc(crc_, ready_);
  size_ += static_cast<std::uint32_t>(ready_.size());
  switch (step.progress) {
    case InflateStream::Progress::kMore:
      break;
    case InflateStream::Progress::kEnd:
      next_ = Part::kTrailer;
      break;
    case InflateStream::Progress::kCutOff:
      return CutOff();
    case InflateStream::Progress::kBroken:
      return BrokenGzip();
  }
  return step.consumed;
}

Result<std::size_t> GzipReader::ReadTrailer(std::span<const std::byte> packed) {
  if (packed.size() < kGzipTrailerBytes) return CutOff();
  if (ZipField<std::uint32_t>(packed, 0) != crc_ || ZipField<std::uint32_t>(packed, 4) != size_) {
    return BrokenGzip();
  }
  next_ = Part::kEnd;
  return kGzipTrailerBytes;
}

// Another member may follow.
Status GzipReader::FinishMember() {
  if (cursor_.remaining() == 0) return {};
  std::array<std::byte, 2> magic{};
  if (cursor_.remaining() >= magic.size()) {
    RETURN_IF_ERROR(cursor_.Fill(magic));
    cursor_.Seek(cursor_.position() - magic.size());
  }
  if (magic != kGzipMagic) {
    return RefuseArchive("has other data after its gzip data ends; pack and upload it again");
  }
  plain_ = false;
  next_ = Part::kHeader;
  crc_ = 0;
  size_ = 0;
  inflateReset(&header_);
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
