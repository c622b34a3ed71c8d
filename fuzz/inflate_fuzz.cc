// Raw deflate data: InflateStream takes what zlib takes, byte for byte, and rejects the rest. The
// first byte chooses: the data as it is; content that zlib packs, of which bits are then flipped;
// or a block with codes of the fuzzer's choice, which reaches what packers never write. The second
// byte is the size of the pieces.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "archive/deflate_oracle_fake.h"

namespace koya {
namespace {

// Takes numbers from the front; 0 at the end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  unsigned Take() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

// Repeated with differences, so that it is longer than the window, and not much longer.
std::string Stretched(std::string_view content, unsigned times) {
  std::string out;
  constexpr std::size_t kMost = 160 << 10;
  for (unsigned i = 0; i <= times && out.size() < kMost; ++i) {
    out += content;
    out += static_cast<char>(i * 37);
  }
  return out;
}

std::string PackAndDamage(Choices choices) {
  const int level = static_cast<int>(choices.Take() % 10);
  const int strategy = static_cast<int>(choices.Take() % 5);
  const unsigned times = choices.Take();
  std::array<unsigned, 4> flips{};
  for (unsigned& flip : flips) flip = choices.Take() << 8U | choices.Take();
  const std::string content = Stretched(choices.rest(), times);
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 1 + static_cast<int>(times % 9), strategy);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  for (unsigned flip : flips) {  // 0: none
    if (flip != 0) out[flip / 8 % out.size()] ^= static_cast<char>(1U << flip % 8);
  }
  return out;
}

// Lengths as chosen while they fit; then what fills the set up, unless that is chosen otherwise.
std::vector<std::uint8_t> ChooseLengths(Choices& choices, std::size_t count, std::size_t needed) {
  std::vector<std::uint8_t> lengths(count);
  int unused = 1 << 15;
  auto put = [&](std::size_t at, int length) {
    if (lengths[at] != 0 || length == 0 || unused < 1 << (15 - length)) return;
    lengths[at] = static_cast<std::uint8_t>(length);
    unused -= 1 << (15 - length);
  };
  if (needed < count) put(needed, 1 + static_cast<int>(choices.Take() % 15));
  for (unsigned left = choices.Take(); left > 0; --left) {
    const unsigned place = choices.Take() + (choices.Take() % 2) * 256;
    put(place % count, static_cast<int>(choices.Take() % 16));
  }
  const unsigned kind = choices.Take() % 8;
  for (std::size_t at = 0; kind > 1 && at < count; ++at) {
    for (int length = 1; length <= 15 && lengths[at] == 0; ++length) put(at, length);
  }
  if (kind == 1) lengths[choices.Take() % count] = static_cast<std::uint8_t>(choices.Take() % 16);
  return lengths;
}

std::string ChooseBlocks(Choices choices) {
  DeflateBits bits;
  for (unsigned left = choices.Take() % 4; left > 0; --left) {
    const std::size_t most = 257 + choices.Take() % 32;
    const std::size_t distances = 1 + choices.Take() % 32;
    const std::vector<std::uint8_t> literal = ChooseLengths(choices, most, 256);
    const std::vector<std::uint8_t> distance = ChooseLengths(choices, distances, distances);
    bits.PutOwnCodes(choices.Take() % 2 == 0, literal, distance);
    for (unsigned body = choices.Take(); body > 0; --body) bits.Put(choices.Take(), 8);
  }
  for (std::string_view rest = choices.rest(); !rest.empty(); rest.remove_prefix(1)) {
    bits.Put(static_cast<unsigned char>(rest.front()), 8);
  }
  return bits.bytes();
}

void Check(std::string_view packed, std::size_t most) {
  if (InflateByKoya(packed, most) != InflateByZlib(packed)) std::abort();
}

}  // namespace
}  // namespace koya

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koya;
  Choices choices(std::string_view(reinterpret_cast<const char*>(data), size));
  const unsigned kind = choices.Take() % 3;
  const std::size_t most = InflateStream::kLookAhead + choices.Take() * 64;
  switch (kind) {
    case 0:
      Check(choices.rest(), most);
      break;
    case 1:
      Check(PackAndDamage(choices), most);
      break;
    default:
      Check(ChooseBlocks(choices), most);
  }
  return 0;
}
