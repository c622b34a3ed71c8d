#include "hcl/expression_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "hcl/hcl.h"
#include "hcl/lexer.h"
#include "hcl/utf8.h"

namespace koya::hcl {
namespace {

// Brackets, choices and templates in one another; each takes some frames of the stack.
constexpr std::size_t kDeepestExpression = 100;

// "a.b", which reads as a name and as a value.
bool IsDotted(std::string_view key) {
  return key.contains('.') && std::ranges::all_of(key, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  static_cast<unsigned char>(c) >= 0x80 || c == '_' || c == '-' || c == '.' ||
                  c == ' ';
         });
}

class ExpressionCheck {
 public:
  // `in_lines`: a newline ends what stands there.
  ExpressionCheck(std::string_view text, std::size_t depth, bool in_lines)
      : text_(text), lexer_(text), depth_(depth), in_lines_(in_lines) {}

  Status CheckAll() {
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(Expression());
    return AtEnd();
  }

  // What stands in "%{…}".
  Status CheckDirective() {
    RETURN_IF_ERROR(Advance());
    const std::string word = token_.text;
    RETURN_IF_ERROR(Advance());
    if (word == "for") RETURN_IF_ERROR(LoopHead());
    if (word == "if" || word == "for") RETURN_IF_ERROR(Expression());
    return AtEnd();
  }

