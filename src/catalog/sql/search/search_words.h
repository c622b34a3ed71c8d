// Converts the filter texts of module and provider listings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/page.h"

namespace koya::sql {

// The longest page of a listing.
inline constexpr std::uint64_t kLongestPage = 1000;

// The number of rows, in order, that decide the page and whether there are more.
std::uint64_t RowsUpTo(const PageRequest& page);

// The distinct words of a search, ASCII folded. Words after the first sixteen are ignored.
std::vector<std::string> SearchWords(std::string_view query);

// `word` as a LIKE pattern (ESCAPE '\') that matches wherever it occurs.
std::string Containing(std::string_view word);

}  // namespace koya::sql
