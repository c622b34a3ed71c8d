#include "wire/record_lines.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace koya::wire {
namespace {

TEST(RecordLines, AreReadAsTheyWereWritten) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const struct {
    RecordItem item;
    const char* line;
  } kCases[] = {
      {RecordTable{"account", {"admin", "id"}},
       "{\"table\":\"account\",\"columns\":[\"admin\",\"id\"]}\n"},
      {RecordRow{std::int64_t{1}, "ada", RecordValue()}, "[1,\"ada\",null]\n"},
      {RecordRow{kLeast, kMost}, "[-9223372036854775808,9223372036854775807]\n"},
      {RecordRow{"", "1", "null"}, "[\"\",\"1\",\"null\"]\n"},
      {RecordRow{"a\"b\\c\nd\te\x01", "\u732b"}, "[\"a\\\"b\\\\c\\nd\\te\\u0001\",\"\u732b\"]\n"},
  };
  for (const auto& each : kCases) {
    std::string line;
    AppendRecordLine(each.item, line);
    EXPECT_EQ(line, each.line);
    line.pop_back();
    Result<RecordItem> read = ParseRecordLine(line);
    ASSERT_TRUE(read) << line;
    EXPECT_TRUE(*read == each.item) << line;
    EXPECT_EQ(IsTableLine(line), std::holds_alternative<RecordTable>(each.item));
  }
}

TEST(RecordLines, OtherLinesAreRejected) {
  for (const char* line :
       {"", " ", "x", "[1", "[1]]", "1", "\"a\"", "null", "[1.5]", "[true]", "[[1]]", "[{}]",
        "[18446744073709551615]", "{}", R"({"table":"a"})", R"({"table":1,"columns":[]})",
        R"({"table":"a","columns":[1]})", R"({"table":"a","columns":{}})", "[\"\xff\"]"}) {
    EXPECT_FALSE(ParseRecordLine(line)) << line;
  }
}

}  // namespace
}  // namespace koya::wire
