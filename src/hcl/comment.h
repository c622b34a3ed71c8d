// Extracts the text of comments. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::hcl {

// Without "#", "//", "/*", "*/" and the "*" that begins the lines of a block comment; without empty
// lines at both ends.
std::string CommentText(std::string_view comments);

}  // namespace koya::hcl
