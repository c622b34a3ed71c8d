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

bool AppendLiteral(const Value& value, std::string& out);

bool AppendList(const Value& value, std::string& out) {
  out += '[';
  for (const Value& item : value.items) {
    if (out.back() != '[') out += ',';
    if (!AppendLiteral(item, out)) return false;
  }
  out += ']';
  return true;
}

bool AppendObject(const Value& value, std::string& out) {
  std::map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < value.members.size(); ++i) {
    if (value.members[i].computed) return false;
    last[value.members[i].name] = i;
  }
  out += '{';
  for (const Member& member : value.members) {
    auto counts = last.extract(member.name);
    if (counts.empty()) continue;
    if (out.back() != '{') out += ',';
    AppendQuoted(member.name, out);
    out += ':';
    if (!AppendLiteral(value.members[counts.mapped()].value, out)) return false;
  }
  out += '}';
  return true;
}

bool AppendLiteral(const Value& value, std::string& out) {
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
      return AppendList(value, out);
    case Value::Kind::kObject:
      return AppendObject(value, out);
    case Value::Kind::kTemplate:
    case Value::Kind::kOther:
      break;
  }
  return false;
}

}  // namespace

std::optional<std::string> LiteralJson(const Value& value) {
  std::string out;
  if (!AppendLiteral(value, out)) return std::nullopt;
  return out;
}

std::string QuotedJson(std::string_view text) {
  std::string out;
  AppendQuoted(text, out);
  return out;
}

std::optional<bool> LiteralBool(const Value& value) {
  if (value.kind != Value::Kind::kBool && value.kind != Value::Kind::kText) return std::nullopt;
  if (value.text == "true") return true;
  if (value.text == "false") return false;
  return std::nullopt;
}

}  // namespace koya::hcl
