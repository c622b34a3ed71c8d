#include "wire/json_text.h"

#include <algorithm>

namespace koya::wire {
namespace {

bool IsPlain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

void AppendEscaped(char c, std::string& out) {
  constexpr std::string_view kEscaped = "\b\f\n\r\t\"\\";
  constexpr std::string_view kLetters = "bfnrt\"\\";
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  const std::size_t known = kEscaped.find(c);
  if (known != kEscaped.npos) {
    out += kLetters[known];
    return;
  }
  const auto code = static_cast<unsigned char>(c);
  out += "u00";
  out += kHex[code >> 4U];
  out += kHex[code & 15U];
}

}  // namespace

void AppendJsonText(std::string_view text, std::string& out) {
  out += '"';
  while (true) {
    const auto end = std::ranges::find_if_not(text, IsPlain);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    out += text.substr(0, plain);
    if (plain == text.size()) break;
    AppendEscaped(text[plain], out);
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

}  // namespace koya::wire
