// Splits OpenPGP data into packets (RFC 4880 §4.2), and reads their fields with bounds checks.
//
// It shields all other readers from hostile bytes: data with a packet that is cut off, has no
// definite length or has an unexpected type never gets further.
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

}  // namespace koya::signing
