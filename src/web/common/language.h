// The languages of the pages, and the choice among them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace koya::web {

enum class Language { kEnglish, kJapanese, kChinese };

inline constexpr std::array kLanguages{Language::kEnglish, Language::kJapanese, Language::kChinese};

// The value of ?lang= and of the cookie `lang`, and the name of the file of words: "en", "ja",
// "zh".
std::string_view LanguageCode(Language language);

// The language tag of <html lang>: "en", "ja", "zh-Hans".
std::string_view LanguageTag(Language language);

// The language's own name: "日本語".
std::string_view LanguageName(Language language);

// Takes a LanguageCode; anything else is nullopt.
std::optional<Language> ParseLanguage(std::string_view code);

// Sources of a language preference; "": no preference.
struct LanguagePreferences {
  std::string_view query;    // the value of ?lang=
  std::string_view cookie;   // the value of the cookie `lang`
  std::string_view account;  // from the account's settings
  std::string_view accept;   // the field Accept-Language (RFC 9110 §12.5.4)
};

// The first of query, cookie and account that names a supported language; else the best of
// Accept-Language, by q-value and then by order, where "zh-TW" and "ja-JP" count as "zh" and "ja";
// else English. Unparsable parts are ignored.
Language ChooseLanguage(const LanguagePreferences& wishes);

}  // namespace koya::web
