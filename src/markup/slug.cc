#include "markup/slug.h"

#include <unicode/uchar.h>

#include "base/text.h"

namespace koya::markup {
namespace {

constexpr std::size_t kLongestSlug = 200;
constexpr std::size_t kMostPlaces = 20'000;

bool IsAsciiWord(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9') || code == '-' || code == '_';
}

// Punctuation and blanks of other scripts that headings hold; everything else outside ASCII is
// taken for a letter.
bool IsForeignPunctuation(char32_t code) {
  return (code >= 0x80 && code <= 0xBF && code != 0xAA && code != 0xB5 && code != 0xBA) ||
         code == 0xD7 || code == 0xF7 || (code >= 0x2000 && code <= 0x206F) ||
         (code >= 0x2190 && code <= 0x2BFF) || (code >= 0x3000 && code <= 0x3004) ||
         (code >= 0x3008 && code <= 0x3020) || code == 0x3030 ||
         (code >= 0xFE30 && code <= 0xFE4F) || (code >= 0xFF00 && code <= 0xFF0F) ||
         (code >= 0xFF1A && code <= 0xFF20) || (code >= 0xFF3B && code <= 0xFF40) ||
         (code >= 0xFF5B && code <= 0xFF65) || code == kReplacement ||
         (code >= 0x1F000 && code <= 0x1FAFF);
}

}  // namespace

std::string Slug(std::string_view heading) {
  std::string out;
  while (!heading.empty() && out.size() < kLongestSlug) {
    Utf8Character next = FirstCharacter(heading);
    heading.remove_prefix(next.bytes);
    char32_t code = next.code;
    if (next.good) code = static_cast<char32_t>(u_tolower(static_cast<UChar32>(code)));
    if (code == ' ') {
      out += '-';
    } else if (code < 0x80 ? IsAsciiWord(code) : next.good && !IsForeignPunctuation(code)) {
      AppendUtf8(code, out);
    }
  }
  return out;
}

std::string LowerCase(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Character next = FirstCharacter(text);
    text.remove_prefix(next.bytes);
    AppendUtf8(static_cast<char32_t>(u_tolower(static_cast<UChar32>(next.code))), out);
  }
  return out;
}

std::string UserName(std::string_view name) {
  std::string out;
  for (char c : CutUtf8(name, kLongestSlug)) {
    bool unfit = static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
                 std::string_view("\"'<>&`=").contains(c);
    if (!unfit) out += c;
  }
  return out.empty() ? out : std::string(kUserPrefix) + out;
}

std::string PlaceNames::Take(std::string_view slug) {
  std::string name = std::string(kUserPrefix) + std::string(slug);
  auto [found, fresh] = taken_.try_emplace(name, 0);
  if (fresh) return name;
  unsigned number = found->second;
  std::string next;
  do {
    next = name + "-" + std::to_string(++number);
  } while (taken_.contains(next));
  taken_[name] = number;
  taken_.emplace(next, 0);
  return next;
}

std::map<std::string, std::string> PlaceNames::ByLowerCase() const {
  std::map<std::string, std::string> names;
  for (const auto& [name, number] : taken_) {
    const auto [known, fresh] = names.try_emplace(LowerCase(name), name);
    if (!fresh) known->second = std::min(known->second, name);
  }
  return names;
}

bool PlaceNames::TakeExactly(const std::string& name) {
  return taken_.size() < kMostPlaces && taken_.try_emplace(name, 0).second;
}

}  // namespace koya::markup
