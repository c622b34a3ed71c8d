#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

namespace koya {
namespace {

TEST(TextTest, FoldsAsciiOnly) {
  EXPECT_EQ(AsciiLower("AbC-Ä"), "abc-Ä");
  EXPECT_TRUE(EqualsIgnoreCase("Acme", "aCME"));
  EXPECT_FALSE(EqualsIgnoreCase("acme", "acm"));
}

// Each byte counts, wherever it stands, and so does the seed.
TEST(HashTextTest, TellsTextsApart) {
  std::unordered_set<std::uint64_t> seen;
  std::size_t texts = 0;
  for (std::size_t size = 0; size < 70; ++size) {
    std::string text(size, 'a');
    seen.insert(HashText(text, 7));
    ++texts;
    for (char& c : text) {
      for (const char other : {'b', 'A', '\0'}) {
        const char before = std::exchange(c, other);
        seen.insert(HashText(text, 7));
        ++texts;
        c = before;
      }
    }
  }
  EXPECT_EQ(seen.size(), texts);
  EXPECT_EQ(HashText("/v1/modules", 7), HashText("/v1/modules", 7));
  EXPECT_NE(HashText("/v1/modules", 7), HashText("/v1/modules", 8));
  EXPECT_NE(RandomHashSeed(), RandomHashSeed());
}

TEST(NearestWordTest, FindsATypoButNotAStranger) {
  constexpr std::array<std::string_view, 3> kWords{"server.listen", "server.url", "catalog.url"};
  EXPECT_EQ(NearestWord("server.lisen", kWords), "server.listen");
  EXPECT_EQ(NearestWord("catalogue.url", kWords), "catalog.url");
  EXPECT_EQ(NearestWord("zzzzzz", kWords), "");
}

TEST(CountCharactersTest, CountsCodePointsNotBytes) {
  EXPECT_EQ(CountCharacters(""), 0U);
  EXPECT_EQ(CountCharacters("vpc"), 3U);
  EXPECT_EQ(CountCharacters("é 日本"), 4U);
  EXPECT_EQ(CountCharacters("\xF0\x9F\x99\x82"), 1U);  // beyond the basic plane
  EXPECT_EQ(CountCharacters("e\xCC\x81"), 2U);         // a letter and its accent
}

TEST(IsPlainTextTest, TakesWhatPeopleWrite) {
  for (std::string_view good : {"", "a VPC", "line\n\tindented", "é 日本"}) {
    EXPECT_TRUE(IsPlainText(good)) << good;
  }
  for (std::string_view bad :
       {std::string_view("a\0b", 3), std::string_view("\x1b[31m"), std::string_view("\x7f"),
        std::string_view("\xff"), std::string_view("a\rb")}) {
    EXPECT_FALSE(IsPlainText(bad)) << Printable(bad);
  }
}

TEST(PrintableTest, ShowsControlAndBrokenBytes) {
  EXPECT_EQ(Printable("plain é 日本"), "plain é 日本");
  EXPECT_EQ(Printable("a\nb\x1b[0m"), "a\\x0ab\\x1b[0m");
  EXPECT_EQ(Printable("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(Printable(std::string(300, 'x'), 10), "xxxxxxxxxx…");
}

TEST(Utf8Test, KnowsWellFormedText) {
  for (std::string_view good : {"", "plain", "é", "日本", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (std::string_view bad : {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_FALSE(IsUtf8(bad)) << Printable(bad);
  }
}

TEST(ListedTest, NamesTheFirstAndCountsTheRest) {
  std::vector<std::string> names{"a", "b", "c", "d"};
  EXPECT_EQ(Listed(names, 2), "a, b and 2 more");
  EXPECT_EQ(Listed(names, 4), "a, b, c, d");
  EXPECT_EQ(Listed(names, 9), "a, b, c, d");
  EXPECT_EQ(Listed(std::span(names).first(1), 1), "a");
  EXPECT_EQ(Listed({}, 3), "");
}

}  // namespace
}  // namespace koya
