#include "cli/text/key_text.h"

#include <cstdint>
#include <optional>

namespace koya::cli {
namespace {

// One OpenPGP packet (RFC 4880 §4.2): its tag, and how many bytes it takes in all.
struct Packet {
  unsigned tag = 0;
  std::uint64_t size = 0;
};

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// `octets` of length behind `head` bytes of header.
std::optional<Packet> Sized(std::string_view bytes, unsigned tag, std::size_t head,
                            std::size_t octets, std::uint64_t more = 0) {
  if (bytes.size() < head + octets) return std::nullopt;
  return Packet{tag, head + octets + BigEndian(bytes.substr(head, octets)) + more};
}

// nullopt when no packet of known length begins here.
std::optional<Packet> ReadPacket(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  auto first = static_cast<unsigned char>(bytes[0]);
  if ((first & 0x80U) == 0) return std::nullopt;
  if ((first & 0x40U) == 0) {  // old format
    unsigned tag = (first >> 2U) & 0x0FU;
    unsigned type = first & 3U;
    if (type == 3) return Packet{tag, bytes.size()};  // to the end
    return Sized(bytes, tag, 1, std::size_t{1} << type);
  }
  unsigned tag = first & 0x3FU;
  if (bytes.size() < 2) return std::nullopt;
  auto length = static_cast<unsigned char>(bytes[1]);
  if (length < 192) return Sized(bytes, tag, 1, 1);
  if (length == 255) return Sized(bytes, tag, 2, 4);
  if (length >= 224) return Packet{tag, bytes.size()};  // in parts; keys never are
  if (bytes.size() < 3) return std::nullopt;
  return Packet{tag, 3 + ((length - 192ULL) << 8U) + static_cast<unsigned char>(bytes[2]) + 192};
}

constexpr unsigned kSecretKey = 5;
constexpr unsigned kSecretSubkey = 7;

// A binary export, or a whole key ring, in which public keys may come first.
bool HoldsSecretPackets(std::string_view bytes) {
  while (std::optional<Packet> packet = ReadPacket(bytes)) {
    if (packet->tag == kSecretKey || packet->tag == kSecretSubkey) return true;
    if (packet->size > bytes.size()) return false;
    bytes.remove_prefix(packet->size);
  }
  return false;
}

bool Holds(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

}  // namespace

Status CheckPublicKeyText(std::string_view text, std::string_view place) {
  if (Holds(text, "PGP PRIVATE KEY BLOCK") || Holds(text, "PGP SECRET KEY BLOCK") ||
      HoldsSecretPackets(text)) {
    return FailInvalid(
        "{} contains a SECRET key. It was not sent anywhere; do not share it. "
        "Use the public key: gpg --armor --export KEY > key.asc",
        place);
  }
  if (text.size() > kMaxKeyText) {
    return FailInvalid(
        "{} is larger than {} bytes: export one key, without photographs: gpg "
        "--armor --export --export-options export-minimal KEY > key.asc",
        place, kMaxKeyText);
  }
  if (!Holds(text, "-----BEGIN PGP PUBLIC KEY BLOCK-----")) {
    return FailInvalid(
        "{} has no armored OpenPGP public key: export it "
        "with gpg --armor --export KEY > key.asc",
        place);
  }
  return {};
}

}  // namespace koya::cli
