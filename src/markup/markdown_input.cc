#include "markup/markdown_input.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "markup/html_policy.h"
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

std::string_view WithoutIndent(std::string_view line) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  return blanks > 3 ? std::string_view() : line.substr(blanks);
}

// "|---|:--:|": what makes the line above it the head of a table.
bool IsTableRule(std::string_view line) {
  line = WithoutIndent(line);
  return line.contains('-') && (line.contains('|') || line.contains(':')) &&
         line.find_first_not_of("|:- \t") == line.npos;
}

// Whether a block of HTML begins with `line`, which ends a table (CommonMark's kinds 1 to 6).
bool BeginsHtmlBlock(std::string_view line) {
  line = WithoutIndent(line);
  if (line.starts_with("<!") || line.starts_with("<?")) return true;
  if (!line.starts_with('<')) return false;
  line.remove_prefix(line.starts_with("</") ? 2 : 1);
  const std::size_t end = std::min(line.find_first_of(" \t/>"), line.size());
  const std::string name = AsciiLower(line.substr(0, end));
  if (HidesContent(name)) return true;
  const Element* element = FindElement(name);
  constexpr std::array kOfLines = {Shape::kPhrase, Shape::kLink, Shape::kVoid, Shape::kImage};
  return element != nullptr && std::ranges::find(kOfLines, element->shape) == kOfLines.end();
}

// Knows which lines are rows of tables, as far as one must to see where they end.
class TableLines {
 public:
  // Whether an empty line has to stand before this one: MD4C takes HTML for one row more.
  bool EndsBefore(std::string_view line) {
    const std::string_view mark = WithoutIndent(line);
    const bool is_blank = line.find_first_not_of(" \t") == line.npos;
    if (mark.starts_with("```") || mark.starts_with("~~~")) fenced_ = !fenced_;
    if (fenced_ || is_blank) {
      in_table_ = has_head_ = false;
      return false;
    }
    if (in_table_ && BeginsHtmlBlock(line)) {
      in_table_ = has_head_ = false;
      return true;
    }
    in_table_ = in_table_ || (has_head_ && IsTableRule(line));
    has_head_ = true;
    return false;
  }

 private:
  bool fenced_ = false;
  bool in_table_ = false;
  bool has_head_ = false;  // the line before may be the head of a table
};

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
  TableLines tables;
  for (std::size_t begin = 0; begin < fit.size();) {
    std::size_t end = std::min(fit.find('\n', begin), fit.size());
    const std::string_view line = std::string_view(fit).substr(begin, end - begin);
    if (tables.EndsBefore(line)) {
      out.append(fit, copied, begin - copied).append("\n");
      copied = begin;
    }
    std::size_t place = PlaceTooDeep(line);
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
