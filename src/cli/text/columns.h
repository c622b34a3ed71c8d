// Measures and wraps text for a terminal of limited width. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya::cli {

inline constexpr std::size_t kTextColumns = 80;

// Columns of `text`: one per code point, which aligns all but wide characters.
std::size_t Columns(std::string_view text);

// Wraps `text` into lines of at most `width` columns, at blanks; a longer word gets its own line.
std::vector<std::string> WrapText(std::string_view text, std::size_t width);

}  // namespace koya::cli
