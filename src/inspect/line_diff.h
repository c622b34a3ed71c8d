// Compares two texts line by line: the fewest lines that are removed and added (Myers), with a
// limit on the steps. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace koya::inspect {

enum class LineSign : char { kSame = ' ', kAdded = '+', kRemoved = '-' };

struct DiffedLine {
  LineSign sign = LineSign::kSame;
  std::string_view text;    // of one of the two texts, without its "\n"
  bool is_unended = false;  // the last line of its text, which has no "\n"
};

// Changed lines, with up to three lines before and after them.
struct DiffHunk {
  std::size_t from_line = 0;  // the number of its first line in the first text, from 1
  std::size_t to_line = 0;    // the same in the second
  std::vector<DiffedLine> lines;
};

struct LineDiff {
  std::uint64_t added = 0;  // lines
  std::uint64_t removed = 0;
  std::vector<DiffHunk> hunks;  // in order
};

// The hunks point into the texts. Reduces `steps` by those taken; each needs 4 bytes of memory at
// most while it works. nullopt: `steps` are too few, or a text has more than 200,000 lines.
std::optional<LineDiff> DiffLines(std::string_view from, std::string_view to, std::uint64_t& steps);

}  // namespace koya::inspect
