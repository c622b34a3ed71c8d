// One value of a YAML file, when it is text. Pure: any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace koya::markup {

struct Scalar {
  std::string text;  // what could be read, also when something was wrong
  std::string why;   // what was wrong; empty: nothing
};

// `first`: what stands behind "name:". `below`: the lines under it that are blank or begin with a
// blank. Neither has line ends.
Scalar ReadScalar(std::string_view first, std::span<const std::string_view> below);

}  // namespace koya::markup
