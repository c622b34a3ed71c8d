#include "hcl/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "hcl/hcl.h"
#include "hcl/parser.h"
#include "hcl/utf8.h"

namespace koya::hcl {
namespace {

using TypeKind = Type::Kind;

constexpr std::array<std::string_view, 9> kTypeNames{"any", "string", "number", "bool",  "list",
                                                     "set", "map",    "tuple",  "object"};

bool IsCollection(TypeKind kind) {
  return kind == TypeKind::kList || kind == TypeKind::kSet || kind == TypeKind::kMap;
}

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : parser_(text, ParseLimits().parts) {}

  Result<Type> Run() {
    RETURN_IF_ERROR(parser_.Advance());
    RETURN_IF_ERROR(parser_.SkipNewlines());
    ASSIGN_OR_RETURN(Type type, ParseOne(0));
    RETURN_IF_ERROR(parser_.SkipNewlines());
    if (parser_.token().kind != TokenKind::kEnd) return parser_.Unexpected("the end of the type");
    return type;
  }

 private:
  Status Expect(char sign) {
    RETURN_IF_ERROR(parser_.SkipNewlines());
    if (!parser_.token().Is(sign)) return parser_.Unexpected(fmt::format("\"{}\"", sign));
    return parser_.Advance();
  }

  Result<Type> ParseOne(std::size_t depth);
  Status ParseElements(Type& type, std::size_t depth);
  Status ParseAttributes(Type& type, std::size_t depth);
  Status ParseAttribute(TypeAttribute& attribute, std::size_t depth);
  Status ParseOptional(TypeAttribute& attribute, std::size_t depth);

