#include "cli/text/columns.h"

#include <algorithm>

#include "base/text.h"

namespace koya::cli {

std::size_t Columns(std::string_view text) { return CountCharacters(text); }

std::vector<std::string> WrapText(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const bool fits = !lines.empty() && Columns(lines.back()) + 1 + Columns(word) <= width;
    if (fits) {
      lines.back() += ' ';
      lines.back() += word;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

}  // namespace koya::cli
