#include "api/mcp/quotation.h"

#include "base/text.h"

namespace koya::api {
namespace {

// Unicode 16, UAX #14, the classes BK, CR, LF and NL.
constexpr bool EndsLine(char32_t code) {
  return (code >= 0x0A && code <= 0x0D) || code == 0x85 || code == 0x2028 || code == 0x2029;
}
constexpr bool IsControl(char32_t code) {
  return (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0);
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string out;
  bool in_line = false;
  char32_t before = 0;
  while (!text.empty()) {
    const Utf8Character next = FirstCharacter(text);
    text.remove_prefix(next.bytes);
    const bool is_second_half = next.code == '\n' && before == '\r';
    before = next.code;
    if (is_second_half) continue;
    if (!in_line) out += "> ";
    in_line = !EndsLine(next.code);
    if (!in_line) {
      out += '\n';
    } else if (!IsControl(next.code)) {
      AppendUtf8(next.code, out);
    }
  }
  if (in_line) out += '\n';
  return out;
}

}  // namespace koya::api
