#include "markup/markdown_input.h"

#include <algorithm>

#include "markup/utf8.h"

namespace koya::markup {
namespace {

constexpr std::size_t kMostColumns = 100;

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }

// How long the mark of a quote or an item is at the start of `line`; 0: none is there.
std::size_t MarkLength(std::string_view line) {
  if (line.starts_with('>')) return 1;
  std::size_t digits = 0;
  while (digits < line.size() && IsDecimal(line[digits])) ++digits;
  bool mark =
      digits < line.size() && std::string_view(digits > 0 ? ".)" : "-+*").contains(line[digits]);
  bool ends = digits + 1 >= line.size() || line[digits + 1] == ' ' || line[digits + 1] == '\t';
  return mark && ends ? digits + 1 : 0;
}

// Where a backslash belongs; npos: nowhere.
std::size_t PlaceTooDeep(std::string_view line) {
  std::size_t at = 0;
  std::size_t columns = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t') {
      columns += line[at] == '\t' ? 4 : 1;
      ++at;
      continue;
    }
    std::size_t length = MarkLength(line.substr(at));
    if (length == 0) return line.npos;
    // The last character of a mark is what can be escaped.
    if (columns >= kMostColumns) return at + length - 1;
    at += length;
    columns += length;
  }
  return line.npos;
}

}  // namespace

std::string FitToParse(std::string_view text) {
  std::string fit = FitToShow(text);
  std::string out;
  std::size_t copied = 0;  // of `fit`
  for (std::size_t begin = 0; begin < fit.size();) {
    std::size_t end = std::min(fit.find('\n', begin), fit.size());
    std::size_t place = PlaceTooDeep(std::string_view(fit).substr(begin, end - begin));
    if (place != std::string::npos) {
      out.append(fit, copied, begin + place - copied).append("\\");
      copied = begin + place;
    }
    begin = end + 1;
  }
  if (copied == 0) return fit;
  return out.append(fit, copied);
}

}  // namespace koya::markup
