// A badge that shows the newest version, for READMEs on other sites. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::web {

// An SVG of two parts, without style or script. `value`: "4.2.0"; texts are truncated at 64 bytes.
std::string BadgeText(std::string_view label, std::string_view value);

}  // namespace koya::web
