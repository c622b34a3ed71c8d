#include "hcl/utf8.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "base/text.h"

namespace koya::hcl {

void AppendUtf8(std::uint32_t code, std::string& out) {
  auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

bool IsCharacter(std::uint32_t code) {
  return code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000);
}

std::optional<std::uint32_t> HexNumber(std::string_view text, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  if (text.size() < count) return std::nullopt;
  std::uint32_t number = 0;
  for (char c : text.substr(0, count)) {
    std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) return std::nullopt;
    number = number << 4 | static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
  }
  return number;
}

bool IsIdentifier(std::string_view text) {
  constexpr std::uint8_t kUnicode = 9;
  if (text.empty() || text.size() > kMaxText) return false;
  const auto size = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < size;) {
    const bool first = at == 0;
    UChar32 code = 0;
    U8_NEXT(text.data(), at, size, code);
    if (code < 0) return false;
    if (code == '_' || (!first && code == '-')) continue;
    UVersionInfo age = {};
    u_charAge(code, &age[0]);
    const UProperty wanted = first ? UCHAR_ID_START : UCHAR_ID_CONTINUE;
    if (age[0] > kUnicode || u_hasBinaryProperty(code, wanted) == 0) return false;
  }
  return true;
}

std::optional<Range> FirstBadLine(std::string_view text) {
  if (IsUtf8(text)) return std::nullopt;
  Range at{.line = 1, .column = 1};
  for (std::size_t begin = 0; begin < text.size(); ++at.line) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    at.begin = static_cast<std::uint32_t>(begin);
    at.end = static_cast<std::uint32_t>(end);
    if (!IsUtf8(text.substr(begin, end - begin))) break;
    begin = end + 1;
  }
  return at;
}

}  // namespace koya::hcl
