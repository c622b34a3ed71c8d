#include "hcl/one_line.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/text.h"
#include "hcl/hcl.h"
#include "hcl/lexer.h"

namespace koya::hcl {
namespace {

struct Word {
  std::string_view text;
  TokenKind kind = TokenKind::kEnd;

  bool Is(std::string_view sign) const { return kind == TokenKind::kSign && text == sign; }
  bool Opens() const { return Is("(") || Is("[") || Is("{"); }
  bool Closes() const { return Is(")") || Is("]") || Is("}"); }
  bool IsName() const { return kind == TokenKind::kIdentifier; }
};

// Whether a "-" behind `before` is a sign of what follows, and no operator.
bool IsUnaryAfter(const Word* before) {
  if (before == nullptr) return true;
  if (before->kind != TokenKind::kSign) {
    return before->IsName() && (before->text == "in" || before->text == "if");
  }
  return !before->Closes() && !before->Is(".");
}

bool HasSpaceBetween(const Word* before, const Word& word, const Word& after) {
  if (word.IsName() && after.Is("(")) return false;
  if (word.Is(".") || after.Is(".") || after.Is(",") || after.Is("...")) return false;
  if (word.Is(",")) return true;
  if (word.Is("!")) return false;
  if (word.Is("-") && IsUnaryAfter(before)) return false;
  if (word.Is("{") && after.Is("}")) return false;
  if (word.Is("{") || after.Is("}")) return true;
  if (word.Opens() || after.Closes()) return false;
  // An index; but "in [" begins a list.
  bool indexed = (word.IsName() && word.text != "in" && word.text != "if") || word.Closes();
  return !(after.Is("[") && indexed);
}

Result<std::vector<Word>> WordsOf(std::string_view expression) {
  std::vector<Word> words;
  Lexer lexer(expression);
  Token token;
  while (true) {
    RETURN_IF_ERROR(lexer.Next(token));
    if (token.kind == TokenKind::kEnd) return words;
    if (token.kind == TokenKind::kNewline || token.heredoc) {
      return Fail(ErrorKind::kInvalid, "it goes on over lines: write it in one");
    }
    const Range& range = token.range;
    words.push_back({expression.substr(range.begin, range.end - range.begin), token.kind});
  }
}

bool IsOperand(const Word& word) {
  return word.kind != TokenKind::kSign && word.kind != TokenKind::kEnd;
}

bool IsForWord(const Word& word) {
  return word.IsName() && (word.text == "for" || word.text == "in" || word.text == "if");
}

// What ParseExpression takes for the rest of an expression that it need not understand: two things
// without an operator between them, and "=" anywhere but in an object.
Status CheckWords(const std::vector<Word>& words) {
  std::vector<char> open;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.Opens()) open.push_back(word.text[0]);
    if (word.Closes() && !open.empty()) open.pop_back();
    if (word.Is("=") && (open.empty() || open.back() != '{')) {
      return Fail(ErrorKind::kInvalid, "\"=\" stands in objects only: write the value alone");
    }
    const bool beside = i > 0 && IsOperand(words[i - 1]) && IsOperand(word);
    if (!beside) continue;
    if (open.empty() || (!IsForWord(words[i - 1]) && !IsForWord(word))) {
      return Fail(
          ErrorKind::kInvalid,
          fmt::format("an operator or a comma is missing before \"{}\"", Printable(word.text, 40)));
    }
  }
  return {};
}

}  // namespace

Result<std::string> FormatExpression(std::string_view expression) {
  RETURN_IF_ERROR(ParseExpression(expression));
  ASSIGN_OR_RETURN(std::vector<Word> words, WordsOf(expression));
  RETURN_IF_ERROR(CheckWords(words));
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word* before = i < 2 ? nullptr : &words[i - 2];
    if (i > 0 && HasSpaceBetween(before, words[i - 1], words[i])) line += ' ';
    line += words[i].text;
  }
  return line;
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool template_begins = (c == '$' || c == '%') && text.substr(i + 1).starts_with('{');
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (template_begins) {
          quoted += c;
          quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
          quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

}  // namespace koya::hcl
