// A small picture that says which version is the newest, for READMEs elsewhere. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::web {

// An SVG of two parts, without style or script. `value`: "4.2.0"; texts are cut at 64 bytes.
std::string BadgeText(std::string_view label, std::string_view value);

}  // namespace koya::web
