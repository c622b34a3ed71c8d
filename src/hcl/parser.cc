#include "hcl/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace koya::hcl {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Takes away what marks a line as one of a comment. `inside`: it is in one from "/*" on.
std::string_view WithoutMarks(std::string_view line, bool& inside) {
  line = Trimmed(line);
  if (!inside && line.starts_with("/*")) {
    inside = true;
    line.remove_prefix(std::min(line.find_first_not_of('*', 1), line.size()));
    if (line == "/") line = "*/";  // the end of "/**/"
  } else if (inside) {
    if (line.starts_with('*') && !line.starts_with("*/")) line.remove_prefix(1);
  } else {
    line.remove_prefix(std::min(line.find_first_not_of(line.empty() ? '#' : line[0]), line.size()));
  }
  if (inside && line.ends_with("*/")) {
    inside = false;
    line.remove_suffix(2);
  }
  if (line.starts_with(' ')) line.remove_prefix(1);
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

// The text of comments: without "#", "//", "/*", "*/" and the "*" that begins the lines of a block
// comment; without empty lines at both ends.
std::string CommentText(std::string_view comments) {
  std::string out;
  bool inside = false;
  while (!comments.empty()) {
    std::size_t end = std::min(comments.find('\n'), comments.size());
    out += WithoutMarks(comments.substr(0, end), inside);
    out += '\n';
    comments.remove_prefix(std::min(end + 1, comments.size()));
  }
  out.erase(0, std::min(out.find_first_not_of('\n'), out.size()));
  out.erase(out.find_last_not_of(" \n") + 1);
  return out;
}

bool ByPlace(const Problem& a, const Problem& b) {
  return std::tie(a.range.begin, a.what) < std::tie(b.range.begin, b.what);
}

}  // namespace

std::string_view Parser::Source(const Range& range) const {
  return text_.substr(range.begin, range.end - range.begin);
}

// What stands there, for messages.
std::string Parser::Seen() const {
  if (token_.kind == TokenKind::kEnd) return "the end of the file";
  if (token_.kind == TokenKind::kNewline) return "the end of the line";
  return fmt::format("\"{}\"", Printable(Source(token_.range), 40));
}
Failure Parser::Bad(std::string what) { return lexer_.Bad(token_.range, std::move(what)); }
Failure Parser::Unexpected(std::string_view wanted) {
  if (token_.kind == TokenKind::kEnd && !open_.empty()) {
    return lexer_.Bad(open_.front(), "a bracket that begins here has no end");
  }
  return Bad(fmt::format("{} stands where {} should", Seen(), wanted));
}

Status Parser::Advance() {
  if (token_.kind != TokenKind::kNewline) last_end_ = token_.range.end;
  return lexer_.Next(token_);
}
Status Parser::SkipNewlines() {
  while (token_.kind == TokenKind::kNewline) RETURN_IF_ERROR(Advance());
  return {};
}
Status Parser::CheckDepth(std::size_t depth) {
  if (depth > kMaxNesting) return Bad("this is nested too deeply");
  return {};
}
// One part more.
Status Parser::Count() {
  if (parts_left_ == 0) {
    gave_up_ = true;
    return Bad(fmt::format("there is too much in it: up to {} parts are read", parts_));
  }
  --parts_left_;
  return {};
}

bool Parser::Opens() const { return token_.Is('(') || token_.Is('[') || token_.Is('{'); }
bool Parser::Closes() const { return token_.Is(')') || token_.Is(']') || token_.Is('}'); }

Parsed Parser::ParseFile() {
  Parsed parsed;
  while (true) {
    Status read = ParseTop(parsed.body);
    if (parsed.header.empty() && parsed.problems.empty()) parsed.header = HeaderComment();
    if (read) break;
    parsed.problems.push_back(lexer_.problem());
    gave_up_ = gave_up_ || parsed.problems.size() >= kMaxProblems;
    if (gave_up_ || !lexer_.Recover()) break;
    token_ = {};
    open_.clear();
  }
  std::ranges::sort(parsed.problems, ByPlace);
  parsed.parts = parts_ - parts_left_;
  parsed.steps = lexer_.steps();
  return parsed;
}

// To the end of the text, or to the first mistake.
Status Parser::ParseTop(Body& body) {
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(ParseBody(body, 0));
  if (token_.kind != TokenKind::kEnd) return Bad("there is a \"}\" too many");
  return {};
}

// Parses up to the "}" that ends the body, or the end of the text. Complete parts are in `body`,
// whatever follows.
Status Parser::ParseBody(Body& body, std::size_t depth) {
  RETURN_IF_ERROR(CheckDepth(depth));
  while (true) {
    RETURN_IF_ERROR(SkipNewlines());
    if (token_.kind == TokenKind::kEnd || token_.Is('}')) return {};
    if (token_.kind != TokenKind::kIdentifier) {
      return Unexpected("the name of an attribute or block");
    }
    RETURN_IF_ERROR(ParseItem(body, depth));
    bool ends = token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kEnd;
    if (!ends && !token_.Is('}')) return Unexpected("the end of the line");
  }
}

