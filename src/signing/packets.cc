#include "signing/packets.h"

#include <fmt/format.h>

namespace koya::signing {

std::uint32_t FieldReader::Number(std::size_t width) {
  std::uint32_t value = 0;
  for (const char c : Bytes(width)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string_view FieldReader::Bytes(std::size_t size) {
  if (!ok_ || size > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

std::string_view FieldReader::Mpi() {
  std::string_view digits = Bytes((Number(2) + 7) / 8);
  while (digits.starts_with('\0')) digits.remove_prefix(1);
  return digits;
}

namespace {

Failure Unreadable(std::size_t at, std::string_view what) {
  return Fail(ErrorKind::kInvalid, fmt::format("the OpenPGP packet at byte {} {}", at, what));
}

// nullopt: a partial or an indeterminate length.
std::optional<std::uint32_t> BodySize(FieldReader& fields, std::uint32_t header) {
  const bool new_format = (header & 0x40U) != 0;
  if (!new_format) {
    const std::uint32_t kind = header & 3U;
    if (kind == 3) return std::nullopt;
    return fields.Number(std::size_t{1} << kind);
  }
  const std::uint32_t first = fields.Number(1);
  if (first < 192) return first;
  if (first < 224) return ((first - 192) << 8) + fields.Number(1) + 192;
  if (first < 255) return std::nullopt;
  return fields.Number(4);
}

Result<Packet> ReadPacket(std::string_view bytes, std::size_t at) {
  FieldReader fields(bytes.substr(at));
  const std::uint32_t header = fields.Number(1);
  if ((header & 0x80U) == 0) return Unreadable(at, "does not begin as one");
  const std::uint32_t tag = (header & 0x40U) != 0 ? header & 0x3FU : header >> 2 & 0x0FU;
  if (tag == 0) return Unreadable(at, "is of the reserved kind 0");
  const auto size = BodySize(fields, header);
  if (!size) return Unreadable(at, "has no definite length, which keys and signatures have");
  const std::string_view body = fields.Bytes(*size);
  if (!fields.ok()) return Unreadable(at, "is cut off");
  const std::size_t end = bytes.size() - fields.rest().size();
  return Packet{static_cast<Tag>(tag), body, bytes.substr(at, end - at)};
}

}  // namespace

Result<std::vector<Packet>> ReadPackets(std::string_view bytes) {
  std::vector<Packet> packets;
  for (std::size_t at = 0; at < bytes.size();) {
    if (packets.size() == kMaxPackets) {
      return Unreadable(at, fmt::format("is one too many: the limit is {}", kMaxPackets));
    }
    ASSIGN_OR_RETURN(Packet packet, ReadPacket(bytes, at));
    at += packet.whole.size();
    packets.push_back(packet);
  }
  return packets;
}

bool HoldsSecretKey(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    // The header alone decides: a secret key may be cut off, too.
    const auto header = static_cast<unsigned char>(bytes[at]);
    const unsigned tag = (header & 0x40U) != 0 ? header & 0x3FU : header >> 2 & 0x0FU;
    if ((header & 0x80U) == 0) return false;
    if (tag == static_cast<unsigned>(Tag::kSecretKey) ||
        tag == static_cast<unsigned>(Tag::kSecretSubkey)) {
      return true;
    }
    const auto packet = ReadPacket(bytes, at);
    if (!packet) return false;
    at += packet->whole.size();
  }
  return false;
}

}  // namespace koya::signing
