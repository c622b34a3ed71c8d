// Character references of HTML ("&amp;", "&#106;", "&Tab;"), as browsers read them, and text made
// safe to stand in HTML. Pure: any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::markup {

// What an attribute's value means. Numbers count with and without ";", as they do in browsers; of
// the names only those that can stand for ASCII are known. What is not known stays as it stands,
// and must be escaped before it is written. Unfit characters (utf8.h) come out as U+FFFD, but tab,
// newline and carriage return, which a link must be judged by, as themselves.
std::string DecodeReferences(std::string_view text);

// `text` so that it means itself, in an element and in quotes.
void AppendEscaped(std::string_view text, std::string& out);

// The same, but character references that are written out in full stay references. Unfit
// characters that are given by number come out as U+FFFD.
void AppendWithReferences(std::string_view text, std::string& out);

}  // namespace koya::markup
