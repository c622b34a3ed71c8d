#include "archive/deflate.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

namespace koya {
namespace {

constexpr std::size_t kHistoryBytes = ISAL_DEF_HIST_SIZE;
static_assert(sizeof(inflate_state) <= InflateStream::kBytes);

// The bits of a block's header, in deflate's order.
class HeaderBits {
 public:
  // `held`: the low `held_size` bits of it go before `in`.
  HeaderBits(std::uint64_t held, int held_size, std::span<const std::byte> in)
      : bits_(held), size_(held_size), in_(in) {}

  // The next `count` bits (at most 32) as a number, which stay; zeros after the end.
  std::uint32_t Peek(int count) {
    while (size_ < count && !in_.empty()) {
      bits_ |= std::to_integer<std::uint64_t>(in_.front()) << size_;
      size_ += 8;
      in_ = in_.subspan(1);
    }
    return static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << count) - 1));
  }
  std::uint32_t Take(int count) {
    const std::uint32_t number = Peek(count);
    cut_off_ = cut_off_ || size_ < count;
    bits_ >>= count;
    size_ = std::max(size_ - count, 0);
    return number;
  }
  void SkipToByte() { Take(size_ % 8); }
  // Whether more was taken than there is.
  bool cut_off() const { return cut_off_; }

 private:
  std::uint64_t bits_;
  int size_;
  std::span<const std::byte> in_;
  bool cut_off_ = false;
};

constexpr int kMostCodeBits = 15;

// The part of all codes of kMostCodeBits that codes of these lengths leave unused; below 0: there
// are more codes than bits can tell apart.
int UnusedCodes(std::span<const std::uint8_t> lengths) {
  int unused = 1 << kMostCodeBits;
  for (std::uint8_t length : lengths) {
    if (length != 0) unused -= 1 << (kMostCodeBits - length);
  }
  return unused;
}

// zlib's rule: a set of codes is complete, or it is a single code of one bit.
bool IsUsableSet(std::span<const std::uint8_t> lengths) {
  const int unused = UnusedCodes(lengths);
  return unused == 0 || (unused > 0 && std::ranges::max(lengths) <= 1);
}

// Decodes the lengths of codes, which are packed by a code of their own.
class LengthCode {
 public:
  static constexpr int kMostBits = 7;
  static constexpr std::size_t kSymbols = 19;

  // REQUIRES: a complete set.
  explicit LengthCode(const std::array<std::uint8_t, kSymbols>& lengths) {
    std::uint32_t code = 0;
    for (int length = 1; length <= kMostBits; ++length, code <<= 1) {
      for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
        if (lengths[symbol] == length) Add(static_cast<std::uint8_t>(symbol), code++, length);
      }
    }
  }
  std::uint8_t Take(HeaderBits& bits) const {
    const Entry& entry = table_[bits.Peek(kMostBits)];
    bits.Take(entry.size);
    return entry.symbol;
  }

 private:
  struct Entry {
    std::uint8_t symbol = 0;
    std::uint8_t size = 0;  // bits
  };
  // Codes come with their first bit first, numbers with their last.
  void Add(std::uint8_t symbol, std::uint32_t code, int size) {
    std::uint32_t reversed = 0;
    for (int i = 0; i < size; ++i) reversed |= (code >> i & 1U) << (size - 1 - i);
    for (std::size_t i = reversed; i < table_.size(); i += std::size_t{1} << size) {
      table_[i] = {symbol, static_cast<std::uint8_t>(size)};
    }
  }
  std::array<Entry, std::size_t{1} << kMostBits> table_{};
};

constexpr std::size_t kMostLiterals = 286;
constexpr std::size_t kMostDistances = 30;
constexpr std::size_t kEndOfBlock = 256;

// Reads `count` lengths (RFC 1951 §3.2.7); false when they are none.
bool ReadLengths(HeaderBits& bits, const LengthCode& code, std::span<std::uint8_t> lengths) {
  for (std::size_t at = 0; at < lengths.size();) {
    const std::uint8_t symbol = code.Take(bits);
    if (bits.cut_off()) return true;
    if (symbol < 16) {
      lengths[at++] = symbol;
      continue;
    }
    if (symbol == 16 && at == 0) return false;
    const std::uint8_t repeated = symbol == 16 ? lengths[at - 1] : 0;
    std::size_t times = symbol == 18 ? 11 + bits.Take(7) : 3 + bits.Take(symbol == 16 ? 2 : 3);
    if (times > lengths.size() - at) return false;
    for (; times > 0; --times) lengths[at++] = repeated;
  }
  return true;
}

