// Prepares untrusted text for the Markdown parser. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koya::markup {

// `text` as FitToShow gives it, with quotes and lists nested at most about a hundred deep: a mark
// of a list or quote far to the right, with only such marks before it, is escaped. The parser takes
// time proportional to lines times depth. Where a block of HTML ends a table, an empty line is
// inserted: the parser would take the block for a row.
std::string FitToParse(std::string_view text);

}  // namespace koya::markup
