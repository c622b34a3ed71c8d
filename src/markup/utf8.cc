#include "markup/utf8.h"

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

}  // namespace koya::markup
