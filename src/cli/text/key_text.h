// What a file that is to become a namespace's key holds, told before any of it leaves the machine.
#pragma once

#include <string_view>

#include "base/result.h"

namespace koya::cli {

// The server takes no more.
inline constexpr std::size_t kMaxKeyText = 256 << 10;

// Fails: kInvalid when `text` holds a secret key, armored or binary, and when it holds no armored
// public key. `place`: where it came from. Nothing of the text is repeated.
Status CheckPublicKeyText(std::string_view text, std::string_view place);

}  // namespace koya::cli
