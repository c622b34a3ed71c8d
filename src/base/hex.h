// Lower-case hexadecimal, as digests are written everywhere in the protocols.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

std::string HexEncode(std::span<const std::byte> bytes);

// Accepts lower-case digits only, since that is the one form the protocols compare bytewise.
std::optional<std::vector<std::byte>> HexDecode(std::string_view text);

// base64url without padding (RFC 4648 §5): safe in paths and queries.
std::string Base64UrlEncode(std::span<const std::byte> bytes);

}  // namespace koya
