#include "hcl/utf8.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "base/text.h"

namespace koya::hcl {

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
