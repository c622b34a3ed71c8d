// Writes JSON strings (RFC 8259, section 7).
#pragma once

#include <string>
#include <string_view>

namespace koya::wire {

// Appends `text` in quotes. Escapes only where required, as Boost.JSON does; invalid UTF-8 is
// copied unchanged.
void AppendJsonText(std::string_view text, std::string& out);

}  // namespace koya::wire
