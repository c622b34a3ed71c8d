// Splits OpenPGP data into packets (RFC 4880 §4.2), and reads their fields with bounds checks;
// parses the packet of a document's signature.
//
// It shields all other readers from hostile bytes: data with a packet that is cut off, has no
// definite length or has an unexpected type never gets further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace koya::signing {

enum class Tag : std::uint8_t {
  kSignature = 2,
  kSecretKey = 5,
  kPublicKey = 6,
  kSecretSubkey = 7,
  kUserId = 13,
  kPublicSubkey = 14,
  kUserAttribute = 17,
};

// Views into the input.
struct Packet {
  Tag tag;  // any value from 1 to 63
  std::string_view body;
  std::string_view whole;  // with its header
};

inline constexpr std::size_t kMaxPackets = 1000;

// Fails: kInvalid when the bytes are not whole packets of definite length, or more than
// kMaxPackets. The caller adds the remedy, since it knows the expected content.
Result<std::vector<Packet>> ReadPackets(std::string_view bytes);

// Whether there is a secret key among the packets, up to the first unreadable one.
bool HoldsSecretKey(std::string_view bytes);

// Takes big-endian fields off the front of a packet; once one is missing, all further results are
// zero and empty, and ok() is false.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  std::uint32_t Number(std::size_t width);  // REQUIRES: width <= 4
  std::string_view Bytes(std::size_t size);
  // A multi-precision integer: its digits without leading zeros. Empty for zero.
  std::string_view Mpi();
  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// A signature of a document, version 4 (RFC 4880 §5.2.3): views into the packet.
struct SignaturePacket {
  bool of_text = false;             // line ends are signed as CR LF
  std::uint8_t key_algorithm = 0;   // RFC 4880 §9.1
  std::uint8_t hash_algorithm = 0;  // §9.4
  std::string_view signed_part;     // hashed after the document
  std::string_view hash_begins;     // the first two bytes of the hash, as a hint
  std::string_view numbers;         // the signature itself: multi-precision integers
  UnixSeconds created_at = 0;
  UnixSeconds expires_at = 0;       // 0: never
  std::string issuer_key_id;        // 16 upper-case hex digits; "" when it names none
  std::string issuer_fingerprint;   // upper-case hex; "" when it names none
  bool has_unknown_demand = false;  // a critical subpacket that clients do not know either
};

// Fails: kInvalid when it is damaged, of another version, or signs anything but a document.
Result<SignaturePacket> ParseSignature(std::string_view body);

std::string UpperHex(std::string_view bytes);

}  // namespace koya::signing
