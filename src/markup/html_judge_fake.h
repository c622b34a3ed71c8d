// A second opinion of HTML that must be safe: a strict reader of its own, which knows less than
// browsers and refuses what it does not know. For tests and fuzzers.
#pragma once

#include <string>
#include <string_view>

namespace koya::markup {

// What is wrong with `html`, in words; empty: it has only elements and attributes that are
// harmless, each quoted and balanced, its places are named "user-…", its links lead to where they
// may.
std::string WhatIsUnsafe(std::string_view html);

}  // namespace koya::markup