 private:
  std::string_view Source() const {
    return text_.substr(token_.range.begin, token_.range.end - token_.range.begin);
  }
  bool Is(std::string_view sign) const {
    return token_.kind == TokenKind::kSign && Source() == sign;
  }
  bool IsWord(std::string_view word) const {
    return token_.kind == TokenKind::kIdentifier && token_.text == word;
  }
  bool IsEllipsis() const { return Is(".") && text_.substr(token_.range.begin).starts_with("..."); }
  bool IsOperator() const {
    constexpr std::array<std::string_view, 13> kOperators{
        "||", "&&", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%"};
    return token_.kind == TokenKind::kSign &&
           std::ranges::find(kOperators, Source()) != kOperators.end();
  }

  Failure Unexpected(std::string_view wanted) {
    std::string seen = fmt::format("\"{}\"", Printable(Source(), 40));
    if (token_.kind == TokenKind::kEnd) seen = "the end";
    if (token_.kind == TokenKind::kNewline) seen = "the end of the line";
    return lexer_.Bad(token_.range, fmt::format("{} stands where {} should", seen, wanted));
  }

  Status Advance() {
    do {
      last_end_ = token_.range.end;
      RETURN_IF_ERROR(lexer_.Next(token_));
    } while (!in_lines_ && token_.kind == TokenKind::kNewline);
    return {};
  }
  Status Take(std::string_view sign) {
    if (!Is(sign)) return Unexpected(fmt::format("\"{}\"", sign));
    return Advance();
  }
  Status TakeName() {
    if (token_.kind != TokenKind::kIdentifier || !IsIdentifier(token_.text)) {
      return Unexpected("a name");
    }
    return Advance();
  }
  Status TakeEllipsis() {
    for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(Advance());
    return {};
  }
  // Behind a bracket, where newlines count as it says.
  Status Open(bool in_lines) {
    in_lines_ = in_lines;
    return Advance();
  }
  Status Close(std::string_view sign, bool in_lines) {
    if (!Is(sign)) return Unexpected(fmt::format("\"{}\"", sign));
    return Open(in_lines);
  }

  Status AtEnd() {
    if (Is("=")) {
      return lexer_.Bad(token_.range, "\"=\" stands in objects only: write the value alone");
    }
    const bool is_operand = token_.kind != TokenKind::kSign && token_.kind != TokenKind::kEnd &&
                            token_.kind != TokenKind::kNewline;
    if (is_operand) {
      return lexer_.Bad(token_.range, fmt::format("an operator or a comma is missing before \"{}\"",
                                                  Printable(Source(), 40)));
    }
    while (token_.kind == TokenKind::kNewline) RETURN_IF_ERROR(Advance());
    return token_.kind == TokenKind::kEnd ? Status() : Status(Unexpected("the end"));
  }

  Status Expression();
  Status Operand();
  Status Term();
  Status Name();
  Status Steps();
  Status Step();
  Status AttributesOfEach();
  Status Arguments();
  Status List();
  Status Object();
  Status Key();
  Status LoopHead();
  Status Loop(bool makes_object);
  Status Templates();

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::size_t depth_;
  bool in_lines_;
  std::uint32_t last_end_ = 0;  // where the token before ended
};

Status ExpressionCheck::Expression() {
  if (++depth_ > kDeepestExpression) return lexer_.Bad(token_.range, "this is nested too deeply");
  RETURN_IF_ERROR(Operand());
  while (IsOperator() || Is("?")) {
    const bool chooses = Is("?");
    RETURN_IF_ERROR(Advance());
    if (chooses) {
      RETURN_IF_ERROR(Expression());
      RETURN_IF_ERROR(Take(":"));
    }
    RETURN_IF_ERROR(Operand());
  }
  --depth_;
  return {};
}

Status ExpressionCheck::Operand() {
  while (Is("-") || Is("!")) RETURN_IF_ERROR(Advance());
  if (token_.kind == TokenKind::kNumber) return Advance();
  RETURN_IF_ERROR(Term());
  return Steps();
}

Status ExpressionCheck::Term() {
  if (token_.kind == TokenKind::kIdentifier) return Name();
  if (token_.kind == TokenKind::kText) return Advance();
  if (token_.kind == TokenKind::kTemplate) return Templates();
  if (Is("[")) return List();
  if (Is("{")) return Object();
  if (!Is("(")) return Unexpected("a value");
  const bool in_lines = in_lines_;
  RETURN_IF_ERROR(Open(false));
  RETURN_IF_ERROR(Expression());
  return Close(")", in_lines);
}

// A variable, a word such as "true", or a call.
Status ExpressionCheck::Name() {
  RETURN_IF_ERROR(TakeName());
  bool qualified = false;
  while (Is("::")) {
    qualified = true;
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(TakeName());
  }
  if (Is("(")) return Arguments();
  return qualified ? Status(Unexpected("\"(\"")) : Status();
}

// Attributes and elements of what stands before.
Status ExpressionCheck::Steps() {
  while ((Is(".") && !IsEllipsis()) || Is("[")) RETURN_IF_ERROR(Step());
  return {};
}

Status ExpressionCheck::Step() {
  if (Is("[")) {
    const bool in_lines = in_lines_;
    RETURN_IF_ERROR(Open(false));
    RETURN_IF_ERROR(Is("*") ? Advance() : Expression());
    return Close("]", in_lines);
  }
  RETURN_IF_ERROR(Advance());
  if (Is("*")) return AttributesOfEach();
  if (token_.kind == TokenKind::kNumber && !token_.text.contains('.')) return Advance();
  return TakeName();
}

// After ".", from "*": what follows belongs to each, and is no "*" again.
Status ExpressionCheck::AttributesOfEach() {
  RETURN_IF_ERROR(Advance());
  while (Is(".") && !IsEllipsis()) {
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(token_.kind == TokenKind::kNumber && !token_.text.contains('.') ? Advance()
                                                                                    : TakeName());
  }
  return {};
}

Status ExpressionCheck::Arguments() {
  const bool in_lines = in_lines_;
  RETURN_IF_ERROR(Open(false));
  while (!Is(")")) {
    RETURN_IF_ERROR(Expression());
    if (IsEllipsis()) {
      RETURN_IF_ERROR(TakeEllipsis());
      break;
    }
    if (!Is(")")) RETURN_IF_ERROR(Take(","));
  }
  return Close(")", in_lines);
}

Status ExpressionCheck::List() {
  const bool in_lines = in_lines_;
  RETURN_IF_ERROR(Open(false));
  if (IsWord("for")) {
    RETURN_IF_ERROR(Loop(false));
    return Close("]", in_lines);
  }
  while (!Is("]")) {
    RETURN_IF_ERROR(Expression());
    if (!Is("]")) RETURN_IF_ERROR(Take(","));
  }
  return Close("]", in_lines);
}

Status ExpressionCheck::Object() {
  const bool in_lines = in_lines_;
  RETURN_IF_ERROR(Open(false));
  if (IsWord("for")) {
    RETURN_IF_ERROR(Loop(true));
    return Close("}", in_lines);
  }
  in_lines_ = true;
  while (true) {
    while (token_.kind == TokenKind::kNewline) RETURN_IF_ERROR(Advance());
    if (Is("}")) break;
    RETURN_IF_ERROR(Key());
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(Expression());
    if (Is("}")) break;
    if (!Is(",") && token_.kind != TokenKind::kNewline) return Unexpected("\",\" or \"}\"");
    RETURN_IF_ERROR(Advance());
  }
  return Close("}", in_lines);
}

// To the "=" or ":" behind it.
Status ExpressionCheck::Key() {
  const Range range = token_.range;
  const bool is_name = token_.kind == TokenKind::kIdentifier;
  RETURN_IF_ERROR(Expression());
  if (!Is("=") && !Is(":")) return Unexpected("\"=\"");
  if (is_name && IsDotted(text_.substr(range.begin, last_end_ - range.begin))) {
    return lexer_.Bad(range, "a key with a dot is put in quotes, or in round brackets");
  }
  return {};
}

// After "for", to behind "in".
Status ExpressionCheck::LoopHead() {
  RETURN_IF_ERROR(TakeName());
  if (Is(",")) {
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(TakeName());
  }
  if (!IsWord("in")) return Unexpected("\"in\"");
  return Advance();
}

Status ExpressionCheck::Loop(bool makes_object) {
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(LoopHead());
  RETURN_IF_ERROR(Expression());
  RETURN_IF_ERROR(Take(":"));
  RETURN_IF_ERROR(Expression());
  if (makes_object) {
    RETURN_IF_ERROR(Take("=>"));
    RETURN_IF_ERROR(Expression());
    if (IsEllipsis()) RETURN_IF_ERROR(TakeEllipsis());
  }
  if (!IsWord("if")) return {};
  RETURN_IF_ERROR(Advance());
  return Expression();
}

// A string or heredoc with templates.
Status ExpressionCheck::Templates() {
  if (depth_ > kDeepestExpression) return lexer_.Bad(token_.range, "this is nested too deeply");
  for (const TemplatePart& part : token_.parts) {
    ExpressionCheck inner(part.Inside(text_), depth_ + 1, false);
    RETURN_IF_ERROR(part.directive ? inner.CheckDirective() : inner.CheckAll());
  }
  return Advance();
}

}  // namespace

Status CheckExpression(std::string_view text) {
  if (text.size() > kMaxText || FirstBadLine(text)) {
    return FailInvalid("it is not UTF-8, or longer than 4 MiB");
  }
  Status checked = ExpressionCheck(text, 0, true).CheckAll();
  if (checked) return {};
  // Lines within templates count from where those begin.
  std::string_view why = checked.error().message;
  if (why.starts_with("line ")) why.remove_prefix(why.find(": ") + 2);
  return Fail(ErrorKind::kInvalid, std::string(why));
}

}  // namespace koya::hcl
