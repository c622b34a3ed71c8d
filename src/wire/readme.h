// Document of a module's README.
#pragma once

#include <string>
#include <string_view>

#include "wire/codec.h"

namespace koya::wire {

struct Readme {
  std::string file;  // "README.md"
  std::string lang;  // "en", "ja", "zh": a guess
  std::string html;
  bool truncated = false;
  friend bool operator==(const Readme&, const Readme&) = default;
};

}  // namespace koya::wire
