#include "obs/log.h"

#include <gtest/gtest.h>

#include <string>

#include "obs/json_line.h"
#include "obs/log_capture_fake.h"

namespace koya {
namespace {

using boost::json::object;

TEST(LoggerTest, WritesOneJsonObjectALine) {
  LogCapture capture;
  Logger log(capture.writer(), LogLevel::kInfo);
  log.Info("module published", {{"request_id", "r-1"},
                                {"bytes", std::uint64_t{1} << 63},
                                {"delta", -5},
                                {"ratio", 0.5},
                                {"fresh", true},
                                {"address", std::string("acme/vpc/aws")}});
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 1U);
  const object& line = lines[0];
  EXPECT_EQ(line.at("level"), "info");
  EXPECT_EQ(line.at("message"), "module published");
  EXPECT_EQ(line.at("request_id"), "r-1");
  EXPECT_EQ(line.at("bytes").as_uint64(), std::uint64_t{1} << 63);
  EXPECT_EQ(line.at("delta").as_int64(), -5);
  EXPECT_EQ(line.at("ratio").as_double(), 0.5);
  EXPECT_TRUE(line.at("fresh").as_bool());
  EXPECT_EQ(line.at("address"), "acme/vpc/aws");
  EXPECT_EQ(line.begin()->key(), "time");
  EXPECT_EQ(line.at("time").as_string().size(), std::string("2026-11-21T16:41:10.123Z").size());
}

TEST(LoggerTest, DropsWhatIsBelowTheLevel) {
  LogCapture capture;
  Logger log(capture.writer(), LogLevel::kWarning);
  log.Debug("no");
  log.Info("no");
  log.Warn("yes");
  log.Error("yes, too");
  auto lines = capture.Lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].at("level"), "warn");
  EXPECT_EQ(lines[1].at("level"), "error");
}

TEST(LoggerTest, AFailureCarriesKindMessageAndDetail) {
  struct {
    ErrorKind kind;
    std::string_view level;
  } cases[] = {{ErrorKind::kInternal, "error"},       {ErrorKind::kCorrupt, "error"},
               {ErrorKind::kUnavailable, "warn"},     {ErrorKind::kStorageFull, "warn"},
               {ErrorKind::kInvalid, "info"},         {ErrorKind::kNotFound, "info"},
               {ErrorKind::kUnauthenticated, "info"}, {ErrorKind::kTimeout, "info"}};
  for (const auto& [kind, level] : cases) {
    LogCapture capture;
    Logger log(capture.writer(), LogLevel::kDebug);
    log.Failure("request failed", Error{kind, "no such module", "select: busy"},
                {{"request_id", "x"}});
    auto lines = capture.Lines();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].at("level").as_string(), level) << ErrorKindName(kind);
    EXPECT_EQ(lines[0].at("kind").as_string(), ErrorKindName(kind));
    EXPECT_EQ(lines[0].at("error"), "no such module");
    EXPECT_EQ(lines[0].at("detail"), "select: busy");
    EXPECT_EQ(lines[0].at("request_id"), "x");
  }
}

TEST(LogLevelTest, NamesAreReadBackAndNothingElse) {
  for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    EXPECT_EQ(ParseLogLevel(LogLevelName(level)), level);
  }
  for (std::string_view bad : {"", "INFO", "warning", "trace", "info ", "1"}) {
    EXPECT_EQ(ParseLogLevel(bad), std::nullopt) << bad;
  }
}

std::string RoundTrip(std::string_view value) {
  JsonLine line;
  line.Text("v", value);
  std::string_view text = line.Finish();
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line, whatever the value holds";
  return std::string(boost::json::parse(text).at("v").as_string());
}

