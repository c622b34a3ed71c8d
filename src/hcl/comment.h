// What comments say. Pure.
#pragma once

#include <string>
#include <string_view>

namespace koya::hcl {

// Without "#", "//", "/*", "*/" and the "*" that lines of a long one begin with; without empty
// lines at both ends.
std::string CommentText(std::string_view comments);

}  // namespace koya::hcl
