#include "web/common/words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "web/common/embedded.h"

namespace koya::web {
namespace {

std::set<std::string> Placeholders(std::string_view text) {
  std::set<std::string> names;
  for (const WordPiece& piece : WordPieces(text)) {
    if (piece.placeholder) names.insert(std::string(piece.text));
  }
  return names;
}

std::set<std::string> CodePieces(std::string_view text) {
  std::set<std::string> pieces;
  for (const WordPiece& piece : WordPieces(text)) {
    if (piece.code) pieces.insert(std::string(piece.text));
  }
  return pieces;
}

TEST(WordsTest, HaveTheSameKeysPlaceholdersAndCodeInEveryLanguage) {
  const WordTable& english = WordsOf(Language::kEnglish);
  for (Language language : kLanguages) {
    const WordTable& words = WordsOf(language);
    for (const auto& [key, text] : words) {
      EXPECT_TRUE(english.contains(key)) << LanguageCode(language) << " alone has " << key;
    }
    for (const auto& [key, text] : english) {
      auto other = words.find(key);
      ASSERT_NE(other, words.end()) << LanguageCode(language) << " lacks " << key;
      EXPECT_EQ(Placeholders(text), Placeholders(other->second)) << key;
      EXPECT_EQ(CodePieces(text), CodePieces(other->second)) << key;
    }
  }
}

TEST(WordsTest, AreWrittenAsTheirLanguageIs) {
  for (Language language : {Language::kJapanese, Language::kChinese}) {
    for (const auto& [key, text] : WordsOf(language)) {
      EXPECT_TRUE(IsPlainText(text)) << key;
      for (std::string_view half_width : {"(", ")", ", ", ": ", "?", "!"}) {
        bool elsewhere = key == "first_run.token_hint";  // quotes what a program prints
        EXPECT_TRUE(elsewhere || !text.contains(half_width)) << key << ": " << text;
      }
    }
  }
}

// Every word is used: by a template, or by the code that formats times.
TEST(WordsTest, AreAllUsed) {
  std::string templates;
  for (const EmbeddedFile& file : EmbeddedTemplates()) templates += file.bytes;
  for (const auto& [key, text] : WordsOf(Language::kEnglish)) {
    bool used = templates.contains(fmt::format("[[{}]]", key)) ||
                templates.contains(fmt::format("[[={}]]", key)) ||
                templates.contains(fmt::format("[[~{}]]", key));
    bool asked_for = key.starts_with("time.") || key.starts_with("note.") ||
                     key.starts_with("module.readme_fold") || key.starts_with("say.") ||
                     key.starts_with("form.") || key.starts_with("refused.") ||
                     key.starts_with("confirm.") || key.starts_with("did.");
    EXPECT_TRUE(used || asked_for) << key;
  }
}

TEST(WordsTest, ReadsKeysAndTexts) {
  auto words = ParseWords("# a remark\n\na.b = c = d\nx_1 = {n} of `x {m}`\n");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->size(), 2U);
  EXPECT_EQ(words->at("a.b"), "c = d");
  EXPECT_EQ(
      WordPieces(words->at("x_1")),
      (std::vector<WordPiece>{
          {"n", true, false}, {" of ", false, false}, {"x ", false, true}, {"m", true, true}}));
}

TEST(WordsTest, RefusesWhatIsNoWord) {
  for (std::string_view line :
       {"a",          "a =",     "a = ",     "a= b",     "a =b",    " = b",
        "A = b",      "a b = c", "a =  b",   "a = b ",   "a = b\r", "a = {",
        "a = }",      "a = {}",  "a = {B}",  "a = {b",   "a = b}",  "a = {{b}}",
        "a = {a`b`}", "a = `b",  "a = {:a}", "a = {a:}", "a = ```", "a = b\na = c"}) {
    auto words = ParseWords(line);
    ASSERT_FALSE(words) << line;
    EXPECT_TRUE(words.error().message.starts_with("line ")) << words.error().message;
  }
}

TEST(WordsTest, ThrowsForWhatNobodyWrote) {
  EXPECT_THROW(Word(Language::kEnglish, "no.such"), std::logic_error);
  EXPECT_THROW(FilledWord(Language::kEnglish, "time.date", {}), std::logic_error);
}

TEST(TimeWordsTest, Dates) {
  EXPECT_EQ(DateText(Language::kEnglish, 1794960000), "18 Nov 2026");
  EXPECT_EQ(DateText(Language::kJapanese, 1794960000), "2026年11月18日");
  EXPECT_EQ(DateText(Language::kChinese, 1794960000 + 86399), "2026年11月18日");
  EXPECT_EQ(DateText(Language::kEnglish, 0), "1 Jan 1970");
  EXPECT_EQ(DateText(Language::kEnglish, -1), "31 Dec 1969");
}

TEST(TimeWordsTest, Durations) {
  struct Row {
    std::int64_t seconds;
    std::string_view english;
    std::string_view japanese;
  };
  for (const Row& row :
       {Row{90 * 86400, "90 days", "90日"}, Row{86400, "1 day", "1日"},
        Row{86401, "25 hours", "25時間"}, Row{36 * 3600, "36 hours", "36時間"},
        Row{3600, "1 hour", "1時間"}, Row{3601, "61 minutes", "61分"}, Row{60, "1 minute", "1分"},
        Row{90, "90 seconds", "90秒"}, Row{119, "119 seconds", "119秒"},
        Row{121, "3 minutes", "3分"}, Row{1, "1 second", "1秒"}, Row{0, "1 second", "1秒"},
        Row{-5, "1 second", "1秒"}}) {
    std::chrono::seconds duration(row.seconds);
    EXPECT_EQ(DurationText(Language::kEnglish, duration), row.english);
    EXPECT_EQ(DurationText(Language::kJapanese, duration), row.japanese);
  }
}

}  // namespace
}  // namespace koya::web
