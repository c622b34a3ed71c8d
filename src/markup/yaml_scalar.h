// Reads one text value of a YAML file. Pure: any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace koya::markup {

struct Scalar {
  std::string text;  // the readable part, also when something is wrong
  std::string why;   // the fault; empty: none
};

// `first`: the text after "name:". `below`: the lines under it that are blank or begin with a
// blank. Neither has line ends.
Scalar ReadScalar(std::string_view first, std::span<const std::string_view> below);

}  // namespace koya::markup
