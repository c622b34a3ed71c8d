// The comparison of two versions, and whether the second version number matches the changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/codec.h"
#include "wire/endpoint.h"

namespace koya::wire {

struct ComparedChange {
  std::string section;   // "inputs", "outputs", "resources", "submodules", "files", "schema", …
  std::string kind;      // "added", "changed", "removed", "moved"
  std::string what;      // "input \"cidr\""
  std::string where;     // "main.tf:3"; "" when it has no place
  std::string severity;  // "breaking", "read", "compatible", "safe"
  std::string text;      // a sentence
  // The parts of `what` and `text`, for programs and other languages; as inspect/changes.h has
  // them.
  std::string folder = {};  // "modules/vpc"
  std::string item = {};    // "input"
  std::string name = {};    // "cidr"
  std::string code = {};    // "default_changed"
  std::vector<std::string> arguments = {};
  friend bool operator==(const ComparedChange&, const ComparedChange&) = default;
};

struct Comparison {
  std::string from;  // versions
  std::string to;
  std::string verdict;  // the version step that the changes require: "major", "minor", "patch"
  std::string given;    // the step between the two numbers
  bool agrees = true;   // also true when undecided: the second is not above the first
  std::string wanted;   // the lowest matching number; "" when the given one matches
  std::string text;     // a sentence
  std::vector<ComparedChange> changes;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, Comparison, 3> kCompareModule{
    "GET", "/api/v1/modules/{namespace}/{name}/{system}/diff"};
inline constexpr Endpoint<void, Comparison, 2> kCompareProvider{
    "GET", "/api/v1/providers/{namespace}/{type}/diff"};

}  // namespace koya::wire
