#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace koya {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t above = row[j];
      std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, change});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Number of leading ASCII bytes: most input is ASCII, so eight bytes at a time.
std::size_t AsciiLength(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t length = 0;
  std::uint64_t eight = 0;
  for (; text.size() - length >= sizeof(eight); length += sizeof(eight)) {
    std::memcpy(&eight, text.data() + length, sizeof(eight));
    if ((eight & kHighBits) != 0) break;
  }
  while (length < text.size() && static_cast<unsigned char>(text[length]) < 0x80) ++length;
  return length;
}

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

}  // namespace

Utf8Character FirstCharacter(std::string_view text) {
  const Lead lead = ReadLead(static_cast<unsigned char>(text[0]));
  if (lead.bytes == 0 || lead.bytes > text.size()) return {};
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    if (!IsContinuation(text[i])) return {};
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  if (code < lead.least || !IsCharacter(code)) return {};
  return {code, lead.bytes, true};
}

bool IsCharacter(char32_t code) { return code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF); }

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

std::string_view CutUtf8(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  // A character has at most three bytes that follow its first.
  for (int back = 0; back < 3 && most > 0 && IsContinuation(text[most]); ++back) --most;
  return text.substr(0, most);
}

std::uint64_t RandomHashSeed() {
  std::random_device random;
  return std::uint64_t{random()} << 32U | random();
}

std::string AsciiLower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), Lower);
  return out;
}

std::size_t CountCharacters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, IsContinuation));
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    std::size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    if (const std::size_t ascii = AsciiLength(text); ascii > 0) {
      text.remove_prefix(ascii);
      continue;
    }
    const Utf8Character next = FirstCharacter(text);
    if (!next.good) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

bool IsPlainText(std::string_view text) {
  auto is_control = [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  };
  return IsUtf8(text) && std::ranges::none_of(text, is_control);
}

std::string Printable(std::string_view text, std::size_t max) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= max) return out + "…";
    const Utf8Character next = FirstCharacter(text);
    if (!next.good || next.code < 0x20 || next.code == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string Listed(std::span<const std::string> names, std::size_t most) {
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), most))) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

namespace {

bool SameLetter(char a, char b) { return a == b; }

bool SameFoldedLetter(char a, char b) { return a == b || EqualsIgnoreCase({&a, 1}, {&b, 1}); }

// Greedy with one step back: a star that was passed takes one character more, and what follows it
// is tried again.
template <class Same>
bool Covers(std::string_view pattern, std::string_view text, Same same) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && same(pattern[p], text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  return Covers(pattern, text, SameFoldedLetter);
}

bool MatchesGlobExactly(std::string_view pattern, std::string_view text) {
  return Covers(pattern, text, SameLetter);
}

}  // namespace koya
