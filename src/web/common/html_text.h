// Sanitizes untrusted text for a page. Templates do the escaping.
#pragma once

#include <string>
#include <string_view>

namespace koya::web {

// `text` as well-formed UTF-8 that is valid in HTML: U+FFFD for each byte that is not UTF-8 and for
// each control character except line ends and tabs. Characters that would close a direction isolate
// that the text has not opened (U+2069, and the paragraph separator U+2029) are removed, so that
// <bdi> contains the text.
std::string ShownText(std::string_view text);

// ShownText in one line and without direction controls: for <title>, which does not support <bdi>.
std::string TitleText(std::string_view text);

}  // namespace koya::web
