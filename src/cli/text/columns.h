// Text for a terminal of so many columns. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace koya::cli {

inline constexpr std::size_t kTextColumns = 80;

// Columns of `text`: of its code points one each, which lines up all but wide characters.
std::size_t Columns(std::string_view text);

// `text` in lines of at most `width` columns, broken at blanks; a word that is longer stands alone.
std::vector<std::string> WrapText(std::string_view text, std::size_t width);

}  // namespace koya::cli
