// Text of others, made fit to be put into a page. Escaping is the templates' work.
#pragma once

#include <string>
#include <string_view>

namespace koya::web {

// `text` as well-formed UTF-8 that HTML may hold: U+FFFD for each byte that is no UTF-8 and for
// each control character but line ends and tabs. What would close a direction isolate that it has
// not opened (U+2069, and the paragraph separator U+2029) is left out, so that <bdi> keeps it in.
std::string ShownText(std::string_view text);

// ShownText in one line and without any direction controls: for <title>, which knows no <bdi>.
std::string TitleText(std::string_view text);

}  // namespace koya::web
