// Characters of strings, and where a text stops being UTF-8. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hcl/hcl.h"

namespace koya::hcl {

// REQUIRES: IsCharacter(code).
void AppendUtf8(std::uint32_t code, std::string& out);
bool IsCharacter(std::uint32_t code);

// `count` hexadecimal digits at the beginning of `text`.
std::optional<std::uint32_t> HexNumber(std::string_view text, std::size_t count);

// Whether clients take it for a name: a letter or "_", then letters, digits, "-" and "_", of
// Unicode 9, which HCL was made with.
bool IsIdentifier(std::string_view text);

// The beginning of the first line that is not UTF-8, or nothing.
std::optional<Range> FirstBadLine(std::string_view text);

}  // namespace koya::hcl
