// Internationalised names as clients accept them: UTS #46, non-transitional, with STD3, bidi and
// joiner rules (the Lookup profile of golang.org/x/net/idna), through ICU. Pure: any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::idna {

// A converted name or label, or the reason why it is invalid: the end of a sentence that says what
// to write, "leave out the full stop; …". `text` is meaningful when `problem` is empty.
struct Converted {
  std::string text;
  std::string_view problem;
};

// Converts one label, without full stops. REQUIRES: at most a few kilobytes of UTF-8.
Converted LabelToUnicode(std::string_view label);
Converted LabelToAscii(std::string_view label);
// The same, but "_" is allowed, too.
Converted LabelWithUnderscoresToUnicode(std::string_view label);
Converted LabelWithUnderscoresToAscii(std::string_view label);
// Converts labels between full stops, ideographic ones too; one full stop at the end is kept.
Converted NameToUnicode(std::string_view name);
Converted NameToAscii(std::string_view name);

}  // namespace koya::idna
