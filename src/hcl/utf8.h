// Names in Unicode, and invalid UTF-8. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hcl/hcl.h"

namespace koya::hcl {

// Parses `count` hexadecimal digits at the beginning of `text`.
std::optional<std::uint32_t> HexNumber(std::string_view text, std::size_t count);

// Whether clients accept it as a name: a letter or "_", then letters, digits, "-" and "_", of
// Unicode 9, the version that HCL uses.
bool IsIdentifier(std::string_view text);

// The beginning of the first line that is not UTF-8, or nothing.
std::optional<Range> FirstBadLine(std::string_view text);

}  // namespace koya::hcl