// One attribute or block.
Status Parser::ParseItem(Body& body, std::size_t depth) {
  RETURN_IF_ERROR(Count());
  std::string comment = depth == 0 ? TakeComment() : std::string();
  std::string name = std::move(token_.text);
  Range range = token_.range;
  RETURN_IF_ERROR(Advance());
  if (token_.Is('=')) {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Value value, ParseValue(ValuePlace::kAttribute, depth + 1));
    body.attributes.push_back({std::move(name), range, std::move(value)});
    return {};
  }
  Block block{.type = std::move(name), .labels = {}, .range = range, .comment = std::move(comment)};
  RETURN_IF_ERROR(ParseBlock(block, depth + 1));
  body.blocks.push_back(std::move(block));
  return {};
}

// After the type.
Status Parser::ParseBlock(Block& block, std::size_t depth) {
  while (token_.kind == TokenKind::kText || token_.kind == TokenKind::kIdentifier) {
    RETURN_IF_ERROR(Count());
    block.labels.push_back(std::move(token_.text));
    RETURN_IF_ERROR(Advance());
  }
  if (!token_.Is('{')) return Unexpected("\"=\" or \"{\"");
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(ParseBody(block.body, depth));
  if (!token_.Is('}')) {
    return lexer_.Bad(block.range, fmt::format("the block \"{}\" that begins here has no end",
                                               Printable(block.type, 40)));
  }
  block.range.end = token_.range.end;
  block.source = Source(block.range);
  return Advance();
}

// Of the comments right above the token.
std::string Parser::TakeComment() const {
  const auto& run = lexer_.comments();
  if (!run || run->last_line + 1 != token_.range.line) return {};
  return CommentText(text_.substr(run->begin, run->end - run->begin));
}

// What the text begins with: a comment "/* … */", or one with an empty line below it.
std::string Parser::HeaderComment() const {
  std::size_t begin = std::min(text_.find_first_not_of("\xEF\xBB\xBF \t\r\n"), text_.size());
  if (begin == text_.size()) return {};
  Lexer lexer(text_);
  std::optional<CommentRun> run;
  Token token{.kind = TokenKind::kNewline};
  while (token.kind == TokenKind::kNewline) {
    if (!lexer.Next(token)) break;
    if (run && lexer.comments() && lexer.comments()->begin != run->begin) break;
    run = lexer.comments();
  }
  if (!run || run->begin != begin) return {};
  std::string_view comment = text_.substr(run->begin, run->end - run->begin);
  std::string_view after = text_.substr(run->end);
  after.remove_prefix(std::min(after.find('\n'), after.size()));
  bool apart = after.size() < 2 || after.find_first_not_of(" \t\r", 1) == std::string_view::npos ||
               after[after.find_first_not_of(" \t\r", 1)] == '\n';
  return comment.starts_with("/*") || apart ? CommentText(comment) : std::string();
}

bool Parser::EndsValue(ValuePlace place) const {
  if (token_.kind == TokenKind::kEnd) return true;
  switch (place) {
    case ValuePlace::kAttribute:
      return token_.kind == TokenKind::kNewline || token_.Is('}');
    case ValuePlace::kList:
      return token_.Is(',') || token_.Is(']');
    case ValuePlace::kObject:
      return token_.kind == TokenKind::kNewline || token_.Is(',') || token_.Is('}');
    case ValuePlace::kArgument:
      return token_.Is(',') || token_.Is(')');
  }
  return true;
}

Result<Value> Parser::ParseValue(ValuePlace place, std::size_t depth) {
  RETURN_IF_ERROR(CheckDepth(depth));
  RETURN_IF_ERROR(Count());
  bool over_lines = place == ValuePlace::kList || place == ValuePlace::kArgument;
  if (over_lines) RETURN_IF_ERROR(SkipNewlines());
  if (EndsValue(place)) return Unexpected("a value");
  Value value{.range = token_.range};
  RETURN_IF_ERROR(ParseLiteral(value, depth));
  if (over_lines) RETURN_IF_ERROR(SkipNewlines());
  // A literal that something follows is the beginning of an expression.
  bool literal = value.kind != Value::Kind::kOther && EndsValue(place);
  if (!literal) {
    value = Value{.range = value.range};
    RETURN_IF_ERROR(SkipExpression(place));
  }
  value.range.end = last_end_;
  value.source = Source(value.range);
  if (!literal) value.text = value.source;
  return value;
}

