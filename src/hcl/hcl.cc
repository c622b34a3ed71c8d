#include "hcl/hcl.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "hcl/lexer.h"

namespace koya::hcl {
namespace {

constexpr std::size_t kMaxNesting = 100;

// What ends a value, besides the end of the file.
enum class Place { kAttribute, kList, kObject };

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) {}

  Result<Body> ParseFile() {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Body body, ParseBody(0));
    if (token_.kind != TokenKind::kEnd) return Bad("there is a \"}\" too many");
    return body;
  }

 private:
  Failure Bad(std::string_view why) const {
    return Fail(ErrorKind::kInvalid, fmt::format("line {}: {}", token_.line, why));
  }
  // What stands there, for messages.
  std::string Seen() const {
    if (token_.kind == TokenKind::kEnd) return "the end of the file";
    if (token_.kind == TokenKind::kNewline) return "the end of the line";
    return fmt::format("\"{}\"",
                       Printable(text_.substr(token_.begin, token_.end - token_.begin), 40));
  }
  Failure Unexpected(std::string_view wanted) const {
    return Bad(fmt::format("{} stands where {} should", Seen(), wanted));
  }

  Status Advance() {
    last_end_ = token_.end;
    ASSIGN_OR_RETURN(token_, lexer_.Next());
    return {};
  }
  Status SkipNewlines() {
    while (token_.kind == TokenKind::kNewline) RETURN_IF_ERROR(Advance());
    return {};
  }
  Status CheckDepth(std::size_t depth) const {
    if (depth > kMaxNesting) return Bad("this is nested too deeply");
    return {};
  }

  Result<Body> ParseBody(std::size_t depth);
  Result<Block> ParseBlock(std::string type, std::size_t line, std::size_t depth);
  bool EndsValue(Place place) const;
  Result<Value> ParseValue(Place place, std::size_t depth);
  Status ParseList(Value& value, std::size_t depth);
  Status ParseObject(Value& value, std::size_t depth);
  Result<std::string> ParseKey();
  Status SkipExpression(Place place);
  Status SkipBrackets();

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::size_t last_end_ = 0;  // where the token before ended
};

// To the "}" that ends the body, or the end of the file.
Result<Body> Parser::ParseBody(std::size_t depth) {
  RETURN_IF_ERROR(CheckDepth(depth));
  Body body;
  while (true) {
    RETURN_IF_ERROR(SkipNewlines());
    if (token_.kind == TokenKind::kEnd || token_.Is("}")) return body;
    if (token_.kind != TokenKind::kIdentifier)
      return Unexpected("the name of an attribute or block");
    std::string name = std::move(token_.text);
    std::size_t line = token_.line;
    RETURN_IF_ERROR(Advance());
    if (token_.Is("=")) {
      RETURN_IF_ERROR(Advance());
      ASSIGN_OR_RETURN(Value value, ParseValue(Place::kAttribute, depth + 1));
      body.attributes.push_back({std::move(name), line, std::move(value)});
    } else {
      ASSIGN_OR_RETURN(Block block, ParseBlock(std::move(name), line, depth + 1));
      body.blocks.push_back(std::move(block));
    }
    bool ends = token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kEnd;
    if (!ends && !token_.Is("}")) return Unexpected("the end of the line");
  }
}

// After the type.
Result<Block> Parser::ParseBlock(std::string type, std::size_t line, std::size_t depth) {
  Block block{.type = std::move(type), .labels = {}, .line = line, .body = {}};
  while (token_.kind == TokenKind::kText || token_.kind == TokenKind::kIdentifier) {
    block.labels.push_back(std::move(token_.text));
    RETURN_IF_ERROR(Advance());
  }
  if (!token_.Is("{")) return Unexpected("\"=\" or \"{\"");
  RETURN_IF_ERROR(Advance());
  ASSIGN_OR_RETURN(block.body, ParseBody(depth));
  if (!token_.Is("}")) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("line {}: the block \"{}\" that begins here has no end", line,
                            Printable(block.type, 40)));
  }
  RETURN_IF_ERROR(Advance());
  return block;
}

bool Parser::EndsValue(Place place) const {
  if (token_.kind == TokenKind::kEnd) return true;
  switch (place) {
    case Place::kAttribute:
      return token_.kind == TokenKind::kNewline || token_.Is("}");
    case Place::kList:
      return token_.Is(",") || token_.Is("]");
    case Place::kObject:
      return token_.kind == TokenKind::kNewline || token_.Is(",") || token_.Is("}");
  }
  return true;
}

