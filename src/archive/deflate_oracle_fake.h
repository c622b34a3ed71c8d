// For tests and fuzzing: deflate data written bit by bit, and read by zlib beside InflateStream.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/deflate.h"

namespace koya {

struct Inflated {
  std::string content;
  std::size_t consumed = 0;
  bool operator==(const Inflated&) const = default;
};

// nullopt: zlib rejects the data, or it ends within the stream.
inline std::optional<Inflated> InflateByZlib(std::string_view packed) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  Inflated inflated;
  std::vector<char> buffer(64 << 10);
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    inflated.content.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflated.consumed = packed.size() - stream.avail_in;
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return std::nullopt;
  return inflated;
}

// `most`: of a piece; never less than InflateStream::kLookAhead.
inline std::optional<Inflated> InflateByKoya(
    std::string_view packed, std::size_t most = std::numeric_limits<std::uint32_t>::max()) {
  InflateStream stream;
  Inflated inflated;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(packed));
  while (true) {
    std::span<const std::byte> in = bytes.subspan(inflated.consumed);
    in = in.first(std::min(in.size(), std::max(most, InflateStream::kLookAhead)));
    const InflateStream::Step step = stream.Run(in);
    inflated.consumed += step.consumed;
    inflated.content.append(reinterpret_cast<const char*>(step.unpacked.data()),
                            step.unpacked.size());
    if (step.progress == InflateStream::Progress::kEnd) return inflated;
    if (step.progress != InflateStream::Progress::kMore) return std::nullopt;
  }
}

// Writes deflate data by hand.
class DeflateBits {
 public:
  // The lowest bit first.
  DeflateBits& Put(std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i, ++size_) {
      if (size_ % 8 == 0) bytes_ += '\0';
      const auto bit = static_cast<unsigned>(number >> i & 1U);
      bytes_.back() =
          static_cast<char>(static_cast<unsigned char>(bytes_.back()) | bit << size_ % 8);
    }
    return *this;
  }
  // A Huffman code: the highest bit first.
  DeflateBits& PutCode(std::uint32_t code, int count) {
    for (int i = count; i-- > 0;) Put(code >> i & 1U, 1);
    return *this;
  }
  // The header of a block with codes of its own: of all lengths of codes, each of 4 bits.
  DeflateBits& PutOwnCodes(bool last, std::span<const std::uint8_t> literals,
                           std::span<const std::uint8_t> distances) {
    Put(last ? 1 : 0, 1).Put(2, 2);
    Put(static_cast<std::uint32_t>(literals.size()) - 257, 5);
    Put(static_cast<std::uint32_t>(distances.size()) - 1, 5).Put(19 - 4, 4);
    for (int i = 0; i < 19; ++i) Put(i < 3 ? 0 : 4, 3);
    for (std::uint8_t length : literals) PutCode(length, 4);
    for (std::uint8_t length : distances) PutCode(length, 4);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  int size_ = 0;
};

}  // namespace koya