  Parser parser_;
};

Result<Type> TypeParser::ParseOne(std::size_t depth) {
  RETURN_IF_ERROR(parser_.CheckDepth(depth));
  const Token& word = parser_.token();
  auto known = std::ranges::find(kTypeNames, std::string_view(word.text));
  if (word.kind != TokenKind::kIdentifier || known == kTypeNames.end()) {
    return parser_.Unexpected("a type");
  }
  Type type{.kind = static_cast<TypeKind>(known - kTypeNames.begin())};
  RETURN_IF_ERROR(parser_.Advance());
  if (type.kind < TypeKind::kList) return type;
  if (IsCollection(type.kind) && !parser_.token().Is('(')) {
    type.elements.emplace_back();
    return type;
  }
  RETURN_IF_ERROR(Expect('('));
  RETURN_IF_ERROR(parser_.SkipNewlines());
  if (type.kind == TypeKind::kObject) {
    RETURN_IF_ERROR(ParseAttributes(type, depth));
  } else if (type.kind == TypeKind::kTuple) {
    RETURN_IF_ERROR(ParseElements(type, depth));
  } else {
    ASSIGN_OR_RETURN(Type element, ParseOne(depth + 1));
    type.elements.push_back(std::move(element));
  }
  RETURN_IF_ERROR(Expect(')'));
  return type;
}

// [T, T]
Status TypeParser::ParseElements(Type& type, std::size_t depth) {
  RETURN_IF_ERROR(Expect('['));
  RETURN_IF_ERROR(parser_.SkipNewlines());
  while (!parser_.token().Is(']')) {
    ASSIGN_OR_RETURN(Type element, ParseOne(depth + 1));
    type.elements.push_back(std::move(element));
    RETURN_IF_ERROR(parser_.SkipNewlines());
    if (!parser_.token().Is(',')) break;
    RETURN_IF_ERROR(parser_.Advance());
    RETURN_IF_ERROR(parser_.SkipNewlines());
  }
  return Expect(']');
}

// { name = T, … }
Status TypeParser::ParseAttributes(Type& type, std::size_t depth) {
  RETURN_IF_ERROR(Expect('{'));
  RETURN_IF_ERROR(parser_.SkipNewlines());
  std::set<std::string> seen;
  while (!parser_.token().Is('}')) {
    TypeAttribute attribute;
    RETURN_IF_ERROR(ParseAttribute(attribute, depth));
    if (!seen.insert(attribute.name).second) {
      return parser_.Bad(
          fmt::format("the attribute \"{}\" stands here twice", Printable(attribute.name, 40)));
    }
    type.attributes.push_back(std::move(attribute));
    if (parser_.token().Is(',')) {
      RETURN_IF_ERROR(parser_.Advance());
    } else if (parser_.token().kind != TokenKind::kNewline && !parser_.token().Is('}')) {
      return parser_.Unexpected("\",\" or \"}\"");
    }
    RETURN_IF_ERROR(parser_.SkipNewlines());
  }
  return Expect('}');
}

Status TypeParser::ParseAttribute(TypeAttribute& attribute, std::size_t depth) {
  if (parser_.token().kind != TokenKind::kIdentifier && parser_.token().kind != TokenKind::kText) {
    return parser_.Unexpected("the name of an attribute");
  }
  attribute.name = parser_.token().text;
  RETURN_IF_ERROR(parser_.Advance());
  if (!parser_.token().Is('=') && !parser_.token().Is(':')) return parser_.Unexpected("\"=\"");
  RETURN_IF_ERROR(parser_.Advance());
  bool optional =
      parser_.token().kind == TokenKind::kIdentifier && parser_.token().text == "optional";
  if (optional) return ParseOptional(attribute, depth + 1);
  ASSIGN_OR_RETURN(attribute.type, ParseOne(depth + 1));
  return {};
}

// optional(T), optional(T, default)
Status TypeParser::ParseOptional(TypeAttribute& attribute, std::size_t depth) {
  attribute.optional = true;
  RETURN_IF_ERROR(parser_.Advance());
  RETURN_IF_ERROR(Expect('('));
  RETURN_IF_ERROR(parser_.SkipNewlines());
  ASSIGN_OR_RETURN(attribute.type, ParseOne(depth + 1));
  RETURN_IF_ERROR(parser_.SkipNewlines());
  if (parser_.token().Is(',')) {
    RETURN_IF_ERROR(parser_.Advance());
    RETURN_IF_ERROR(parser_.SkipNewlines());
    if (!parser_.token().Is(')')) {
      ASSIGN_OR_RETURN(Value value, parser_.ParseValue(ValuePlace::kArgument, depth + 1));
      attribute.default_text = value.source;
      attribute.default_json = LiteralJson(value).value_or("");
      if (parser_.token().Is(',')) RETURN_IF_ERROR(parser_.Advance());
    }
  }
  return Expect(')');
}

void AppendType(const Type& type, std::string& out) {
  out += TypeName(type.kind);
  if (type.kind < TypeKind::kList) return;
  out += '(';
  if (type.kind == TypeKind::kTuple) out += '[';
  for (const Type& element : type.elements) {
    if (&element != &type.elements.front()) out += ", ";
    AppendType(element, out);
  }
  if (type.kind == TypeKind::kTuple) out += ']';
  if (type.kind == TypeKind::kObject) out += type.attributes.empty() ? "{" : "{ ";
  for (const TypeAttribute& each : type.attributes) {
    if (&each != &type.attributes.front()) out += ", ";
    out += each.name + " = ";
    if (each.optional) out += "optional(";
    AppendType(each.type, out);
    if (!each.default_text.empty()) out += ", " + each.default_text;
    if (each.optional) out += ')';
  }
  if (type.kind == TypeKind::kObject) out += type.attributes.empty() ? "}" : " }";
  out += ')';
}

}  // namespace

bool operator==(const Type& a, const Type& b) {
  return a.kind == b.kind && std::ranges::equal(a.elements, b.elements) &&
         std::ranges::equal(a.attributes, b.attributes);
}

bool operator==(const TypeAttribute& a, const TypeAttribute& b) {
  return a.name == b.name && a.type == b.type && a.optional == b.optional &&
         a.default_text == b.default_text && a.default_json == b.default_json;
}

std::string_view TypeName(Type::Kind kind) { return kTypeNames[static_cast<std::size_t>(kind)]; }

Result<Type> ParseType(std::string_view text) {
  if (FirstBadLine(text)) return FailInvalid("line 1: it is not UTF-8");
  return TypeParser(text).Run();
}

std::string ToString(const Type& type) {
  std::string out;
  AppendType(type, out);
  return out;
}

}  // namespace koya::hcl
