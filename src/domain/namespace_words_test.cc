#include "domain/namespace_record.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace koya {
namespace {

std::string Repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct Taken {
  std::string text;
  std::string kept;
};
struct RefusedWords {
  std::string text;
  std::string told;
};

TEST(NamespaceWordsTest, TitlesAreALine) {
  const std::vector<Taken> kTaken = {
      {"", ""},
      {" \r\n\t", ""},
      {"Platform team", "Platform team"},
      {"  Platform team\n", "Platform team"},
      {"<b>&amp; \"quotes\" '$HOME'", "<b>&amp; \"quotes\" '$HOME'"},
      {"共通基盤", "共通基盤"},
      {"منصة", "منصة"},
      {Repeated("a", 80), Repeated("a", 80)},
      {Repeated("豆", 80), Repeated("豆", 80)},
      {Repeated("\U0001F4E6", 80), Repeated("\U0001F4E6", 80)},
  };
  for (const Taken& each : kTaken) {
    Result<std::string> title = ParseNamespaceTitle(each.text);
    ASSERT_TRUE(title) << each.text << ": " << title.error().message;
    EXPECT_EQ(*title, each.kept);
  }
}

TEST(NamespaceWordsTest, WhatIsNoTitleIsRefused) {
  const std::vector<RefusedWords> kRefused = {
      {"two\nlines", "is one line"},
      {"two\r\nlines", "is one line"},
      {"old\rlines", "is one line"},
      {"a\ttab", "without tabs"},
      {Repeated("a", 81), "has 81 characters, and 80 at most"},
      {Repeated("豆", 81), "has 81 characters, and 80 at most"},
      {Repeated("a", 100000), "has 100000 characters"},
      {std::string("a\0b", 3), "leave out control characters"},
      {"a\x1B[31m", "leave out control characters"},
      {"a\x7F", "leave out control characters"},
      {"a\xC2\x9B"
       "31m",
       "leave out control characters"},
      {"a\xFF", "plain text in UTF-8"},
      {"a\xE8\xB1", "plain text in UTF-8"},
  };
  for (const RefusedWords& each : kRefused) {
    Result<std::string> title = ParseNamespaceTitle(each.text);
    ASSERT_FALSE(title) << each.text;
    EXPECT_EQ(title.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(title.error().message.starts_with("the title of a namespace"));
    EXPECT_TRUE(title.error().message.contains(each.told)) << title.error().message;
  }
}

TEST(NamespaceWordsTest, DescriptionsAreSomeLines) {
  const std::vector<Taken> kTaken = {
      {"", ""},
      {"\n \r\n", ""},
      {"One line.", "One line."},
      {"One.\nTwo.", "One.\nTwo."},
      {"One.\r\nTwo.\r\n\r\nThree.\r\n", "One.\nTwo.\n\nThree."},
      {"a\ttab", "a\ttab"},
      {"ネットワークとDNS。\n質問は #platform へ。", "ネットワークとDNS。\n質問は #platform へ。"},
      {Repeated("a", 500), Repeated("a", 500)},
      {Repeated("豆", 500), Repeated("豆", 500)},
      {"é\xC2\xA0"
       "à",
       "é\xC2\xA0"
       "à"},
  };
  for (const Taken& each : kTaken) {
    Result<std::string> description = ParseNamespaceDescription(each.text);
    ASSERT_TRUE(description) << each.text << ": " << description.error().message;
    EXPECT_EQ(*description, each.kept);
  }
}

TEST(NamespaceWordsTest, WhatIsNoDescriptionIsRefused) {
  const std::vector<RefusedWords> kRefused = {
      {Repeated("a", 501), "has 501 characters, and 500 at most"},
      {Repeated("豆", 501), "has 501 characters, and 500 at most"},
      {Repeated("a\n", 251), "has 501 characters"},
      {"old\rlines", "leave out control characters"},
      {std::string("a\0", 2), "leave out control characters"},
      {"\x1B]0;title\x07", "leave out control characters"},
      {"a\x7F"
       "b",
       "leave out control characters"},
      {"a\xC2\x85"
       "b",
       "leave out control characters"},
      {"\xC3\x28", "plain text in UTF-8"},
      {"\xED\xA0\x80", "plain text in UTF-8"},
  };
  for (const RefusedWords& each : kRefused) {
    Result<std::string> description = ParseNamespaceDescription(each.text);
    ASSERT_FALSE(description) << each.text;
    EXPECT_EQ(description.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(description.error().message.starts_with("the description of a namespace"));
    EXPECT_TRUE(description.error().message.contains(each.told)) << description.error().message;
  }
}

TEST(NamespaceWordsTest, WhatIsNotSaidStays) {
  const NamespaceWords before{.title = "Old", .description = "Once."};
  EXPECT_EQ(NamespaceWordsChange().AppliedTo(before), before);
  EXPECT_TRUE(NamespaceWordsChange().empty());
  EXPECT_EQ(NamespaceWordsChange{.title = "New"}.AppliedTo(before),
            (NamespaceWords{.title = "New", .description = "Once."}));
  const NamespaceWordsChange removal{.description = ""};
  EXPECT_FALSE(removal.empty());
  EXPECT_EQ(removal.AppliedTo(before), (NamespaceWords{.title = "Old"}));
}

}  // namespace
}  // namespace koya
