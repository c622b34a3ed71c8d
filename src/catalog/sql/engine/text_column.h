// Encodes texts and lists of texts for columns.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

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

}  // namespace koya::sql
