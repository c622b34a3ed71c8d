// Texts and lists of texts as columns hold them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::sql {

// Whether both engines keep `text` as it is and can be asked for it: UTF-8 without NUL, which
// PostgreSQL refuses.
bool IsStorable(std::string_view text);

// Fails: kInvalid, when `text` is not storable; `what` names it ("the deprecation message").
Status CheckStorable(std::string_view what, std::string_view text);

// A list in one column: a line for each element, each ended, so that no element and one empty
// element differ. Control characters, "%" and what is not UTF-8 become %XX: an element may hold
// any bytes, and what people write stays legible in the database.
std::string JoinList(std::span<const std::string> elements);
// The reverse. Fails: kCorrupt when JoinList cannot have written `text`.
Result<std::vector<std::string>> SplitList(std::string_view text);

// A list as one parameter, for "SELECT element FROM {{elements of}} :list {{end of elements}}".
// REQUIRES: the elements are storable.
std::string JsonList(std::span<const std::string> elements);
// Of such lists, a list of them.
std::string JsonRows(std::span<const std::string> lists);

}  // namespace koya::sql
