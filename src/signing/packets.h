// The framing of OpenPGP packets (RFC 4880 §4.2), and a bounded reader for what is in them.
//
// It stands between hostile bytes and every other reader: what has a packet that is cut off, has no
// definite length or is not of a kind that belongs there never gets further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

// Views into the bytes that were read.
struct Packet {
  Tag tag;  // any value from 1 to 63
  std::string_view body;
  std::string_view whole;  // with its header
};

inline constexpr std::size_t kMaxPackets = 1000;

// Fails: kInvalid when the bytes are not whole packets of definite length, or more than
// kMaxPackets. What to do about it the caller says, who knows what the bytes should have been.
Result<std::vector<Packet>> ReadPackets(std::string_view bytes);

// Whether a secret key is among the packets, up to where they can be read.
bool HoldsSecretKey(std::string_view bytes);

// Takes big-endian fields off the front of a packet; once something is missing, all that follows is
// zero and empty and ok() is false.
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

}  // namespace koya::signing
