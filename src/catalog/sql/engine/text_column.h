// Encodes texts and lists of texts for columns, and the filter texts of listings for conditions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/page.h"

namespace koya::sql {

// Whether both engines store `text` unchanged and can search for it: UTF-8 without NUL, which
// PostgreSQL rejects.
bool IsStorable(std::string_view text);

// Fails: kInvalid, when `text` is not storable; `what` names it ("the deprecation message").
Status CheckStorable(std::string_view what, std::string_view text);

// Encodes a list for one column: a line for each element, each ended, so that no element and one
// empty element differ. Control characters, "%" and bytes that are not UTF-8 become %XX: an element
// may hold any bytes, and human-written text stays legible in the database.
std::string JoinList(std::span<const std::string> elements);
// Decodes such a list. Fails: kCorrupt when JoinList cannot have written `text`.
Result<std::vector<std::string>> SplitList(std::string_view text);

// A list as one parameter, for "SELECT element FROM {{elements of}} :list {{end of elements}}".
// REQUIRES: the elements are storable.
std::string JsonList(std::span<const std::string> elements);
// A list of such lists.
std::string JsonRows(std::span<const std::string> lists);

// The longest page of a listing.
inline constexpr std::uint64_t kLongestPage = 1000;

// The number of rows, in order, that decide the page and whether there are more.
std::uint64_t RowsUpTo(const PageRequest& page);

// The distinct words of a search, ASCII folded. Words after the first sixteen are ignored.
std::vector<std::string> SearchWords(std::string_view query);

// `word` as a LIKE pattern (ESCAPE '\') that matches wherever it occurs.
std::string Containing(std::string_view word);

}  // namespace koya::sql
