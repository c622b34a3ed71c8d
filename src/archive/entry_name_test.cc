#include "archive/entry_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace koya {
namespace {

struct Accepted {
  std::string raw;
  std::string_view path;
};

TEST(EntryNameTest, AcceptsPlainRelativeNames) {
  const std::vector<Accepted> kAccepted = {
      {"main.tf", "main.tf"},
      {"./main.tf", "main.tf"},
      {"modules/a/main.tf", "modules/a/main.tf"},
      {"modules/", "modules"},
      {"./modules/", "modules"},
      {".", ""},
      {"./", ""},
      {".hidden", ".hidden"},
      {"...", "..."},
      {"..data/x", "..data/x"},
      {"a..b", "a..b"},
      {"a b/ü/日本.tf", "a b/ü/日本.tf"},
      {"ab:c", "ab:c"},
      {"1:x", "1:x"},
      {std::string(255, 'a'), std::string_view()},
      {std::string(255, 'a') + "/" + std::string(255, 'b'), std::string_view()},
  };
  for (const Accepted& row : kAccepted) {
    auto path = ParseEntryName(row.raw);
    ASSERT_TRUE(path) << row.raw << ": " << path.error().message;
    EXPECT_EQ(*path, row.raw.size() >= 255 ? std::string_view(row.raw) : row.path);
  }
  std::string longest = std::string(255, 'a') + "/" + std::string(255, 'b') + "/" +
                        std::string(255, 'c') + "/" + std::string(255, 'd') + "/";
  EXPECT_TRUE(ParseEntryName(longest));
}

struct Refused {
  std::string raw;
  std::string_view message_part;
};

TEST(EntryNameTest, RefusesTheRestNamingTheEntryAndTheRule) {
  const std::vector<Refused> kRefused = {
      {"", "without a name"},
      {"/", "absolute"},
      {"/etc/passwd", "absolute"},
      {"//server/share", "absolute"},
      {"..", "\"..\""},
      {"../x", "\"..\""},
      {"a/../b", "\"..\""},
      {"a/..", "\"..\""},
      {"a/../", "\"..\""},
      {"./..", "\"..\""},
      {"./../x", "\"..\""},
      {"a/./b", "\".\" segment"},
      {"a/.", "\".\" segment"},
      {"././a", "\".\" segment"},
      {"a//b", "\"//\""},
      {".//a", "\"//\""},
      {"a//", "\"//\""},
      {"a\\b", "backslash"},
      {"..\\x", "backslash"},
      {"C:\\x", "backslash"},
      {"C:/x", "drive letter"},
      {"c:x", "drive letter"},
      {std::string("a\0b", 3), "control character"},
      {"a\nb", "control character"},
      {"a\rb", "control character"},
      {"\x1b[31m", "control character"},
      {"a\x7f", "control character"},
      {"caf\xe9.tf", "not UTF-8"},
      {"\xc0\xae\xc0\xae/x", "not UTF-8"},
      {"\xed\xa0\x80", "not UTF-8"},
      {std::string(1025, 'a'), "at most 1024"},
      {std::string(256, 'a'), "at most 255"},
      {"a/" + std::string(256, 'b') + "/c", "at most 255"},
  };
  for (const Refused& row : kRefused) {
    auto path = ParseEntryName(row.raw);
    ASSERT_FALSE(path) << row.raw;
    EXPECT_EQ(path.error().kind, ErrorKind::kRefused);
    EXPECT_NE(path.error().message.find(row.message_part), std::string::npos)
        << row.raw << ": " << path.error().message;
    EXPECT_EQ(path.error().message.find('\n'), std::string::npos);
  }
}

TEST(FoldCaseTest, IsAlikeForWhatIsOneFileElsewhere) {
  const std::vector<Accepted> kAlike = {
      {"MAIN.tf", "main.tf"},
      {"ÄÖÜß×Þ", "äöüß×þ"},
      {"ΑΣΩ", "ασω"},
      {"ЖЯЁ", "жяё"},
      {"Ž", "ž"},
      {"Ḁ", "ḁ"},
      {"Ա", "ա"},
      {"Ａ", "ａ"},
      {"caf\u00e9", "cafe\u0301"},
      {"a/B/C.TF", "a/b/c.tf"},
      {"", ""},
  };
  for (const Accepted& row : kAlike) EXPECT_EQ(FoldCase(row.raw), FoldCase(row.path)) << row.raw;
  const std::vector<Accepted> kOthers = {{"日本", "日木"}, {"ÿ", "y"}, {"Straße", "Strasse"},
                                         {"Ａ", "a"},      {"i", "ı"}, {"é", "e"}};
  for (const Accepted& row : kOthers) EXPECT_NE(FoldCase(row.raw), FoldCase(row.path)) << row.raw;
}

TEST(WindowsProblemTest, NamesWhatCannotBeWrittenThere) {
  for (std::string_view bad :
       {"a:b.md", "docs/what?.md", "a|b", "a*", "<a>", "\"a\"", "trail.", "one /main.tf", "aux",
        "docs/aux.md", "CON.tar.gz", "nul", "Com1.md", "lpt9", "aux .md"}) {
    EXPECT_NE(WindowsProblem(bad), "") << bad;
  }
  for (std::string_view good :
       {"", "main.tf", "auxiliary.tf", "com.md", "com0", "com10", "lpt", "console", "a b/c d.md",
        ".terraform.lock.hcl", "..a", "ä.md", "a'b", "#a", "x.aux"}) {
    EXPECT_EQ(WindowsProblem(good), "") << good;
  }
}

TEST(MacNoiseTest, IsWhatMacPackersAddAtTheTop) {
  for (std::string_view noise : {"__MACOSX", "__MACOSX/v/._main.tf", ".DS_Store", "._vpc"}) {
    EXPECT_TRUE(IsMacNoise(noise)) << noise;
  }
  for (std::string_view other : {"main.tf", "v/._main.tf", "__MACOS", "v/__MACOSX", ".DS", "."}) {
    EXPECT_FALSE(IsMacNoise(other)) << other;
  }
}

}  // namespace
}  // namespace koya
