// What the listings of modules and providers make of a filter's texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace koya::sql {

// The longest page of a listing.
inline constexpr std::uint64_t kLongestPage = 1000;

// The distinct words of a search, ASCII folded. Words after the first sixteen do not restrict.
std::vector<std::string> SearchWords(std::string_view query);

// `word` as a LIKE pattern (ESCAPE '\') that matches wherever it occurs.
std::string Containing(std::string_view word);

}  // namespace koya::sql
