// The comparison of two versions, and whether the second version number matches the changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  std::string was = {};  // as `where`: the place of a changed thing in the first version, if known
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

// A line of a unified diff.
struct DiffLine {
  std::string op;    // " ", "+", "-"; "\\": a remark that the line before it has no line break
  std::string text;  // without its line break
  friend bool operator==(const DiffLine&, const DiffLine&) = default;
};
struct DiffHunk {
  std::uint64_t from_line = 0;  // the number of its first line before, from 1
  std::uint64_t to_line = 0;    // the same after
  std::vector<DiffLine> lines;
  friend bool operator==(const DiffHunk&, const DiffHunk&) = default;
};
struct FileDiff {
  std::string path;
  std::string status;       // "added", "removed", "changed"
  std::uint64_t added = 0;  // lines; 0, like the next, if the texts were not compared
  std::uint64_t removed = 0;
  bool binary = false;  // no text: there are no hunks
  bool cut = false;     // the file is too long: hunks are missing, or all of them
  std::vector<DiffHunk> hunks;
  friend bool operator==(const FileDiff&, const FileDiff&) = default;
};

// GET …/diff/source: the files that differ between two archives of a module, by path.
struct SourceDiff {
  std::string from;  // versions
  std::string to;
  std::vector<FileDiff> files;
  bool cut = false;  // files or hunks are missing
  friend bool operator==(const SourceDiff&, const SourceDiff&) = default;
};

// ---- endpoints

inline constexpr Endpoint<void, Comparison, 3> kCompareModule{
    "GET", "/api/v1/modules/{namespace}/{name}/{system}/diff"};
inline constexpr Endpoint<void, SourceDiff, 3> kCompareModuleSource{
    "GET", "/api/v1/modules/{namespace}/{name}/{system}/diff/source"};
inline constexpr Endpoint<void, Comparison, 2> kCompareProvider{
    "GET", "/api/v1/providers/{namespace}/{type}/diff"};

}  // namespace koya::wire
