#include "hcl/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace koya::hcl {
namespace {

void AppendQuoted(std::string_view text, std::string& out) {
  constexpr std::string_view kPlain = "\"\\\n\r\t\b\f";
  constexpr std::string_view kLetters = "\"\\nrtbf";
  out += '"';
  for (char c : text) {
    std::size_t known = kPlain.find(c);
    if (known != kPlain.npos) {
      out += {'\\', kLetters[known]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

// JSON knows no zeros before a number.
std::string Number(std::string_view text) {
  std::string_view sign = text.substr(0, text.starts_with('-') ? 1 : 0);
  text.remove_prefix(sign.size());
  std::size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
  std::size_t zeros = std::min(text.find_first_not_of('0'), whole);
  if (zeros == whole && whole > 0) --zeros;
  return std::string(sign) + std::string(text.substr(zeros));
}

// Brackets in lists in brackets …: each is read again.
constexpr std::size_t kMaxBracketDepth = 8;

// The literal that stands in round brackets and nothing else, which is what they mean.
std::optional<Value> InBrackets(std::string_view source) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t taken = 0;
  while (source.size() > 2 && source.front() == '(' && source.back() == ')') {
    source = source.substr(1, source.size() - 2);
    source.remove_prefix(std::min(source.find_first_not_of(kBlanks), source.size()));
    source = source.substr(0, source.find_last_not_of(kBlanks) + 1);
    ++taken;
  }
  if (taken == 0) return std::nullopt;
  Result<Value> value = ParseExpression(source);
  if (!value || value->kind == Value::Kind::kOther) return std::nullopt;
  return *std::move(value);
}

bool AppendLiteral(const Value& value, std::string& out, std::size_t brackets);

bool AppendList(const Value& value, std::string& out, std::size_t brackets) {
  out += '[';
  for (const Value& item : value.items) {
    if (out.back() != '[') out += ',';
    if (!AppendLiteral(item, out, brackets)) return false;
  }
  out += ']';
  return true;
}

// Of a member of an object; nothing when it must be evaluated.
std::optional<std::string> LiteralName(const Member& member) {
  if (!member.computed) return member.name;
  std::optional<Value> name = InBrackets(member.name);
  if (!name) return std::nullopt;
  if (name->kind == Value::Kind::kText || name->kind == Value::Kind::kBool) return name->text;
  if (name->kind == Value::Kind::kNumber) return Number(name->text);
  return std::nullopt;
}

bool AppendObject(const Value& value, std::string& out, std::size_t brackets) {
  std::map<std::string, std::size_t> last;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < value.members.size(); ++i) {
    std::optional<std::string> name = LiteralName(value.members[i]);
    if (!name) return false;
    last[*name] = i;
    names.push_back(*std::move(name));
  }
  out += '{';
  for (const std::string& name : names) {
    auto counts = last.extract(name);
    if (counts.empty()) continue;
    if (out.back() != '{') out += ',';
    AppendQuoted(name, out);
    out += ':';
    if (!AppendLiteral(value.members[counts.mapped()].value, out, brackets)) return false;
  }
  out += '}';
  return true;
}

bool AppendLiteral(const Value& value, std::string& out, std::size_t brackets) {
  switch (value.kind) {
    case Value::Kind::kText:
      AppendQuoted(value.text, out);
      return true;
    case Value::Kind::kNumber:
      out += Number(value.text);
      return true;
    case Value::Kind::kBool:
    case Value::Kind::kNull:
      out += value.text;
      return true;
    case Value::Kind::kList:
      return AppendList(value, out, brackets);
    case Value::Kind::kObject:
      return AppendObject(value, out, brackets);
    case Value::Kind::kOther: {
      std::optional<Value> inner;
      if (brackets < kMaxBracketDepth) inner = InBrackets(value.source);
      return inner && AppendLiteral(*inner, out, brackets + 1);
    }
    case Value::Kind::kTemplate:
      break;
  }
  return false;
}

}  // namespace

std::optional<std::string> LiteralJson(const Value& value) {
  std::string out;
  if (!AppendLiteral(value, out, 0)) return std::nullopt;
  return out;
}

std::string QuotedJson(std::string_view text) {
  std::string out;
  AppendQuoted(text, out);
  return out;
}

std::optional<bool> LiteralBool(const Value& value) {
  if (value.kind == Value::Kind::kOther) {
    std::optional<Value> inner = InBrackets(value.source);
    return inner ? LiteralBool(*inner) : std::nullopt;
  }
  if (value.kind != Value::Kind::kBool && value.kind != Value::Kind::kText) return std::nullopt;
  if (value.text == "true") return true;
  if (value.text == "false") return false;
  return std::nullopt;
}

}  // namespace koya::hcl
