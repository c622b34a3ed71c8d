#include "markup/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <exception>

#include "base/text.h"
#include "markup/characters.h"
#include "markup/html_policy.h"
#include "markup/markdown_writer.h"

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

namespace {

constexpr int kStop = 1;

// md4c is C, and lets no exception through: one is kept until it has returned.
struct Parsing {
  MarkdownWriter& writer;
  std::exception_ptr thrown = {};
};

template <class Step>
int Take(void* parsing, Step step) noexcept {
  auto& of = *static_cast<Parsing*>(parsing);
  try {
    return step(of.writer) ? 0 : kStop;
  } catch (...) {
    of.thrown = std::current_exception();
    return kStop;
  }
}

int OnEnterBlock(MD_BLOCKTYPE type, void* detail, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.EnterBlock(type, detail); });
}
int OnLeaveBlock(MD_BLOCKTYPE type, void* detail, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.LeaveBlock(type, detail); });
}
int OnEnterSpan(MD_SPANTYPE type, void* detail, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.EnterSpan(type, detail); });
}
int OnLeaveSpan(MD_SPANTYPE type, void* /*detail*/, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.LeaveSpan(type); });
}
int OnText(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* parsing) {
  return Take(parsing, [&](MarkdownWriter& to) { return to.Text(type, {text, size}); });
}

}  // namespace

Rendered RenderMarkdown(std::string_view text, const MarkdownOptions& options) {
  std::string_view taken = CutUtf8(text, options.most_input);
  std::string fit = FitToParse(taken);
  MarkdownWriter writer(options, fit);
  Parsing parsing{writer};
  MD_PARSER parser = {};
  parser.flags = MD_DIALECT_GITHUB;
  parser.enter_block = OnEnterBlock;
  parser.leave_block = OnLeaveBlock;
  parser.enter_span = OnEnterSpan;
  parser.leave_span = OnLeaveSpan;
  parser.text = OnText;
  int stopped = md_parse(fit.data(), static_cast<MD_SIZE>(fit.size()), &parser, &parsing);
  if (parsing.thrown) std::rethrow_exception(parsing.thrown);
  Rendered out = writer.Finish();
  out.cut_input = taken.size() < text.size();
  out.cut_output = out.cut_output || stopped != 0;
  return out;
}

bool IsMarkdownFile(std::string_view file) {
  const std::string name = AsciiLower(file);
  return name.ends_with(".md") || name.ends_with(".markdown") || name.ends_with(".mdown");
}

Rendered RenderReadme(std::string_view file, std::string_view text,
                      const MarkdownOptions& options) {
  if (IsMarkdownFile(file)) return RenderMarkdown(text, options);
  const std::string_view taken = CutUtf8(text, options.most_input);
  const std::string fit = FitToShow(taken);
  Rendered out;
  PlainText words(options.most_text);
  SafeHtml html({.bytes = options.most_output}, words);
  html.Begin("pre", Shape::kBlock);
  html.Text(fit);
  html.End();
  out.cut_input = taken.size() < text.size();
  out.cut_output = html.full();
  out.html = html.Finish();
  out.text = words.all();
  for (std::string_view rest = fit; !rest.empty() && out.summary.empty();) {
    const std::string_view paragraph = rest.substr(0, rest.find("\n\n"));
    rest.remove_prefix(std::min(rest.size(), paragraph.size() + 2));
    if (!IsLicenceNotice(paragraph)) out.summary = OneLine(paragraph, 300);
  }
  return out;
}

bool IsLicenceNotice(std::string_view text) {
  constexpr std::array<std::string_view, 5> kBegins{"spdx-license", "licensed under",
                                                    "licensed to the", "(c) ", "\xC2\xA9"};
  // What follows "Copyright" there; an input may be the "Copyright holder".
  constexpr std::string_view kCopyright = "copyright ";
  constexpr std::array<std::string_view, 4> kOwners{"(c)", "\xC2\xA9", "the ", "contributors"};
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n*#/"), text.size()));
  const std::string begin = AsciiLower(text.substr(0, 30));
  auto begins_one_of = [](std::string_view with, const auto& words) {
    return std::ranges::any_of(words, [with](auto word) { return with.starts_with(word); });
  };
  if (!begin.starts_with(kCopyright)) return begins_one_of(begin, kBegins);
  const std::string_view owner = std::string_view(begin).substr(kCopyright.size());
  const bool is_year = !owner.empty() && owner.front() >= '0' && owner.front() <= '9';
  return is_year || begins_one_of(owner, kOwners);
}

}  // namespace koya::markup
