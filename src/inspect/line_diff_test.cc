#include "inspect/line_diff.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace koya::inspect {
namespace {

constexpr std::uint64_t kAmple = 10'000'000;

// "@1,1| a|-b|+c"; "!" after a last line without a line break.
std::string Told(std::string_view from, std::string_view to) {
  std::uint64_t steps = kAmple;
  const std::optional<LineDiff> diff = DiffLines(from, to, steps);
  if (!diff) return "too long";
  std::string told;
  for (const DiffHunk& hunk : diff->hunks) {
    told += fmt::format("@{},{}", hunk.from_line, hunk.to_line);
    for (const DiffedLine& line : hunk.lines) {
      told += fmt::format("|{}{}{}", static_cast<char>(line.sign), line.text,
                          line.is_unended ? "!" : "");
    }
  }
  return told;
}

TEST(LineDiffTest, ShowsTheFewestLines) {
  struct Case {
    std::string_view from;
    std::string_view to;
    std::string_view told;
  };
  for (const Case& each :
       {Case{"", "", ""}, Case{"a\n", "a\n", ""}, Case{"", "a\nb\n", "@1,1|+a|+b"},
        Case{"a\nb\n", "", "@1,1|-a|-b"}, Case{"a\nb\nc\n", "a\nx\nc\n", "@1,1| a|-b|+x| c"},
        Case{"a\n", "a", "@1,1|-a|+a!"}, Case{"a\r\n", "a\n", "@1,1|-a\r|+a"},
        Case{"x\nx\nx\n", "x\nx\n", "@1,1| x| x|-x"},
        Case{"a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", "@1,1|-a|-b| c|+b| a| b|-b| a|+c"},
        Case{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
             "@2,2| 2| 3| 4|-5|+x| 6| 7| 8"},
        Case{"a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
             "@1,1|-a|+A| 1| 2| 3| 4| 5| 6|-b|+B"},
        Case{"a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
             "@1,1|-a|+A| 1| 2| 3@6,6| 5| 6| 7|-b|+B"}}) {
    EXPECT_EQ(Told(each.from, each.to), each.told) << each.from;
  }
}

// Removing and adding the lines of the diff gives the second text, whatever the two are.
TEST(LineDiffTest, LeadsFromTheFirstTextToTheSecond) {
  std::mt19937 random(7);
  const auto any_text = [&random] {
    std::string text;
    for (std::uint32_t lines = random() % 40; lines > 0; --lines) {
      text += fmt::format("{}\n", random() % 6);
    }
    return text;
  };
  for (int round = 0; round < 500; ++round) {
    const std::string from = any_text();
    const std::string to = any_text();
    std::uint64_t steps = kAmple;
    const std::optional<LineDiff> diff = DiffLines(from, to, steps);
    ASSERT_TRUE(diff);
    std::string made;
    std::size_t next = 0;  // byte of `from`
    std::size_t line_number = 1;
    const auto take = [&] {
      const std::size_t end = from.find('\n', next) + 1;
      std::string line = from.substr(next, end - next);
      next = end;
      ++line_number;
      return line;
    };
    for (const DiffHunk& hunk : diff->hunks) {
      while (line_number < hunk.from_line) made += take();
      for (const DiffedLine& line : hunk.lines) {
        if (line.sign != LineSign::kAdded) {
          const std::string own = take();
          ASSERT_EQ(own, std::string(line.text) + "\n");
        }
        if (line.sign != LineSign::kRemoved) made += std::string(line.text) + "\n";
      }
    }
    while (next < from.size()) made += take();
    ASSERT_EQ(made, to) << from;
  }
}

TEST(LineDiffTest, StopsWhereItWouldTakeTooLong) {
  std::string from;
  std::string to;
  for (int i = 0; i < 3000; ++i) {
    from += fmt::format("{}\n", i % 7);
    to += fmt::format("{}\n", (i * i) % 5);
  }
  std::uint64_t steps = 1000;
  EXPECT_FALSE(DiffLines(from, to, steps));
  EXPECT_EQ(steps, 0U);
  EXPECT_EQ(Told(std::string(200'001, '\n'), ""), "too long");
  // Lines that the other text lacks take no steps.
  std::string other;
  for (int i = 0; i < 100'000; ++i) other += fmt::format("x{}\n", i);
  steps = 10;
  const auto replaced = DiffLines(from, other, steps);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->added, 100'000U);
  EXPECT_EQ(replaced->removed, 3000U);
}

}  // namespace
}  // namespace koya::inspect
