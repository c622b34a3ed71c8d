#include "hcl/one_line.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "hcl/expression_check.h"
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
  if (word.Is("::") || after.Is("::")) return false;
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
    const Range& range = token.range;
    Word word{expression.substr(range.begin, range.end - range.begin), token.kind};
    if (word.Is(".") && expression.substr(range.begin).starts_with("...")) {
      for (int i = 0; i < 2; ++i) RETURN_IF_ERROR(lexer.Next(token));
      word.text = "...";
    }
    if (word.text.contains('\n')) {
      return FailInvalid("it goes on over lines: write it in one");
    }
    words.push_back(word);
  }
}

}  // namespace

Result<std::string> FormatExpression(std::string_view expression) {
  RETURN_IF_ERROR(CheckExpression(expression));
  ASSIGN_OR_RETURN(std::vector<Word> words, WordsOf(expression));
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
