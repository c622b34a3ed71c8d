// Deflate data as packers write it, and as only an attacker does: zlib is the oracle of both.
#include "archive/deflate.h"

#include <gtest/gtest.h>

#include "archive/deflate_oracle_fake.h"

namespace koya {
namespace {

using Lengths = std::vector<std::uint8_t>;

constexpr std::uint32_t kFixedBlock = 1;

DeflateBits Fixed(bool last = true) {
  return DeflateBits().Put(last ? 1 : 0, 1).Put(kFixedBlock, 2);
}

// Codes of the fixed blocks (RFC 1951 §3.2.6).
DeflateBits PutFixed(DeflateBits bits, std::initializer_list<unsigned> symbols) {
  for (unsigned symbol : symbols) {
    if (symbol < 144) {
      bits.PutCode(0x30 + symbol, 8);
    } else if (symbol < 256) {
      bits.PutCode(0x190 + symbol - 144, 9);
    } else if (symbol < 280) {
      bits.PutCode(symbol - 256, 7);
    } else {
      bits.PutCode(0xC0 + symbol - 280, 8);
    }
  }
  return bits;
}

// Lengths of `count` codes, all 0 but for those given.
Lengths Only(std::size_t count, std::initializer_list<std::pair<std::size_t, std::uint8_t>> given) {
  Lengths lengths(count);
  for (auto [at, length] : given) lengths[at] = length;
  return lengths;
}

DeflateBits OwnCodes(const Lengths& literals, const Lengths& distances, bool last = true) {
  return DeflateBits().PutOwnCodes(last, literals, distances);
}

// The header of codes whose own code has these lengths, in the order of the format.
DeflateBits CodedLengths(std::initializer_list<unsigned> lengths, unsigned literals = 0,
                         unsigned distances = 0) {
  DeflateBits bits;
  bits.Put(1, 1).Put(2, 2).Put(literals, 5).Put(distances, 5);
  bits.Put(static_cast<std::uint32_t>(lengths.size()) - 4, 4);
  for (unsigned length : lengths) bits.Put(length, 3);
  return bits;
}

struct DeflateRow {
  std::string_view what;
  std::string packed;
  bool good;
};

void ExpectAsZlib(std::span<const DeflateRow> rows) {
  for (const DeflateRow& row : rows) {
    const std::optional<Inflated> zlib = InflateByZlib(row.packed);
    EXPECT_EQ(zlib.has_value(), row.good) << row.what;
    EXPECT_EQ(InflateByKoya(row.packed), zlib) << row.what;
  }
}

// Random enough to be packed into blocks of all kinds; the same each time.
std::string Mixed(std::size_t size) {
  std::string out;
  for (std::uint32_t n = 1; out.size() < size; n = n * 1'664'525 + 1'013'904'223) {
    if (n >> 28 < 4 && out.size() > 40'000) {
      out += out.substr(out.size() - 300 - (n >> 8) % 32'000, 3 + (n >> 5) % 256);
    } else {
      out += static_cast<char>(n >> 28 < 8 ? 'a' + (n >> 20) % 12 : n >> 24);
    }
  }
  out.resize(size);
  return out;
}

std::string Pack(std::string_view content, int level, int strategy, int flush) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, strategy), Z_OK);
  std::string out(content.size() + content.size() / 4 + 100'000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  for (std::string_view left = content; !left.empty();) {
    const std::string_view part = left.substr(0, 10'007);
    left.remove_prefix(part.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    EXPECT_EQ(deflate(&stream, flush), Z_OK);
  }
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

TEST(InflateStreamTest, UnpacksWhatZlibPacksInPiecesOfAnySize) {
  const std::string content = Mixed(400'000);
  for (int level : {0, 1, 6, 9}) {
    for (int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
      for (int flush : {Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH}) {
        const std::string packed = Pack(content, level, strategy, flush);
        for (std::size_t most : {1024U, 1777U, 65'536U, 1U << 30}) {
          const std::optional<Inflated> out = InflateByKoya(packed + "behind", most);
          ASSERT_TRUE(out) << level << " " << strategy << " " << flush << " " << most;
          EXPECT_EQ(out->consumed, packed.size());
          EXPECT_TRUE(out->content == content) << level << " " << strategy << " " << flush;
        }
      }
    }
  }
}

TEST(InflateStreamTest, TheWindowReachesExactly32KiBBack) {
  for (std::size_t before : {32'767U, 32'768U, 40'000U, 65'535U, 65'536U, 65'537U, 98'304U}) {
    DeflateBits bits = Fixed();
    for (std::size_t i = 0; i < before; ++i) bits = PutFixed(std::move(bits), {unsigned(i % 251)});
    bits = PutFixed(std::move(bits), {285}).PutCode(29, 5).Put(8191, 13);  // 258 from 32768 back
    bits = PutFixed(std::move(bits), {256});
    const std::optional<Inflated> zlib = InflateByZlib(bits.bytes());
    EXPECT_EQ(zlib.has_value(), before >= 32'768) << before;
    EXPECT_EQ(InflateByKoya(bits.bytes()), zlib) << before;
  }
}

TEST(InflateStreamTest, TakesBlocksThatPackersHardlyWrite) {
  const Lengths none = Only(1, {});
  const Lengths one = Only(1, {{0, 1}});
  const Lengths end_only = Only(257, {{256, 1}});
  const Lengths a_and_end = Only(257, {{'a', 1}, {256, 1}});
  const Lengths a_end_match = Only(258, {{'a', 1}, {256, 2}, {257, 2}});
  ExpectAsZlib(std::array{
      DeflateRow{"an empty stored block", std::string("\1\0\0\xFF\xFF", 5), true},
      DeflateRow{"an empty fixed block", PutFixed(Fixed(), {256}).bytes(), true},
      DeflateRow{"nothing but the end has a code",
                 DeflateBits(OwnCodes(end_only, none)).PutCode(0, 1).bytes(), true},
      DeflateRow{"no distance has a code", OwnCodes(a_and_end, none).PutCode(1, 2).bytes(), true},
      DeflateRow{"one distance has a code, of one bit",
                 OwnCodes(a_end_match, one).PutCode(0b0'11'0'10, 6).bytes(), true},
      DeflateRow{"empty blocks before the first byte",
                 OwnCodes(end_only, none, false)
                     .PutCode(0, 1)
                     .PutOwnCodes(false, end_only, none)
                     .PutCode(0, 1)
                     .PutOwnCodes(true, a_and_end, none)
                     .PutCode(0b001, 3)
                     .bytes(),
                 true},
      DeflateRow{"bytes behind the end", PutFixed(Fixed(), {'x', 256}).bytes() + "abcdefghij",
                 true},
  });
}

TEST(InflateStreamTest, RejectsCodesThatZlibRejects) {
  const Lengths none = Only(1, {});
  const Lengths good = Only(257, {{'a', 1}, {256, 1}});
  const std::string zeros(400, '\0');
  ExpectAsZlib(std::array{
      DeflateRow{"literals that leave codes unused",
                 OwnCodes(Only(257, {{'a', 2}, {256, 1}}), none).PutCode(0b10'0, 3).bytes(), false},
      DeflateRow{"one literal code of two bits",
                 OwnCodes(Only(257, {{256, 2}}), none).PutCode(0, 2).bytes(), false},
      DeflateRow{"more literals than codes",
                 OwnCodes(Only(257, {{'a', 1}, {'b', 1}, {256, 1}}), none).bytes() + zeros, false},
      DeflateRow{"distances that leave codes unused",
                 OwnCodes(good, Only(2, {{0, 2}, {1, 2}})).PutCode(1, 1).bytes(), false},
      DeflateRow{"one distance code of two bits",
                 OwnCodes(good, Only(1, {{0, 2}})).PutCode(1, 1).bytes(), false},
      DeflateRow{"more distances than codes",
                 OwnCodes(good, Only(3, {{0, 1}, {1, 1}, {2, 1}})).bytes() + zeros, false},
      DeflateRow{"no code for the end",
                 OwnCodes(Only(257, {{'a', 1}, {'b', 1}}), none).bytes() + zeros, false},
      DeflateRow{"287 literals", CodedLengths({1, 1, 0, 0}, 30).bytes() + zeros, false},
      DeflateRow{"31 distances", CodedLengths({1, 1, 0, 0}, 0, 30).bytes() + zeros, false},
      DeflateRow{"a code of lengths that is not complete",
                 CodedLengths({0, 2, 2, 2}).bytes() + zeros, false},
      DeflateRow{"a code of lengths with one code", CodedLengths({0, 0, 0, 1}).bytes() + zeros,
                 false},
      DeflateRow{"a code of lengths without codes", CodedLengths({0, 0, 0, 0}).bytes() + zeros,
                 false},
      DeflateRow{"a code of lengths with too many", CodedLengths({1, 1, 1, 0}).bytes() + zeros,
                 false},
      DeflateRow{"a repetition of nothing",
                 CodedLengths({1, 0, 0, 1}).PutCode(1, 1).bytes() + zeros, false},
      DeflateRow{
          "a repetition past the last",
          CodedLengths({0, 0, 1, 1}).PutCode(1, 1).Put(127, 7).PutCode(1, 1).Put(127, 7).bytes() +
              zeros,
          false},
  });
}

TEST(InflateStreamTest, RejectsBlocksThatZlibRejects) {
  const Lengths none = Only(1, {});
  const Lengths one = Only(1, {{0, 1}});
  const Lengths match = Only(258, {{'a', 1}, {256, 2}, {257, 2}});
  ExpectAsZlib(std::array{
      DeflateRow{"no data", "", false},
      DeflateRow{"a block of type 3", DeflateBits().Put(7, 3).Put(0, 32).bytes(), false},
      DeflateRow{"a stored block whose sizes differ", std::string("\1\0\0\xFF\xFE", 5), false},
      DeflateRow{"a stored block that is too short", std::string("\1\2\0\xFD\xFFx", 6), false},
      DeflateRow{"no last block", PutFixed(Fixed(false), {'x', 256}).bytes(), false},
      DeflateRow{"length 286", PutFixed(Fixed(), {'x', 286}).Put(0, 40).bytes(), false},
      DeflateRow{"length 287", PutFixed(Fixed(), {'x', 287}).Put(0, 40).bytes(), false},
      DeflateRow{"distance 30", PutFixed(Fixed(), {'x', 257}).PutCode(30, 5).Put(0, 40).bytes(),
                 false},
      DeflateRow{"distance 31", PutFixed(Fixed(), {'x', 257}).PutCode(31, 5).Put(0, 40).bytes(),
                 false},
      DeflateRow{"a distance before the beginning",
                 PutFixed(PutFixed(Fixed(), {'x', 257}).PutCode(1, 5), {256}).bytes(), false},
      DeflateRow{"a distance without a byte before",
                 PutFixed(PutFixed(Fixed(), {257}).PutCode(0, 5), {256}).bytes(), false},
      DeflateRow{"the bit that the only literal code does not use",
                 OwnCodes(Only(257, {{256, 1}}), none).PutCode(1, 1).Put(0, 40).bytes(), false},
      DeflateRow{"the bit that the only distance code does not use",
                 OwnCodes(match, one).PutCode(0b0'11'1'10, 6).Put(0, 40).bytes(), false},
      DeflateRow{"a distance where none has a code",
                 OwnCodes(match, none).PutCode(0b0'11'0'10, 6).Put(0, 40).bytes(), false},
  });
}

TEST(InflateStreamTest, DataThatEndsTooEarlyIsReportedAsCutOff) {
  const std::string content = Mixed(3'000);
  for (int level : {0, 1, 9}) {
    const std::string packed = Pack(content, level, Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH);
    for (std::size_t size = 0; size < packed.size(); ++size) {
      InflateStream stream;
      std::span<const std::byte> in = std::as_bytes(std::span(packed.data(), size));
      InflateStream::Step step;
      while (step.progress == InflateStream::Progress::kMore) {
        step = stream.Run(in);
        in = in.subspan(step.consumed);
      }
      ASSERT_EQ(step.progress, InflateStream::Progress::kCutOff) << level << " " << size;
    }
  }
}

TEST(InflateStreamTest, ARestartedStreamKnowsNothingOfBefore) {
  const std::string good = PutFixed(Fixed(), {'x', 'y', 256}).bytes();
  // Reaches back to what another stream left.
  const std::string bad = PutFixed(PutFixed(Fixed(), {257}).PutCode(0, 5), {256}).bytes();
  InflateStream stream;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(stream.Run(std::as_bytes(std::span(good))).progress, InflateStream::Progress::kEnd);
    stream.Restart();
    EXPECT_EQ(stream.Run(std::as_bytes(std::span(bad))).progress, InflateStream::Progress::kBroken);
    stream.Restart();
  }
}

TEST(UpdateCrcTest, IsThatOfZlib) {
  const std::string content = Mixed(100'000);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  for (std::size_t at : {0U, 1U, 15U, 4'097U, 100'000U}) {
    const std::uint32_t crc = UpdateCrc(UpdateCrc(0, bytes.first(at)), bytes.subspan(at));
    EXPECT_EQ(crc, crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())) << at;
  }
}

}  // namespace
}  // namespace koya
