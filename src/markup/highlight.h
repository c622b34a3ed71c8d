// Colours for the language of configurations, made once: <span class="k"> and its like around words
// whose kind can be told without parsing. Code need not be whole or right. Linear in time. Pure:
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace koya::markup {

// Whether HighlightHcl is for code blocks of this language: "hcl", "terraform", "tf", "tofu", …
bool IsHcl(std::string_view language);

// `code`, escaped, with classes: k a block's word or `for`, `if`, `true`, `null`; n the name of an
// attribute; s a string or heredoc; i what is interpolated in it; m a number; c a comment; f a
// function that is called.
std::string HighlightHcl(std::string_view code);

}  // namespace koya::markup
