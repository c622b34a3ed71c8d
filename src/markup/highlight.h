// Highlights HCL on the server: wraps words whose kind is clear without parsing in <span class="k">
// and the like. Code may be incomplete or wrong. Linear time. Pure: any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::markup {

// Whether HighlightHcl is for code blocks of this language: "hcl", "terraform", "tf", "tofu", …
bool IsHcl(std::string_view language);

// `code`, escaped, with classes: k a block's type or `for`, `if`, `true`, `null`; n an attribute's
// name; s a string or heredoc; i an interpolation in it; m a number; c a comment; f a called
// function.
std::string HighlightHcl(std::string_view code);

}  // namespace koya::markup
