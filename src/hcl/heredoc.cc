#include "hcl/heredoc.h"

#include <algorithm>

namespace koya::hcl {
namespace {

// Calls `each` for every line, with its newline.
template <class Each>
void ForLines(std::string_view lines, Each each) {
  while (!lines.empty()) {
    std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    each(lines.substr(0, end));
    lines.remove_prefix(end);
  }
}

}  // namespace

std::string WithoutIndent(std::string_view lines) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t least = std::string_view::npos;
  ForLines(lines, [&](std::string_view line) {
    least = std::min(least, line.find_first_not_of(kBlanks));
  });
  std::string out;
  out.reserve(lines.size());
  ForLines(lines, [&](std::string_view line) {
    bool blank = line.find_first_not_of(kBlanks) == std::string_view::npos;
    out += blank ? line : line.substr(least);
  });
  return out;
}

}  // namespace koya::hcl
