// Checks the file of a new key of a namespace before any of it leaves the machine.
#pragma once

#include <string_view>

#include "base/result.h"

namespace koya::cli {

// The server's limit, in bytes.
inline constexpr std::size_t kMaxKeyText = 256 << 10;

// Fails: kInvalid when `text` holds a secret key, armored or binary, when it is too large, and when
// it holds no armored public key. `place`: where it came from. Errors do not repeat the text.
Status CheckPublicKeyText(std::string_view text, std::string_view place);

}  // namespace koya::cli
