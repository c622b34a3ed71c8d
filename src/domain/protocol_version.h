// The version of the plugin protocol that a provider speaks: "5.0", "6.0".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya {

// What providers without a manifest speak (public registries assume the same).
inline constexpr std::string_view kDefaultProtocol = "5.0";

// MAJOR.MINOR, two numbers below 2^31 without leading zeros. Fails: kInvalid.
Status CheckProtocolVersion(std::string_view text);

// Checks each, sorts them by number and drops repetitions; at most 32. Fails: kInvalid (also for
// none).
Result<std::vector<std::string>> NormalizeProtocols(std::vector<std::string> protocols);

}  // namespace koya