bool CheckCodes(HeaderBits& bits) {
  constexpr std::array<std::uint8_t, LengthCode::kSymbols> kOrder{
      16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const std::size_t literals = 257 + bits.Take(5);
  const std::size_t distances = 1 + bits.Take(5);
  const std::size_t ordered = 4 + bits.Take(4);
  if (literals > kMostLiterals || distances > kMostDistances) return false;
  std::array<std::uint8_t, LengthCode::kSymbols> code{};
  for (std::size_t i = 0; i < ordered; ++i)
    code[kOrder[i]] = static_cast<std::uint8_t>(bits.Take(3));
  if (bits.cut_off()) return true;
  if (UnusedCodes(code) != 0) return false;
  std::array<std::uint8_t, kMostLiterals + kMostDistances> both{};
  const std::span<std::uint8_t> lengths = std::span(both).first(literals + distances);
  if (!ReadLengths(bits, LengthCode(code), lengths)) return false;
  if (bits.cut_off()) return true;
  return lengths[kEndOfBlock] != 0 && IsUsableSet(lengths.first(literals)) &&
         IsUsableSet(lengths.subspan(literals));
}

// Judges the header of a block as zlib does. ISA-L would take incomplete sets of codes. kMore: it
// is good.
InflateStream::Progress CheckHeader(HeaderBits bits) {
  enum : std::uint32_t { kStored, kFixed, kOwnCodes };
  bits.Take(1);
  bool good = true;
  switch (bits.Take(2)) {
    case kStored: {
      bits.SkipToByte();
      const std::uint32_t size = bits.Take(16);
      good = (size ^ bits.Take(16)) == 0xFFFF;
      break;
    }
    case kFixed:
      break;
    case kOwnCodes:
      good = CheckCodes(bits);
      break;
    default:
      good = false;
  }
  if (bits.cut_off()) return InflateStream::Progress::kCutOff;
  return good ? InflateStream::Progress::kMore : InflateStream::Progress::kBroken;
}

}  // namespace

std::uint32_t UpdateCrc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

// ISA-L decompresses into a buffer in its state, which keeps the last 32 KiB for matches, and
// copies from there. Here it is given no room to copy to: the bytes are read where they lie, and
// moved to the front once the buffer is full.

InflateStream::InflateStream() : state_(std::make_unique_for_overwrite<inflate_state>()) {
  isal_inflate_init(state_.get());
  Restart();
}

InflateStream::~InflateStream() = default;

void InflateStream::Restart() {
  isal_inflate_reset(state_.get());
  // Never the number of valid bytes, so that ISA-L never takes all for copied: it would drop the
  // bits after a block.
  state_->tmp_out_processed = -1;
  last_block_ = false;
}

// Each block is given to ISA-L as if it were the last, so that it stops after it, and the header of
// the next one can be judged before ISA-L reads it.
InflateStream::Progress InflateStream::BeginBlock(std::span<const std::byte>& in) {
  inflate_state& state = *state_;
  const Progress progress = CheckHeader(HeaderBits(state.read_in, state.read_in_length, in));
  if (progress != Progress::kMore) return progress;
  if (state.read_in_length == 0) {
    state.read_in = std::to_integer<std::uint64_t>(in.front());
    state.read_in_length = 8;
    in = in.subspan(1);
  }
  last_block_ = (state.read_in & 1U) != 0;
  state.read_in |= 1U;
  state.block_state = ISAL_BLOCK_NEW_HDR;
  return Progress::kMore;
}

// `all`: no bytes follow `in`.
InflateStream::Progress InflateStream::ReadBlock(std::span<const std::byte>& in, bool all) {
  inflate_state& state = *state_;
  std::byte none{};
  // ISA-L's interface takes a pointer to non-const and only reads through it.
  state.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(in.data()));
  state.avail_in = static_cast<std::uint32_t>(in.size());
  state.next_out = reinterpret_cast<std::uint8_t*>(&none);
  state.avail_out = 0;
  const int code = isal_inflate(&state);
  const bool has_header = state.block_state != ISAL_BLOCK_HDR;
  if (code != ISAL_DECOMP_OK || !has_header) return Progress::kBroken;
  // It reads ahead: whole bytes are given back, as they need not belong to the stream.
  const auto ahead = static_cast<std::size_t>(state.read_in_length / 8);
  in = in.last(state.avail_in + ahead);
  state.read_in_length %= 8;
  state.read_in &= (std::uint64_t{1} << state.read_in_length) - 1;
  if (state.block_state == ISAL_BLOCK_INPUT_DONE) {
    return last_block_ ? Progress::kEnd : Progress::kMore;
  }
  const bool full = state.tmp_out_valid >= static_cast<int>(2 * kHistoryBytes);
  return full || !all ? Progress::kMore : Progress::kCutOff;
}

InflateStream::Step InflateStream::Run(std::span<const std::byte> in) {
  inflate_state& state = *state_;
  if (state.tmp_out_valid >= static_cast<int>(2 * kHistoryBytes)) {
    std::memmove(state.tmp_out_buffer, state.tmp_out_buffer + state.tmp_out_valid - kHistoryBytes,
                 kHistoryBytes);
    state.tmp_out_valid = kHistoryBytes;
  }
  const auto begin = static_cast<std::size_t>(state.tmp_out_valid);
  std::span<const std::byte> rest = in;
  Step step;
  const bool between =
      state.block_state == ISAL_BLOCK_NEW_HDR || state.block_state == ISAL_BLOCK_INPUT_DONE;
  if (between) step.progress = BeginBlock(rest);
  if (step.progress == Progress::kMore) step.progress = ReadBlock(rest, in.size() < kLookAhead);
  step.consumed = in.size() - rest.size();
  const std::size_t produced = static_cast<std::size_t>(state.tmp_out_valid) - begin;
  step.unpacked = std::as_bytes(std::span(state.tmp_out_buffer)).subspan(begin, produced);
  return step;
}

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
