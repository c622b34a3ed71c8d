// Characters of untrusted text: makes it safe to show, decodes HTML character references ("&amp;",
// "&#106;", "&Tab;") as browsers do, and escapes text for HTML. Pure: any thread.
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

// The decoded value of an attribute. Numeric references count with and without ";", as in browsers;
// of the names only those for ASCII characters are known. Unknown references stay unchanged. The
// result must be escaped before it is written. Unfit characters become U+FFFD, except tab,
// newline and carriage return, which the check of a link needs to see.
std::string DecodeReferences(std::string_view text);

// Appends `text` escaped for use as element text and in quoted attributes.
void AppendEscaped(std::string_view text, std::string& out);

// The same, but complete character references stay references. Numeric references to unfit
// characters become U+FFFD.
void AppendWithReferences(std::string_view text, std::string& out);

}  // namespace koya::markup
