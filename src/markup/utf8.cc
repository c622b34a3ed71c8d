#include "markup/utf8.h"

#include <algorithm>

namespace koya::markup {
namespace {

struct Lead {
  std::size_t bytes = 0;  // 0: no character begins so
  char32_t bits = 0;
  char32_t least = 0;  // lower codes have a shorter form
};

Lead ReadLead(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07U, 0x10000};
  return {};
}

bool IsCharacter(char32_t code) { return code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF); }

}  // namespace

Utf8Character FirstCharacter(std::string_view text) {
  Lead lead = ReadLead(static_cast<unsigned char>(text[0]));
  if (lead.bytes == 0 || lead.bytes > text.size()) return {};
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte & 0x3FU);
  }
  if (code < lead.least || !IsCharacter(code)) return {};
  return {code, lead.bytes, true};
}

void AppendUtf8(char32_t code, std::string& out) {
  if (!IsCharacter(code)) code = kReplacement;
  auto byte = [&](char32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
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

std::string_view CutBetweenCharacters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  // A character has at most three bytes that follow its first.
  for (int back = 0; back < 3 && end > 0; ++back, --end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80) break;
  }
  return text.substr(0, end);
}

}  // namespace koya::markup
