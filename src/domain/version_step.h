// How a version of a module differs from the version before it, in short: what lists of versions
// tell. Judged when it is published (inspect/changes.h has the rules), and kept with the version.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koya {

struct VersionStep {
  // Of one section of the changes.
  struct Counts {
    std::uint32_t added = 0;
    std::uint32_t changed = 0;
    std::uint32_t removed = 0;
    std::uint32_t moved = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  std::string before;  // the version that it was compared with
  std::string needed;  // by the changes: "major", "minor", "patch"
  std::string given;   // between the two numbers
  bool agrees = true;  // true, too, when nothing can be said
  std::string wanted;  // the least number that would agree; "" when the one given does
  Counts inputs;
  Counts outputs;
  Counts resources;  // and what the module requires
  std::uint32_t breaking = 0;
  std::uint32_t to_read = 0;

  // In one line, as it is kept.
  std::string ToString() const;
  // nullopt: ToString did not write it.
  static std::optional<VersionStep> Parse(std::string_view text);

  friend bool operator==(const VersionStep&, const VersionStep&) = default;
};

}  // namespace koya
