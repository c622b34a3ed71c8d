// Makes untrusted text safe to show. Pure: any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::markup {

// Control characters other than tab and newline, and those that change the direction of the
// following text (U+202A to U+202E, U+2066 to U+2069), which can disguise a text.
bool IsUnfit(char32_t code);

// `text` without a byte order mark, with each run of unfit characters and invalid UTF-8 replaced by
// one kReplacement, and with "\n" line ends. At most 3 times as long.
std::string FitToShow(std::string_view text);

}  // namespace koya::markup