Result<Value> Parser::ParseValue(Place place, std::size_t depth) {
  RETURN_IF_ERROR(CheckDepth(depth));
  if (EndsValue(place)) return Unexpected("a value");
  Value value{.line = token_.line};
  std::size_t begin = token_.begin;
  if (token_.kind == TokenKind::kText) {
    value.kind = Value::Kind::kText;
    value.text = std::move(token_.text);
    RETURN_IF_ERROR(Advance());
  } else if (token_.Is("[")) {
    RETURN_IF_ERROR(ParseList(value, depth));
  } else if (token_.Is("{")) {
    RETURN_IF_ERROR(ParseObject(value, depth));
  }
  if (place == Place::kList) RETURN_IF_ERROR(SkipNewlines());
  if (value.kind != Value::Kind::kOther && EndsValue(place)) return value;
  // A literal that something follows is the beginning of an expression.
  RETURN_IF_ERROR(SkipExpression(place));
  return Value{.line = value.line, .text = std::string(text_.substr(begin, last_end_ - begin))};
}

// From "[" to behind its "]". `value` stays kOther when it is a "for" expression.
Status Parser::ParseList(Value& value, std::size_t depth) {
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(SkipNewlines());
  if (token_.kind == TokenKind::kIdentifier && token_.text == "for") return SkipBrackets();
  value.kind = Value::Kind::kList;
  while (!token_.Is("]")) {
    ASSIGN_OR_RETURN(Value item, ParseValue(Place::kList, depth + 1));
    value.items.push_back(std::move(item));
    if (token_.Is(",")) {
      RETURN_IF_ERROR(Advance());
      RETURN_IF_ERROR(SkipNewlines());
    } else if (!token_.Is("]")) {
      return Unexpected("\",\" or \"]\"");
    }
  }
  return Advance();
}

// From "{" to behind its "}", likewise.
Status Parser::ParseObject(Value& value, std::size_t depth) {
  RETURN_IF_ERROR(Advance());
  RETURN_IF_ERROR(SkipNewlines());
  if (token_.kind == TokenKind::kIdentifier && token_.text == "for") return SkipBrackets();
  value.kind = Value::Kind::kObject;
  while (!token_.Is("}")) {
    std::size_t line = token_.line;
    ASSIGN_OR_RETURN(std::string name, ParseKey());
    if (!token_.Is("=") && !token_.Is(":")) return Unexpected("\"=\"");
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Value member, ParseValue(Place::kObject, depth + 1));
    if (!name.empty()) value.members.push_back({std::move(name), line, std::move(member)});
    if (token_.Is(",")) RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(SkipNewlines());
    if (token_.kind == TokenKind::kEnd) return Unexpected("\"}\"");
  }
  return Advance();
}

// A name, or "" for one that would have to be evaluated. Ends before the "=" or ":".
Result<std::string> Parser::ParseKey() {
  std::string name;
  bool literal = token_.kind == TokenKind::kIdentifier || token_.kind == TokenKind::kText;
  if (literal) {
    name = std::move(token_.text);
    RETURN_IF_ERROR(Advance());
  }
  while (!token_.Is("=") && !token_.Is(":")) {
    bool ends = token_.kind == TokenKind::kNewline || EndsValue(Place::kObject);
    if (ends) return Unexpected("\"=\"");
    name.clear();
    bool opens = token_.Is("(") || token_.Is("[") || token_.Is("{");
    RETURN_IF_ERROR(Advance());
    if (opens) RETURN_IF_ERROR(SkipBrackets());
  }
  return name;
}

// To the end of the expression, however many brackets stand in it.
Status Parser::SkipExpression(Place place) {
  while (!EndsValue(place)) {
    if (token_.Is(")") || token_.Is("]") || token_.Is("}")) return Unexpected("an expression");
    bool opens = token_.Is("(") || token_.Is("[") || token_.Is("{");
    RETURN_IF_ERROR(Advance());
    if (opens) RETURN_IF_ERROR(SkipBrackets());
    if (place == Place::kList) RETURN_IF_ERROR(SkipNewlines());
  }
  return {};
}

// After an opening bracket, to behind the one that closes it.
Status Parser::SkipBrackets() {
  std::size_t open = 1;
  while (open > 0) {
    if (token_.kind == TokenKind::kEnd) return Unexpected("a closing bracket");
    if (token_.Is("(") || token_.Is("[") || token_.Is("{")) ++open;
    if (token_.Is(")") || token_.Is("]") || token_.Is("}")) --open;
    RETURN_IF_ERROR(Advance());
  }
  return {};
}

}  // namespace

const Value* Body::Find(std::string_view name) const {
  auto found = std::ranges::find(attributes, name, &Member::name);
  return found == attributes.end() ? nullptr : &found->value;
}

Result<Body> Parse(std::string_view text) {
  if (text.size() > kMaxText) {
    return Fail(ErrorKind::kInvalid,
                fmt::format("it has {} bytes; up to {} are read", text.size(), kMaxText));
  }
  if (!IsUtf8(text)) return Fail(ErrorKind::kInvalid, "it is not UTF-8");
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return Parser(text).ParseFile();
}

}  // namespace koya::hcl
