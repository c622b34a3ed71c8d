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
  return FailInvalid("the OpenPGP packet at byte {} {}", at, what);
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

namespace {

// Kinds of signatures (RFC 4880 §5.2.1) and of subpackets (§5.2.3.1) that matter here.
constexpr std::uint32_t kOfBinary = 0x00;
constexpr std::uint32_t kOfText = 0x01;
constexpr std::uint32_t kCreationTime = 2;
constexpr std::uint32_t kExpirationTime = 3;
constexpr std::uint32_t kIssuerKeyId = 16;
constexpr std::uint32_t kIssuerFingerprint = 33;

Failure Damaged() { return FailInvalid("the OpenPGP signature is damaged; sign again"); }

// Subpackets that may be marked critical: readers of document signatures know these.
bool IsKnown(std::uint32_t type) {
  switch (type) {
    case kCreationTime:
    case kExpirationTime:
    case kIssuerKeyId:
    case 26:  // policy URI
    case 27:  // key flags
    case 28:  // signer's user id
    case kIssuerFingerprint:
      return true;
    default:
      return false;
  }
}

std::uint32_t SubpacketSize(FieldReader& fields) {
  const std::uint32_t first = fields.Number(1);
  if (first < 192) return first;
  if (first < 255) return ((first - 192) << 8) + fields.Number(1) + 192;
  return fields.Number(4);
}

void TakeIssuer(SignaturePacket& signature, std::uint32_t type, std::string_view value) {
  constexpr std::size_t kVersion4Size = 21;
  if (type == kIssuerKeyId && value.size() == 8) {
    signature.issuer_key_id = UpperHex(value);
  } else if (type == kIssuerFingerprint && value.size() == kVersion4Size && value[0] == 4) {
    signature.issuer_fingerprint = UpperHex(value.substr(1));
  }
}

struct Times {
  bool is_dated = false;
  std::uint32_t created = 0;
  std::uint32_t lasts = 0;
};

// False when the area is damaged. `times` is nullptr for the area that is not signed: nothing there
// can be trusted but a hint at the key.
bool ReadSubpackets(std::string_view area, Times* times, SignaturePacket& signature) {
  FieldReader fields(area);
  while (!fields.rest().empty()) {
    FieldReader subpacket(fields.Bytes(SubpacketSize(fields)));
    const std::uint32_t type_byte = subpacket.Number(1);
    if (!fields.ok() || !subpacket.ok()) return false;
    const std::uint32_t type = type_byte & 0x7FU;
    const std::string_view value = subpacket.rest();
    TakeIssuer(signature, type, value);
    if (times == nullptr) continue;
    if ((type_byte & 0x80U) != 0 && !IsKnown(type)) signature.has_unknown_demand = true;
    if (type != kCreationTime && type != kExpirationTime) continue;
    if (value.size() != 4) return false;
    (type == kCreationTime ? times->created : times->lasts) = subpacket.Number(4);
    times->is_dated = times->is_dated || type == kCreationTime;
  }
  return fields.ok();
}

}  // namespace

std::string UpperHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

Result<SignaturePacket> ParseSignature(std::string_view body) {
  FieldReader fields(body);
  const std::uint32_t version = fields.Number(1);
  if (fields.ok() && version != 4) {
    return FailInvalid(
        "the OpenPGP signature is of version {}; clients read version 4, which gpg creates",
        version);
  }
  SignaturePacket signature;
  const std::uint32_t type = fields.Number(1);
  signature.key_algorithm = static_cast<std::uint8_t>(fields.Number(1));
  signature.hash_algorithm = static_cast<std::uint8_t>(fields.Number(1));
  const std::string_view hashed = fields.Bytes(fields.Number(2));
  signature.signed_part = body.substr(0, body.size() - fields.rest().size());
  const std::string_view unhashed = fields.Bytes(fields.Number(2));
  signature.hash_begins = fields.Bytes(2);
  if (!fields.ok()) return Damaged();
  if (type != kOfBinary && type != kOfText) {
    return FailInvalid(
        "the OpenPGP signature is over a key, not over a document; sign the document with "
        "gpg --detach-sign");
  }
  signature.of_text = type == kOfText;
  signature.numbers = fields.rest();
  Times times;
  // The signed area last: its issuer takes precedence.
  if (!ReadSubpackets(unhashed, nullptr, signature)) return Damaged();
  if (!ReadSubpackets(hashed, &times, signature)) return Damaged();
  if (!times.is_dated) return Damaged();  // RFC 4880 §5.2.3.4: must be there
  signature.created_at = times.created;
  if (times.lasts != 0) signature.expires_at = signature.created_at + times.lasts;
  if (!signature.issuer_fingerprint.empty()) {
    signature.issuer_key_id = signature.issuer_fingerprint.substr(24);
  }
  return signature;
}

}  // namespace koya::signing
