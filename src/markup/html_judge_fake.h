// A second opinion of HTML that must be safe: a strict reader of its own, which knows less than
// browsers and rejects everything unknown to it. For tests and fuzzers.
#pragma once

#include <string>
#include <string_view>

namespace koya::markup {

// The first fault of `html`, in words; empty: it has only harmless elements and attributes, each
// quoted and balanced, its anchors are named "user-…", and its links lead only to allowed targets.
std::string WhatIsUnsafe(std::string_view html);

}  // namespace koya::markup
