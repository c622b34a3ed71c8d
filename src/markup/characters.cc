#include "markup/characters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/text.h"

namespace koya::markup {

bool IsUnfit(char32_t code) {
  if (code < 0x20) return code != '\t' && code != '\n';
  return (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF || (code & 0xFFFE) == 0xFFFE;
}

std::string FitToShow(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string out;
  out.reserve(text.size() + 16);
  bool replaced = false;  // the last thing written stands for something unfit
  while (!text.empty()) {
    if (text[0] == '\r') {
      text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
      out += '\n';
      replaced = false;
      continue;
    }
    Utf8Character next = FirstCharacter(text);
    bool unfit = !next.good || IsUnfit(next.code);
    if (!unfit) {
      out.append(text.substr(0, next.bytes));
    } else if (!replaced) {
      AppendUtf8(kReplacement, out);
    }
    replaced = unfit;
    text.remove_prefix(next.bytes);
  }
  return out;
}

namespace {

struct Named {
  std::string_view name;
  char32_t code;
};
// Names of ASCII characters, and the common nbsp.
constexpr std::array kNamed = std::to_array<Named>({
    {"amp", '&'},      {"AMP", '&'},    {"lt", '<'},     {"LT", '<'},     {"gt", '>'},
    {"GT", '>'},       {"quot", '"'},   {"QUOT", '"'},   {"apos", '\''},  {"Tab", '\t'},
    {"NewLine", '\n'}, {"colon", ':'},  {"sol", '/'},    {"bsol", '\\'},  {"lpar", '('},
    {"rpar", ')'},     {"excl", '!'},   {"num", '#'},    {"dollar", '$'}, {"percnt", '%'},
    {"ast", '*'},      {"midast", '*'}, {"plus", '+'},   {"comma", ','},  {"period", '.'},
    {"semi", ';'},     {"equals", '='}, {"quest", '?'},  {"commat", '@'}, {"lsqb", '['},
    {"lbrack", '['},   {"rsqb", ']'},   {"rbrack", ']'}, {"Hat", '^'},    {"lowbar", '_'},
    {"grave", '`'},    {"lcub", '{'},   {"lbrace", '{'}, {"rcub", '}'},   {"rbrace", '}'},
    {"verbar", '|'},   {"vert", '|'},   {"nbsp", 0xA0},
});

constexpr std::size_t kLongestName = 32;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

struct Reference {
  std::size_t bytes = 0;  // 0: none begins here
  bool closed = false;    // by ";"
  bool numeric = false;
  char32_t code = 0;      // of a number
  std::string_view name;  // of a name
};

Reference ReadNumber(std::string_view text) {
  bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  std::size_t at = hex ? 3 : 2;
  std::size_t begin = at;
  std::uint32_t code = 0;
  for (; at < text.size(); ++at) {
    int value = hex ? HexValue(text[at]) : IsDigit(text[at]) ? text[at] - '0' : -1;
    if (value < 0) break;
    code = std::min<std::uint32_t>(code * (hex ? 16 : 10) + static_cast<unsigned>(value), 0x110000);
  }
  if (at == begin) return {};
  bool closed = at < text.size() && text[at] == ';';
  // Browsers read 128 to 159 as Windows does, and 0 as the replacement: neither is of use here.
  return {at + (closed ? 1 : 0), closed, true, code == 0 ? kReplacement : code, {}};
}

// What begins with the "&" at the start of `text`.
Reference ReadReference(std::string_view text) {
  if (text.size() < 2) return {};
  if (text[1] == '#') return ReadNumber(text);
  if (!IsLetter(text[1])) return {};
  std::size_t at = 2;
  while (at < text.size() && at <= kLongestName && (IsLetter(text[at]) || IsDigit(text[at]))) ++at;
  if (at >= text.size() || text[at] != ';') return {};
  return {at + 1, true, false, 0, text.substr(1, at - 1)};
}

void AppendFit(char32_t code, std::string& out) {
  AppendUtf8(IsUnfit(code) && code != '\r' ? kReplacement : code, out);
}

std::string_view Escape(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

void AppendEscapedCharacter(char c, std::string& out) {
  std::string_view escape = Escape(c);
  if (escape.empty()) {
    out += c;
  } else {
    out += escape;
  }
}

}  // namespace

std::string DecodeReferences(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    Reference found = text[0] == '&' ? ReadReference(text) : Reference{};
    const auto* named = std::ranges::find(kNamed, found.name, &Named::name);
    if (found.bytes > 0 && found.numeric) {
      AppendFit(found.code, out);
    } else if (found.bytes > 0 && named != kNamed.end()) {
      AppendFit(named->code, out);
    } else {
      found.bytes = 1;
      out += text[0];
    }
    text.remove_prefix(found.bytes);
  }
  return out;
}

void AppendEscaped(std::string_view text, std::string& out) {
  for (char c : text) AppendEscapedCharacter(c, out);
}

void AppendWithReferences(std::string_view text, std::string& out) {
  while (!text.empty()) {
    Reference found = text[0] == '&' ? ReadReference(text) : Reference{};
    if (found.bytes == 0 || !found.closed) {
      AppendEscapedCharacter(text[0], out);
      text.remove_prefix(1);
      continue;
    }
    if (found.numeric) {
      std::string character;
      AppendFit(found.code, character);
      AppendEscaped(character == "\r" ? "\n" : character, out);
    } else {
      out += text.substr(0, found.bytes);
    }
    text.remove_prefix(found.bytes);
  }
}

}  // namespace koya::markup
