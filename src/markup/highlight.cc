#include "markup/highlight.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/text.h"
#include "markup/characters.h"

namespace koya::markup {
namespace {

constexpr std::size_t kMostTemplates = 100;  // in one another

constexpr std::array<std::string_view, 12> kWords = {
    "any", "else", "endfor", "endif", "false", "for", "if", "in", "null", "true", "var", "each"};
constexpr std::array<std::string_view, 8> kHclLanguages = {
    "hcl", "terraform", "tf", "tofu", "opentofu", "tfvars", "hcl2", "hcl-terraform"};

bool BeginsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsNumeral(char c) { return c >= '0' && c <= '9'; }
bool ContinuesWord(char c) { return BeginsWord(c) || IsNumeral(c) || c == '-'; }

class Highlighter {
 public:
  explicit Highlighter(std::string_view code) : code_(code) {}

  std::string Run() {
    while (at_ < code_.size()) Step();
    if (in_string_) EndPiece(code_.size());
    return std::move(out_);
  }

 private:
  char At(std::size_t place) const { return place < code_.size() ? code_[place] : '\0'; }

  void Step() {
    char c = code_[at_];
    if (in_string_) return StringPiece();
    if (c == '#' || (c == '/' && At(at_ + 1) == '/')) return Put("c", code_.find('\n', at_));
    if (c == '/' && At(at_ + 1) == '*') return Put("c", EndOf("*/", at_ + 2));
    if (c == '"') return BeginString();
    if (c == '<' && At(at_ + 1) == '<' && Heredoc()) return;
    if (BeginsWord(c)) return Word();
    if (IsNumeral(c)) return NumberPiece();
    if (c == '{' && !braces_.empty()) ++braces_.back();
    if (c == '}' && !braces_.empty() && braces_.back()-- == 0) return EndInterpolation();
    if (c == '\n') line_begins_ = true;
    if (c != ' ' && c != '\t' && c != '\n') line_begins_ = false;
    Put({}, at_ + 1);
  }

  // Writes up to `end`, with a class or none.
  void Put(std::string_view kind, std::size_t end) {
    end = std::min(end, code_.size());
    if (!kind.empty()) out_.append("<span class=\"").append(kind).append("\">");
    AppendEscaped(code_.substr(at_, end - at_), out_);
    if (!kind.empty()) out_ += "</span>";
    at_ = end;
  }

  std::size_t EndOf(std::string_view mark, std::size_t from) const {
    std::size_t place = code_.find(mark, std::min(from, code_.size()));
    return place == code_.npos ? code_.size() : place + mark.size();
  }

  // A string is written piece by piece: its interpolations are code again.
  void BeginString() {
    line_begins_ = false;
    string_begin_ = at_;
    ++at_;
    in_string_ = true;
  }

  void EndPiece(std::size_t end) {
    at_ = string_begin_;
    if (end > at_) Put("s", end);
  }

  void StringPiece() {
    char c = code_[at_];
    bool interpolates = (c == '$' || c == '%') && At(at_ + 1) == '{';
    if (c == '\\' || (interpolates && At(at_ - 1) == c)) {
      at_ = std::min(at_ + 2, code_.size());
    } else if (c == '"' || c == '\n') {
      EndPiece(at_ + (c == '"' ? 1 : 0));
      in_string_ = false;
    } else if (interpolates && braces_.size() < kMostTemplates) {
      EndPiece(at_);
      Put("i", at_ + 2);
      braces_.push_back(0);
      in_string_ = false;
    } else {
      ++at_;
    }
  }

  void EndInterpolation() {
    braces_.pop_back();
    Put("i", at_ + 1);
    string_begin_ = at_;
    in_string_ = true;
  }

  bool Heredoc() {
    std::size_t begin = at_ + 2 + (At(at_ + 2) == '-' ? 1 : 0);
    std::size_t end = begin;
    while (end < code_.size() && ContinuesWord(code_[end])) ++end;
    if (end == begin || At(end) != '\n') return false;
    std::string_view mark = code_.substr(begin, end - begin);
    std::size_t line = end + 1;
    while (line < code_.size()) {
      std::size_t stop = std::min(code_.find('\n', line), code_.size());
      std::string_view text = code_.substr(line, stop - line);
      text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
      line = stop + 1;
      if (text == mark) {
        line = stop;
        break;
      }
    }
    Put("s", line);
    return true;
  }

  void Word() {
    std::size_t end = at_;
    while (end < code_.size() && ContinuesWord(code_[end])) ++end;
    std::size_t after = std::min(code_.find_first_not_of(" \t", end), code_.size());
    bool first = std::exchange(line_begins_, false);
    std::string_view word = code_.substr(at_, end - at_);
    char next = At(after);
    if (first && next == '=' && At(after + 1) != '=') return Put("n", end);
    if (first && (next == '{' || next == '"') && braces_.empty()) return Put("k", end);
    if (next == '(' && after == end) return Put("f", end);
    if (next != '.' && std::ranges::find(kWords, word) != kWords.end()) return Put("k", end);
    Put({}, end);
  }

  void NumberPiece() {
    line_begins_ = false;
    std::size_t end = at_;
    while (IsNumeral(At(end)) || (At(end) == '.' && IsNumeral(At(end + 1)))) ++end;
    Put("m", end);
  }

  std::string_view code_;
  std::string out_;
  std::size_t at_ = 0;
  std::size_t string_begin_ = 0;     // of the piece of a string that is being read
  std::vector<std::size_t> braces_;  // open "{" in each interpolation
  bool in_string_ = false;
  bool line_begins_ = true;
};

}  // namespace

bool IsHcl(std::string_view language) {
  return std::ranges::find(kHclLanguages, AsciiLower(language)) != kHclLanguages.end();
}

std::string HighlightHcl(std::string_view code) { return Highlighter(code).Run(); }

}  // namespace koya::markup
