// The languages of the pages, and which of them a reader gets.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace koya::web {

enum class Language { kEnglish, kJapanese, kChinese };

inline constexpr std::array kLanguages{Language::kEnglish, Language::kJapanese, Language::kChinese};

// What ?lang= and the cookie `lang` say, and what the file of words is named: "en", "ja", "zh".
std::string_view LanguageCode(Language language);

// The language tag of <html lang>: "en", "ja", "zh-Hans".
std::string_view LanguageTag(Language language);

// The language's name in itself: "日本語".
std::string_view LanguageName(Language language);

// Takes a LanguageCode; anything else is nullopt.
std::optional<Language> ParseLanguage(std::string_view code);

// Where a wish for a language can come from; "" where none was made.
struct LanguageWishes {
  std::string_view query;    // the value of ?lang=
  std::string_view cookie;   // the value of the cookie `lang`
  std::string_view account;  // what the account's settings say
  std::string_view accept;   // the field Accept-Language (RFC 9110 §12.5.4)
};

// The first of query, cookie and account that names a language of ours; else the best of
// Accept-Language, by its q-values and then by their order, where "zh-TW" and "ja-JP" count as "zh"
// and "ja"; else English. What cannot be read is passed over.
Language ChooseLanguage(const LanguageWishes& wishes);

}  // namespace koya::web
