// SHA256SUMS documents: which are accepted, which are not, and the reported problems.
#include "signing/sha256sums.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace koya::signing {
namespace {

const std::string kHexA(64, 'a');
const std::string kHex0 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

std::string Line(std::string_view name, std::string_view hex = kHexA) {
  return std::string(hex) + "  " + std::string(name) + "\n";
}

TEST(Sha256SumsTest, ReadsWhatEveryClientReadsAlike) {
  const std::string names[] = {"terraform-provider-demo_1.0.0_linux_amd64.zip",
                               "a",
                               "ü.zip",
                               "a*b",
                               "-",
                               "..",
                               std::string(255, 'n')};
  for (const std::string& name : names) {
    const SumsReading reading = ReadSums(Line("first", kHex0) + Line(name));
    ASSERT_TRUE(reading.problems.empty()) << name << ": " << reading.problems.front();
    ASSERT_EQ(reading.lines.size(), 2U) << name;
    EXPECT_EQ(reading.lines[0].digest.hex(), kHex0);
    EXPECT_EQ(reading.lines[1].name, name);
    EXPECT_EQ(reading.lines[1].digest.hex(), kHexA);
  }
}

struct Bad {
  std::string_view what;
  std::string text;
  std::string_view problem_part;
};

TEST(Sha256SumsTest, NamesWhatIsWrongAndWhere) {
  std::string upper = kHex0;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c == 'a' ? 'A' : c; });
  const Bad rows[] = {
      {"nothing", "", "is empty"},
      {"a byte-order mark", "\xEF\xBB\xBF" + Line("a"), "byte-order mark"},
      {"UTF-16", std::string("\xFF\xFE\x61\0\n", 5), "line 1 begins with 0 hexadecimal digits"},
      {"no line feed at the end", kHexA + "  a", "last line does not end"},
      {"a blank line at the end", Line("a") + "\n", "line 2 is blank"},
      {"a blank line between", Line("a") + "\n" + Line("b"), "line 2 is blank"},
      {"a line of spaces", Line("a") + "  \t\n", "line 2 is blank"},
      {"only a line feed", "\n", "line 1 is blank"},
      {"CR LF", kHexA + "  a\r\n", "line 1 ends with CR LF"},
      {"a blank CR LF line", Line("a") + "\r\n", "line 2 is blank"},
      {"a binary marker", kHexA + " *a\n", "line 1 has \"*\" before the name"},
      {"a binary marker after two spaces", kHexA + "  *a\n", "line 1 has \"*\" before the name"},
      {"one space", kHexA + " a\n", "exactly two spaces"},
      {"three spaces", kHexA + "   a\n", "exactly two spaces"},
      {"a tab", kHexA + "\ta\n", "exactly two spaces"},
      {"two spaces and a tab", kHexA + "  \ta\n", "exactly two spaces"},
      {"a digest alone", kHexA + "\n", "exactly two spaces"},
      {"no name", kHexA + "  \n", "line 1 has no file name"},
      {"upper-case digits", Line("a", upper), "upper-case digits"},
      {"63 digits", Line("a", kHexA.substr(1)), "begins with 63 hexadecimal digits"},
      {"65 digits", Line("a", kHexA + "a"), "begins with 65 hexadecimal digits"},
      {"a prefix", Line("a", "sha256:" + kHexA), "begins with 0 hexadecimal digits"},
      {"a space before", " " + Line("a"), "begins with 0 hexadecimal digits"},
      {"BSD form", "SHA256 (a) = " + kHexA + "\n", "begins with 0 hexadecimal digits"},
      {"a comment", "# sums\n" + Line("a"), "line 1 begins with 0"},
      {"a folder", Line("./a"), "names a file in a folder"},
      {"a backslash", Line("dist\\a"), "names a file in a folder"},
      {"a control character", Line("a\x01"), "control character"},
      {"NUL", Line(std::string("a\0b", 3)), "control character"},
      {"a tab in the name", Line("a\tb"), "control character"},
      {"a space in the name", Line("a b"), "white space"},
      {"a space after the name", Line("a "), "white space"},
      {"a no-break space", Line("a\xC2\xA0"), "white space"},
      {"not UTF-8", Line("a\xFF"), "not UTF-8"},
      {"a long name", Line(std::string(256, 'n')), "a name of 256 bytes"},
      {"a name twice", Line("b") + Line("a") + Line("b", kHex0),
       "line 3 names \"b\" again, which line 1 does already"},
      {"too long", std::string(kMaxSums + 1, 'a'), "the limit is 1048576"},
  };
  for (const Bad& row : rows) {
    const SumsReading reading = ReadSums(row.text);
    ASSERT_EQ(reading.problems.size(), 1U) << row.what;
    EXPECT_TRUE(reading.problems[0].contains(row.problem_part))
        << row.what << ": " << reading.problems[0];
  }
}

TEST(Sha256SumsTest, KeepsTheGoodLinesBesideTheBad) {
  const SumsReading reading = ReadSums("x\n" + Line("a") + "\n" + Line("b") + Line("a"));
  EXPECT_EQ(reading.problems.size(), 3U);
  ASSERT_EQ(reading.lines.size(), 2U);
  EXPECT_EQ(reading.lines[0].name, "a");
  EXPECT_EQ(reading.lines[1].name, "b");
}

TEST(Sha256SumsTest, TellsTwentyProblemsAndCountsTheRest) {
  for (const std::size_t bad : {20U, 21U, 500U}) {
    std::string text;
    for (std::size_t i = 0; i < bad; ++i) text += "x\n";
    const SumsReading reading = ReadSums(text);
    ASSERT_EQ(reading.problems.size(), bad > 20 ? 21U : 20U);
    if (bad > 20) {
      EXPECT_EQ(reading.problems.back(), "and " + std::to_string(bad - 20) + " more problems");
    }
  }
}

TEST(Sha256SumsTest, WritesSortedByNameAndReadsItBack) {
  const SumsLine lines[] = {{Digest::Of("2"), "b"}, {Digest::Of("1"), "a"}, {Digest::Of("3"), "B"}};
  const std::string text = WriteSums(lines);
  const SumsReading reading = ReadSums(text);
  EXPECT_TRUE(reading.problems.empty());
  ASSERT_EQ(reading.lines.size(), 3U);
  EXPECT_EQ(reading.lines[0], lines[2]);
  EXPECT_EQ(reading.lines[1], lines[1]);
  EXPECT_EQ(reading.lines[2], lines[0]);
  EXPECT_EQ(WriteSums(reading.lines), text);
  EXPECT_EQ(WriteSums({}), "");
}

}  // namespace
}  // namespace koya::signing
