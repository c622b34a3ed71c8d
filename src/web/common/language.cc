#include "web/common/language.h"

#include <algorithm>

#include "base/text.h"

namespace koya::web {
namespace {

struct LanguageNames {
  std::string_view code;
  std::string_view tag;
  std::string_view name;
};

constexpr LanguageNames NamesOf(Language language) {
  switch (language) {
    case Language::kEnglish:
      return {"en", "en", "English"};
    case Language::kJapanese:
      return {"ja", "ja", "日本語"};
    case Language::kChinese:
      return {"zh", "zh-Hans", "简体中文"};
  }
  return {"en", "en", "English"};
}

std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes the part of `rest` before the first `separator` off it.
std::string_view TakeUntil(std::string_view& rest, char separator) {
  std::size_t end = std::min(rest.find(separator), rest.size());
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return WithoutBlanks(part);
}

// "1", "0.7", "0.125" in thousandths (RFC 9110 §12.4.2).
std::optional<int> ParseQuality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int thousandths = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int worth = 100;
  for (char c : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (c < '0' || c > '9') return std::nullopt;
    thousandths += (c - '0') * worth;
    worth /= 10;
  }
  return thousandths <= 1000 ? std::optional(thousandths) : std::nullopt;
}

// One element of Accept-Language.
struct LanguageRange {
  std::string_view primary;  // "zh" of "zh-Hans-CN", or "*"
  int quality = 1000;        // in thousandths; 0 is "not this one"
};

std::optional<LanguageRange> ParseLanguageRange(std::string_view element) {
  std::string_view range = TakeUntil(element, ';');
  LanguageRange parsed{range.substr(0, range.find('-'))};
  if (parsed.primary.empty()) return std::nullopt;
  while (!element.empty()) {
    std::string_view parameter = TakeUntil(element, ';');
    if (!EqualsIgnoreCase(parameter.substr(0, 2), "q=")) return std::nullopt;
    std::optional<int> quality = ParseQuality(parameter.substr(2));
    if (!quality) return std::nullopt;
    parsed.quality = *quality;
  }
  return parsed;
}

// What the first range that means a language of ours gives it; `star` else.
struct Acceptance {
  std::array<int, kLanguages.size()> quality{};
  std::array<bool, kLanguages.size()> named{};
  std::array<std::size_t, kLanguages.size()> place{};

  void Note(const LanguageRange& range, std::size_t at) {
    for (std::size_t i = 0; i < kLanguages.size(); ++i) {
      bool ours = EqualsIgnoreCase(range.primary, LanguageCode(kLanguages[i]));
      // A later "zh" adds nothing to "zh-CN"; a name counts for more than "*".
      bool better = ours ? !named[i] || range.quality > quality[i]
                         : range.primary == "*" && !named[i] && quality[i] == 0;
      if (!better) continue;
      quality[i] = range.quality;
      place[i] = at;
      named[i] = named[i] || ours;
    }
  }
};

Language BestAccepted(std::string_view accept) {
  Acceptance acceptance;
  for (std::size_t at = 0; !accept.empty(); ++at) {
    std::optional<LanguageRange> range = ParseLanguageRange(TakeUntil(accept, ','));
    if (range) acceptance.Note(*range, at);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < kLanguages.size(); ++i) {
    bool sooner = acceptance.quality[i] == acceptance.quality[best] && acceptance.quality[i] > 0 &&
                  acceptance.place[i] < acceptance.place[best];
    if (acceptance.quality[i] > acceptance.quality[best] || sooner) best = i;
  }
  return kLanguages[best];
}

}  // namespace

std::string_view LanguageCode(Language language) { return NamesOf(language).code; }
std::string_view LanguageTag(Language language) { return NamesOf(language).tag; }
std::string_view LanguageName(Language language) { return NamesOf(language).name; }

std::optional<Language> ParseLanguage(std::string_view code) {
  for (Language language : kLanguages) {
    if (code == LanguageCode(language)) return language;
  }
  return std::nullopt;
}

Language ChooseLanguage(const LanguagePreferences& wishes) {
  for (std::string_view wish : {wishes.query, wishes.cookie, wishes.account}) {
    if (std::optional<Language> language = ParseLanguage(wish)) return *language;
  }
  return BestAccepted(wishes.accept);
}

}  // namespace koya::web
