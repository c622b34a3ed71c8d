// Reads and writes ASCII armor (RFC 4880 §6): base64 between BEGIN and END lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::signing {

struct ArmorBlock {
  std::string label;  // "PGP PUBLIC KEY BLOCK"
  std::string bytes;
};

inline constexpr std::string_view kPublicKeyLabel = "PGP PUBLIC KEY BLOCK";
inline constexpr std::string_view kSignatureLabel = "PGP SIGNATURE";

// Every block in the text, in order; text around the blocks is ignored. Verifies the checksum if
// there is one. Fails: kInvalid when a block is damaged; the message contains none of the text.
Result<std::vector<ArmorBlock>> ReadArmor(std::string_view text);

// Whether a line of the text begins a block whose label contains `word`, damaged or not.
bool BeginsArmor(std::string_view text, std::string_view word = {});

std::string WriteArmor(std::string_view label, std::string_view bytes);

}  // namespace koya::signing
