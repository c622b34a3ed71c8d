// The difference between a version of a module and the version before it, in short, for lists of
// versions. Computed when the version is published (inspect/changes.h has the rules), and stored
// with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace koya {

struct VersionStep {
  // Counts for one section of the changes.
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
  bool agrees = true;  // also true when it cannot be determined
  std::string wanted;  // the least number that would agree; "" if the given one does
  Counts inputs;
  Counts outputs;
  Counts resources;  // including the module's requirements
  std::uint32_t breaking = 0;
  std::uint32_t to_read = 0;

  // One line, as it is stored.
  std::string ToString() const;
  // nullopt: the text was not written by ToString.
  static std::optional<VersionStep> Parse(std::string_view text);

  friend bool operator==(const VersionStep&, const VersionStep&) = default;
};

}  // namespace koya
