// Decompresses deflate data with ISA-L, as strictly as zlib does, and compresses it with zlib.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct inflate_state;  // ISA-L's

namespace koya {

// The CRC-32 that zip and gzip state, of more bytes: `crc` is that of the bytes before, 0 at first.
std::uint32_t UpdateCrc(std::uint32_t crc, std::span<const std::byte> bytes);

// Decompresses one raw deflate stream, as zips hold it, piece by piece. Takes what zlib takes, and
// rejects what zlib rejects (docs/adr/0101). One thread at a time.
class InflateStream {
 public:
  // kCutOff: the data ends within the stream. kBroken and kCutOff are final, as kEnd is.
  enum class Progress { kMore, kEnd, kCutOff, kBroken };

  // The bytes that Run needs to see: more than the header of a block and the code after it.
  static constexpr std::size_t kLookAhead = 1024;
  // The memory that a stream takes.
  static constexpr std::size_t kBytes = 88 << 10;

  InflateStream();
  ~InflateStream();

  struct Step {
    Progress progress = Progress::kMore;
    std::size_t consumed = 0;
    std::span<const std::byte> unpacked;  // at most 65 KiB; valid until the next call
  };
  // Decompresses some of `in`, of one block at most; give consumed bytes once. REQUIRES:
  // `in` has kLookAhead bytes or more, or all that is left; it fits 32 bits.
  Step Run(std::span<const std::byte> in);

  // Starts another stream.
  void Restart();

 private:
  Progress BeginBlock(std::span<const std::byte>& in);
  Progress ReadBlock(std::span<const std::byte>& in, bool all);

  std::unique_ptr<inflate_state> state_;
  bool last_block_ = false;
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
