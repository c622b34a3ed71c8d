// Document of a module's README.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/codec.h"

namespace koya::wire {

// A heading of a README or of a page of docs, at most 1,000 of each.
struct ReadmeHeading {
  std::uint64_t level = 2;  // 2 for <h2>
  std::string name;         // of its anchor in the HTML: "user-inputs"
  std::string text;
  friend bool operator==(const ReadmeHeading&, const ReadmeHeading&) = default;
};

struct Readme {
  std::string file;  // "README.md"
  std::string lang;  // "en", "ja", "zh": a guess
  std::string html;
  std::vector<ReadmeHeading> contents;
  bool truncated = false;
  friend bool operator==(const Readme&, const Readme&) = default;
};

}  // namespace koya::wire
