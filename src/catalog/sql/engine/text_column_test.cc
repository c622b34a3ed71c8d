#include "catalog/sql/engine/text_column.h"

#include <gtest/gtest.h>

#include <utility>

namespace koya::sql {
namespace {

using Texts = std::vector<std::string>;

TEST(TextColumnTest, AListComesBackAsItWas) {
  const std::pair<Texts, std::string> kCases[] = {
      {{}, ""},
      {{""}, "\n"},
      {{"", ""}, "\n\n"},
      {{"linux_amd64", "linux_arm64"}, "linux_amd64\nlinux_arm64\n"},
      {{"two\nlines", "100%"}, "two%0Alines\n100%25\n"},
      {{"%0A", "a\r\tb\x7f"}, "%250A\na%0D%09b%7F\n"},
      {{std::string("\0", 1)}, "%00\n"},
      {{"J\xfcrgen", "Jürgen 豆腐"}, "J%FCrgen\nJürgen 豆腐\n"}};
  for (const auto& [list, text] : kCases) {
    EXPECT_EQ(JoinList(list), text);
    EXPECT_TRUE(IsStorable(JoinList(list)));
    auto back = SplitList(text);
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(*back, list);
  }
}

TEST(TextColumnTest, ABrokenListIsCorrupt) {
  for (const char* text : {"a", "a\nb", "%\n", "%4\n", "%4g\n", "%-1\n", "a%\n41\n", "% 1\n"}) {
    auto list = SplitList(text);
    ASSERT_FALSE(list) << text;
    EXPECT_EQ(list.error().kind, ErrorKind::kCorrupt);
    EXPECT_EQ(list.error().detail, "a list with a broken line");
  }
}

TEST(TextColumnTest, WhatPostgresqlRefusesIsRefused) {
  for (const char* good : {"", "a", "é 豆腐", "two\nlines"}) {
    EXPECT_TRUE(CheckStorable("the name", good)) << good;
  }
  for (const std::string& bad : {std::string("\xff"), std::string("a\0b", 3),
                                 std::string("\xed\xa0\x80"), std::string("cut \xc3")}) {
    Status status = CheckStorable("the name", bad);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid);
    EXPECT_TRUE(status.error().message.starts_with("the name must be UTF-8 text without NUL"))
        << status.error().message;
  }
}

TEST(TextColumnTest, AListParameterIsJson) {
  const std::pair<Texts, std::string> kCases[] = {
      {{}, "[]"},
      {{""}, R"([""])"},
      {{"acme", "größe 豆腐"}, R"(["acme","größe 豆腐"])"},
      {{"a\"b", "a\\b", "\\\""}, R"(["a\"b","a\\b","\\\""])"},
      {{"two\nlines", "\x01\x1f\x7f"}, "[\"two\\u000alines\",\"\\u0001\\u001f\x7f\"]"}};
  for (const auto& [list, text] : kCases) EXPECT_EQ(JsonList(list), text);
  EXPECT_EQ(JsonRows({}), "[]");
  EXPECT_EQ(JsonRows(std::vector<std::string>{JsonList({}), "[\"a\",\"b\"]"}),
            "[[],[\"a\",\"b\"]]");
}

}  // namespace
}  // namespace koya::sql