TEST(JsonLineTest, TextThatIsUtf8ComesBackUnchanged) {
  for (std::string_view value :
       {"", "plain", "say \"hi\"", "back\\slash", "line\nbreak\r\ttab", "\x01\x1f\x7f", "größe",
        "€", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF", "</script>"}) {
    EXPECT_EQ(RoundTrip(value), value);
  }
  EXPECT_EQ(RoundTrip(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
}

// A name that turns the rest of its line around says something else to who reads the log.
TEST(JsonLineTest, CharactersThatCannotBeSeenAreEscaped) {
  struct {
    std::string_view value;
    std::string_view written;                                   // "": as it is
  } cases[] = {{"a\xE2\x80\xAEz", "a\\u202ez"},                 // right-to-left override
               {"\xE2\x81\xA6\xE2\x81\xA9", "\\u2066\\u2069"},  // isolates
               {"\xE2\x80\x8F", "\\u200f"},
               {"\xE2\x80\xA8", "\\u2028"},  // a line's end
               {"\xD8\x9C", "\\u061c"},
               {"\xC2\x85", "\\u0085"},  // a control
               {"\xC2\x9B"
                "31m",
                "\\u009b31m"},
               {"\xEF\xBB\xBF", "\\ufeff"},
               {"\xE2\x80\x8A", ""},  // a thin blank
               {"\xE2\x80\x93", ""},  // a dash
               {"\xC2\xA0", ""},
               {"\xD8\xA7", ""},  // a letter
               {"\xE8\xB1\x86", ""}};
  for (const auto& [value, written] : cases) {
    EXPECT_EQ(RoundTrip(value), value);
    JsonLine line;
    line.Text("v", value);
    const std::string text(line.Finish());
    EXPECT_NE(text.find(written.empty() ? value : written), std::string::npos) << text;
    EXPECT_EQ(text.find(value) != std::string::npos, written.empty()) << text;
  }
}

TEST(JsonLineTest, BytesThatAreNotUtf8AreReplaced) {
  constexpr std::string_view kReplaced = "\xEF\xBF\xBD";
  for (std::string_view bad :
       {"\x80", "\xFF", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xE2\x82", "\xF0\x9F\x98"}) {
    std::string got = RoundTrip(std::string("a") + std::string(bad) + "z");
    EXPECT_EQ(got.front(), 'a');
    EXPECT_EQ(got.back(), 'z');
    EXPECT_NE(got.find(kReplaced), std::string::npos);
  }
}

TEST(JsonLineTest, EveryByteGivesValidJson) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      RoundTrip({bytes, 2});
    }
  }
}

TEST(JsonLineTest, LongValuesAreCutEvenInsideACharacter) {
  std::string got = RoundTrip(std::string(JsonLine::kMaxValue - 1, 'x') + "€€€");
  EXPECT_LE(got.size(), JsonLine::kMaxValue + 8);
  EXPECT_TRUE(got.ends_with("…"));
}

TEST(JsonLineTest, TimesAreRfc3339WithMilliseconds) {
  struct {
    std::int64_t milliseconds;
    std::string_view text;
  } cases[] = {{0, "1970-01-01T00:00:00.000Z"},
               {1, "1970-01-01T00:00:00.001Z"},
               {951'782'399'999, "2000-02-28T23:59:59.999Z"},
               {951'868'799'500, "2000-02-29T23:59:59.500Z"},
               {1'795'279'270'123, "2026-11-21T16:41:10.123Z"},
               {4'102'444'800'000, "2100-01-01T00:00:00.000Z"}};
  for (const auto& [milliseconds, text] : cases) {
    JsonLine line;
    line.Time("t", std::chrono::system_clock::time_point(std::chrono::milliseconds(milliseconds)));
    EXPECT_EQ(boost::json::parse(line.Finish()).at("t").as_string(), text);
  }
}

TEST(JsonLineTest, NumbersThatJsonLacksAreNull) {
  JsonLine line;
  line.Real("inf", std::numeric_limits<double>::infinity());
  line.Real("nan", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(line.Finish(), "{\"inf\":null,\"nan\":null}\n");
}

}  // namespace
}  // namespace koya
