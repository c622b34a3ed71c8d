#include "markup/yaml_scalar.h"

#include <algorithm>
#include <charconv>

#include "markup/utf8.h"

namespace koya::markup {
namespace {

std::string_view WithoutBlanks(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::size_t end = text.find_last_not_of(" \t");
  return text.substr(begin, end == text.npos ? 0 : end - begin + 1);
}

// Lines of plain and quoted values are one text: an end of a line is a blank.
std::string Folded(std::string_view first, std::span<const std::string_view> below) {
  std::string out(WithoutBlanks(first));
  for (std::string_view line : below) {
    std::string_view text = WithoutBlanks(line);
    if (text.empty()) continue;
    if (!out.empty()) out += ' ';
    out += text;
  }
  return out;
}

std::string_view WithoutComment(std::string_view text) {
  if (text.starts_with('#')) return {};
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    if (text[at - 1] == ' ' || text[at - 1] == '\t') return WithoutBlanks(text.substr(0, at));
  }
  return text;
}

Scalar ReadSingleQuoted(std::string_view text) {
  Scalar out;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != '\'') {
      out.text += text[at];
    } else if (text.substr(at + 1).starts_with('\'')) {
      out.text += text[at++];
    } else {
      if (!WithoutComment(WithoutBlanks(text.substr(at + 1))).empty()) {
        out.why = "there is more behind the quoted text";
      }
      return out;
    }
  }
  out.why = "the quoted text has no end";
  return out;
}

// Appends what the escape at the start of `text`, which begins behind the backslash, stands for;
// returns its length.
std::size_t AppendEscape(std::string_view text, std::string& out) {
  if (text.empty()) return 0;
  std::size_t digits = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : text[0] == 'U' ? 8 : 0;
  if (digits > 0) {
    std::string_view number = text.substr(1, digits);
    unsigned long code = 0;
    auto read = std::from_chars(number.data(), number.data() + number.size(), code, 16);
    bool whole = number.size() == digits && read.ptr == number.data() + number.size();
    AppendUtf8(whole && code <= 0x10FFFF ? static_cast<char32_t>(code) : kReplacement, out);
    return 1 + number.size();
  }
  if (text[0] == 'n' || text[0] == 't' || text[0] == 'r') {
    out += ' ';
  } else {
    out += text[0];
  }
  return 1;
}

Scalar ReadDoubleQuoted(std::string_view text) {
  Scalar out;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      at += AppendEscape(text.substr(at + 1), out.text);
    } else if (text[at] != '"') {
      out.text += text[at];
    } else {
      if (!WithoutComment(WithoutBlanks(text.substr(at + 1))).empty()) {
        out.why = "there is more behind the quoted text";
      }
      return out;
    }
  }
  out.why = "the quoted text has no end";
  return out;
}

Scalar ReadBlock(std::string_view header, std::span<const std::string_view> below) {
  Scalar out{Folded({}, below), {}};
  std::string_view rest = WithoutComment(WithoutBlanks(header.substr(1)));
  bool known = std::ranges::all_of(
      rest, [](char c) { return c == '-' || c == '+' || (c > '0' && c <= '9'); });
  if (rest.size() > 2 || !known) out.why = "what follows \"|\" or \">\" is not understood";
  return out;
}

std::string_view WhyNot(char first) {
  switch (first) {
    case '&':
      return "anchors are not followed";
    case '*':
      return "aliases are not followed";
    case '!':
      return "tags are not followed";
    case '[':
    case '{':
      return "a text is expected, and not a list or a map";
    case '%':
    case '@':
    case '`':
      return "a text that begins so must be quoted";
    default:
      return {};
  }
}

}  // namespace

Scalar ReadScalar(std::string_view first, std::span<const std::string_view> below) {
  std::string_view start = WithoutBlanks(first);
  if (start.starts_with('|') || start.starts_with('>')) return ReadBlock(start, below);
  std::string folded = Folded(first, below);
  if (folded.empty()) return {};
  if (folded[0] == '\'') return ReadSingleQuoted(folded);
  if (folded[0] == '"') return ReadDoubleQuoted(folded);
  if (std::string_view why = WhyNot(folded[0]); !why.empty()) return {{}, std::string(why)};
  bool list = start.empty() && (folded == "-" || folded.starts_with("- "));
  if (list) return {{}, std::string(WhyNot('['))};
  // Comments end lines, and lines are one by now: only the first may have one.
  std::string_view plain = WithoutComment(start);
  std::string text = Folded(plain, below);
  if (text == "~" || text == "null") text.clear();
  return {std::move(text), {}};
}

}  // namespace koya::markup
