// Parses an OpenPGP signature of a document, version 4 (RFC 4880 §5.2.3), from its packet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace koya::signing {

// Views into the packet.
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