// What may be a literal; `value` stays kOther when it is none. The rest of an expression is left.
Status Parser::ParseLiteral(Value& value, std::size_t depth) {
  if (token_.Is('[')) return ParseList(value, depth);
  if (token_.Is('{')) return ParseObject(value, depth);
  if (token_.Is('-')) return ParseNegative(value);
  if (token_.kind == TokenKind::kText) {
    value.kind = Value::Kind::kText;
  } else if (token_.kind == TokenKind::kNumber) {
    value.kind = Value::Kind::kNumber;
  } else if (token_.kind == TokenKind::kIdentifier) {
    if (token_.text == "true" || token_.text == "false") value.kind = Value::Kind::kBool;
    if (token_.text == "null") value.kind = Value::Kind::kNull;
  }
  if (value.kind == Value::Kind::kOther) return {};
  value.text = std::move(token_.text);
  return Advance();
}

Status Parser::ParseNegative(Value& value) {
  RETURN_IF_ERROR(Advance());
  if (token_.kind != TokenKind::kNumber) return {};
  value.kind = Value::Kind::kNumber;
  value.text = "-" + token_.text;
  return Advance();
}

// From "[" to behind its "]". `value` stays kOther when it is a "for" expression.
Status Parser::ParseList(Value& value, std::size_t depth) {
  open_.push_back(token_.range);
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(SkipNewlines());
  if (token_.kind == TokenKind::kIdentifier && token_.text == "for") return CloseBrackets();
  value.kind = Value::Kind::kList;
  while (!token_.Is(']')) {
    ASSIGN_OR_RETURN(Value item, ParseValue(ValuePlace::kList, depth + 1));
    value.items.push_back(std::move(item));
    if (token_.Is(',')) {
      RETURN_IF_ERROR(Advance());
      RETURN_IF_ERROR(SkipNewlines());
    } else if (!token_.Is(']')) {
      return Unexpected("\",\" or \"]\"");
    }
  }
  open_.pop_back();
  return Advance();
}

// From "{" to behind its "}", likewise.
Status Parser::ParseObject(Value& value, std::size_t depth) {
  open_.push_back(token_.range);
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(SkipNewlines());
  if (token_.kind == TokenKind::kIdentifier && token_.text == "for") return CloseBrackets();
  value.kind = Value::Kind::kObject;
  while (!token_.Is('}')) {
    Member member;
    RETURN_IF_ERROR(ParseKey(member));
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(member.value, ParseValue(ValuePlace::kObject, depth + 1));
    value.members.push_back(std::move(member));
    if (token_.Is(',')) RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(SkipNewlines());
    if (token_.kind == TokenKind::kEnd) return Unexpected("\"}\"");
  }
  open_.pop_back();
  return Advance();
}

Status Parser::ParseKey(Member& member) {
  member.range = token_.range;
  bool literal = token_.kind == TokenKind::kIdentifier || token_.kind == TokenKind::kText ||
                 token_.kind == TokenKind::kNumber;
  if (literal) {
    member.name = std::move(token_.text);
    RETURN_IF_ERROR(Advance());
    // A block in an object, or two words: clients say so at this line, not where an "=" is missed.
    if (token_.kind != TokenKind::kSign || token_.Is('{')) return Unexpected("\"=\"");
  }
  member.computed = !token_.Is('=') && !token_.Is(':');
  while (!token_.Is('=') && !token_.Is(':')) {
    bool ends = token_.kind == TokenKind::kNewline || EndsValue(ValuePlace::kObject);
    if (ends) return Unexpected("\"=\"");
    RETURN_IF_ERROR(SkipOne());
  }
  member.range.end = last_end_;
  if (member.computed) member.name = Source(member.range);
  return {};
}

// To the end of the expression, however many brackets stand in it.
Status Parser::SkipExpression(ValuePlace place) {
  bool over_lines = place == ValuePlace::kList || place == ValuePlace::kArgument;
  while (!EndsValue(place)) {
    if (Closes()) return Unexpected("an expression");
    RETURN_IF_ERROR(SkipOne());
    if (over_lines) RETURN_IF_ERROR(SkipNewlines());
  }
  return {};
}

// One word, or everything in the brackets that begin there.
Status Parser::SkipOne() {
  bool opens = Opens();
  if (opens) open_.push_back(token_.range);
  RETURN_IF_ERROR(Advance());
  return opens ? CloseBrackets() : Status();
}

// After an opening bracket, to behind the one that closes it.
Status Parser::CloseBrackets() {
  std::size_t open = 1;
  while (open > 0) {
    if (token_.kind == TokenKind::kEnd) return Unexpected("a closing bracket");
    if (Opens()) ++open;
    if (Closes()) --open;
    RETURN_IF_ERROR(Advance());
  }
  open_.pop_back();
  return {};
}

}  // namespace koya::hcl
