// The version of the plugin protocol of a provider: "5.0", "6.0".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya {

// The protocol of providers without a manifest (public registries assume the same).
inline constexpr std::string_view kDefaultProtocol = "5.0";

// MAJOR.MINOR, two numbers below 2^31 without leading zeros. Fails: kInvalid.
Status CheckProtocolVersion(std::string_view text);

// Checks each version, sorts by number and removes duplicates; at most 32. Fails: kInvalid (also if
// there is none).
Result<std::vector<std::string>> NormalizeProtocols(std::vector<std::string> protocols);

}  // namespace koya
