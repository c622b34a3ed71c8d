// What strangers write, made fit for the Markdown parser. Pure: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koya::markup {

// `text` as FitToShow gives it, in which quotes and lists stand at most about a hundred deep: a
// mark of a list or quote far to the right, with nothing but such marks before it, is escaped. The
// parser takes the time of all lines times the depth. Where a block of HTML ends a table an empty
// line comes between them: the parser takes it for a row.
std::string FitToParse(std::string_view text);

}  // namespace koya::markup
