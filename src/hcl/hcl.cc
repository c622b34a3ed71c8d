#include "hcl/hcl.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hcl/parser.h"
#include "hcl/utf8.h"

namespace koya::hcl {
namespace {

// What forbids reading `text` at all.
std::optional<Problem> Unreadable(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return Problem{{.line = 1, .column = 1},
                   fmt::format("it has {} bytes; up to {} are read", text.size(), most)};
  }
  if (std::optional<Range> bad = FirstBadLine(text)) return Problem{*bad, "it is not UTF-8"};
  return std::nullopt;
}

bool ByName(const Member* a, const Member* b) {
  return std::tie(a->name, a->range.begin) < std::tie(b->name, b->range.begin);
}

// Attributes that stand in one body twice; the first counts.
void ReportDuplicates(const Body& body, std::vector<Problem>& problems) {
  std::vector<const Member*> sorted;
  sorted.reserve(body.attributes.size());
  for (const Member& each : body.attributes) sorted.push_back(&each);
  std::ranges::sort(sorted, ByName);
  for (std::size_t i = 1; i < sorted.size() && problems.size() < kMaxProblems; ++i) {
    if (sorted[i]->name != sorted[i - 1]->name) continue;
    problems.push_back({sorted[i]->range,
                        fmt::format("\"{}\" stands here twice", Printable(sorted[i]->name, 40))});
  }
  for (const Block& block : body.blocks) ReportDuplicates(block.body, problems);
}

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

const Value* Body::FindAttribute(std::string_view name) const {
  auto found = std::ranges::find(attributes, name, &Member::name);
  return found == attributes.end() ? nullptr : &found->value;
}

std::string Problem::ToString() const { return fmt::format("line {}: {}", range.line, what); }

Parsed ParsePartly(std::string_view text, const ParseLimits& limits) {
  Parsed parsed;
  if (auto problem = Unreadable(text, std::min(limits.bytes, kMaxText))) {
    parsed.problems.push_back(*std::move(problem));
    return parsed;
  }
  parsed = Parser(text, limits.parts).ParseFile();
  ReportDuplicates(parsed.body, parsed.problems);
  std::ranges::sort(parsed.problems, [](const Problem& a, const Problem& b) {
    return std::tie(a.range.begin, a.what) < std::tie(b.range.begin, b.what);
  });
  return parsed;
}

Result<Body> Parse(std::string_view text) {
  if (auto problem = Unreadable(text, kMaxText)) {
    return Fail(ErrorKind::kInvalid, problem->ToString());
  }
  Parsed parsed = Parser(text, ParseLimits().parts).ParseFile();
  if (parsed.problems.empty()) return std::move(parsed.body);
  return Fail(ErrorKind::kInvalid, parsed.problems.front().ToString());
}

Result<Value> ParseExpression(std::string_view text) {
  if (auto problem = Unreadable(text, kMaxText)) {
    return Fail(ErrorKind::kInvalid, problem->ToString());
  }
  Parser parser(text, ParseLimits().parts);
  RETURN_IF_ERROR(parser.Advance());
  ASSIGN_OR_RETURN(Value value, parser.ParseValue(ValuePlace::kArgument, 0));
  RETURN_IF_ERROR(parser.SkipNewlines());
  if (parser.token().kind != TokenKind::kEnd) return parser.Unexpected("the end of the expression");
  return value;
}

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
