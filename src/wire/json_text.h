// Texts as JSON has them (RFC 8259, section 7).
#pragma once

#include <string>
#include <string_view>

namespace koya::wire {

// Appends `text` in quotes. Escaped is what has to be, as Boost.JSON does it; what is no UTF-8 is
// taken as it is.
void AppendJsonText(std::string_view text, std::string& out);

}  // namespace koya::wire
