#include "web/common/formatters.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "domain/version.h"

namespace koya::web {

enum class FormattedState { kFresh, kNotListed };
struct FormattedPart {
  std::string host;
  std::uint64_t count = 0;
};
struct FormattedThing {
  std::string title;
  FormattedState state = FormattedState::kFresh;
  std::vector<FormattedPart> parts;
  std::optional<FormattedPart> last;
  std::optional<std::uint64_t> limit;
  std::vector<std::string> rules;
};
KOYA_VIEW(FormattedPart, host, count);
KOYA_VIEW(FormattedThing, title, state, parts, last, limit, rules);

namespace {

constexpr UnixSeconds kMoment = 1795010520;  // 18 Nov 2026, 14:02

std::string Formatted(std::string_view formatter, const auto& value,
                      std::optional<UnixSeconds> now = std::nullopt) {
  return FormatValue(*View().Set("x", value).Find("x"), formatter, {Language::kEnglish, now});
}

bool Tested(std::string_view test, const auto& value) {
  return TestValue(*View().Set("x", value).Find("x"), test);
}

TEST(FormattersTest, WriteValuesByTheirTypes) {
  EXPECT_EQ(Formatted("", "a"), "a");
  EXPECT_EQ(Formatted("", std::uint64_t{1204}), "1,204");
  EXPECT_EQ(Formatted("", FormattedState::kNotListed), "not_listed");
  EXPECT_EQ(Formatted("", *Version::Parse("1.2.3")), "1.2.3");
  EXPECT_EQ(Formatted("", std::optional<std::string>()), "");
  EXPECT_EQ(Formatted("plain", std::uint64_t{1204}), "1204");
  EXPECT_EQ(Formatted("size", std::uint64_t{48'000'000}), "48 MB");
  EXPECT_EQ(Formatted("date", kMoment), "18 Nov 2026");
  EXPECT_EQ(Formatted("moment", kMoment), "18 Nov 2026, 14:02 UTC");
  EXPECT_EQ(Formatted("ago", kMoment, kMoment + 120), "2 minutes ago");
  EXPECT_EQ(Formatted("rfc3339", kMoment), "2026-11-18T14:02:00Z");
  EXPECT_EQ(Formatted("duration", std::chrono::hours(12)), "12 hours");
  EXPECT_EQ(Formatted("ms", std::chrono::seconds(2)), "2,000 ms");
  EXPECT_EQ(Formatted("took", std::chrono::minutes(67)), "1 h 07 min");
  EXPECT_EQ(Formatted("lang", "これは例です。"), "ja");
  EXPECT_EQ(Formatted("title", "a\u202Eb\nc"), "ab c");
  EXPECT_EQ(Formatted("url", "a/b c"), "a%2Fb%20c");
}

TEST(FormattersTest, NamesBrowsers) {
  const std::string mozilla = "Mozilla/5.0 ";
  const std::string chrome =
      " AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
  const std::pair<std::string, std::string> kAgents[] = {
      {mozilla + "(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"},
      {mozilla + "(Windows NT 10.0; Win64; x64)" + chrome, "Chrome, Windows"},
      {mozilla + "(Windows NT 10.0; Win64; x64)" + chrome + " Edg/142.0", "Edge, Windows"},
      {mozilla + "(Linux; Android 10; K)" + chrome, "Chrome, Android"},
      {mozilla + "(Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15",
       "Safari, macOS"},
      {mozilla + "(iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.0 Safari/604.1",
       "Safari, iOS"},
      {"Firefox/1", "Firefox"},
      {"koya/0.1.0", "koya/0.1.0"},
      {"", ""}};
  for (const auto& [agent, text] : kAgents) EXPECT_EQ(Formatted("browser", agent), text);
}

TEST(FormattersTest, RefuseValuesOfOtherTypes) {
  EXPECT_THROW(Formatted("", kMoment), std::logic_error);
  EXPECT_THROW(Formatted("", true), std::logic_error);
  EXPECT_THROW(Formatted("", std::vector<std::string>{"a"}), std::logic_error);
  EXPECT_THROW(Formatted("", markup::Fragment::Code("a")), std::logic_error);
  EXPECT_THROW(Formatted("plain", "1204"), std::logic_error);
  EXPECT_THROW(Formatted("size", kMoment), std::logic_error);
  EXPECT_THROW(Formatted("date", std::uint64_t{1}), std::logic_error);
  EXPECT_THROW(Formatted("moment", "2026-11-18"), std::logic_error);
  EXPECT_THROW(Formatted("ago", kMoment), std::logic_error) << "without a now";
  EXPECT_THROW(Formatted("rfc3339", std::uint64_t{1}), std::logic_error);
  EXPECT_THROW(Formatted("duration", std::uint64_t{1}), std::logic_error);
  EXPECT_THROW(Formatted("ms", std::uint64_t{1}), std::logic_error);
  EXPECT_THROW(Formatted("took", std::uint64_t{1}), std::logic_error);
  EXPECT_THROW(Formatted("lang", true), std::logic_error);
  EXPECT_THROW(Formatted("title", FormattedState::kFresh), std::logic_error);
  EXPECT_THROW(Formatted("url", std::uint64_t{1}), std::logic_error);
}

TEST(FormattersTest, TestValuesByTheirTypes) {
  for (bool is : {false, true}) {
    EXPECT_EQ(Tested("", is), is);
    EXPECT_EQ(Tested("", is ? "a" : ""), is);
    EXPECT_EQ(Tested("", std::uint64_t{is}), is);
    EXPECT_EQ(Tested("", is ? kMoment : 0), is);
    EXPECT_EQ(Tested("", std::chrono::seconds(is)), is);
    EXPECT_EQ(Tested("any", std::vector<std::string>(is)), is);
    EXPECT_EQ(Tested("one", std::uint64_t{is}), is);
    EXPECT_EQ(Tested("given", is ? std::optional<std::uint64_t>(0) : std::nullopt), is);
    EXPECT_EQ(Tested("is:not_listed", is ? FormattedState::kNotListed : FormattedState::kFresh),
              is);
    EXPECT_EQ(Tested("is:owner", is ? "owner" : "owners"), is);
    EXPECT_EQ(Tested("is:fresh", is ? std::optional(FormattedState::kFresh) : std::nullopt), is);
  }
  EXPECT_THROW(Tested("", FormattedState::kFresh), std::logic_error);
  EXPECT_THROW(Tested("is:stale", FormattedState::kFresh), std::logic_error) << "no such value";
  EXPECT_THROW(Tested("is:fresh", std::uint64_t{0}), std::logic_error);
  EXPECT_THROW(Tested("one", "1"), std::logic_error);
}

TEST(ViewTest, HoldsAStructAsItIs) {
  const FormattedThing thing{.title = "a", .parts = {{"b", 1}, {"c", 2}}, .rules = {"d"}};
  const View view = View().Of(thing);
  EXPECT_EQ(view.fields().size(), 6U);
  EXPECT_TRUE(TestValue(*view.Find("state"), "is:fresh"));
  EXPECT_FALSE(TestValue(*view.Find("last"), ""));
  EXPECT_FALSE(TestValue(*view.Find("limit"), "given"));
  const auto& parts = std::get<std::vector<View>>(*view.Find("parts"));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(std::get<std::uint64_t>(*parts[1].Find("count")), 2U);
  const auto& rules = std::get<std::vector<View>>(*view.Find("rules"));
  EXPECT_EQ(std::get<std::string>(*rules.at(0).Find(".")), "d");
}

TEST(ViewTest, HasEachNameOnce) {
  EXPECT_THROW(View().Set("a", "").Set("a", true), std::logic_error);
  EXPECT_THROW(View().Set("title", "").Of(FormattedThing{}), std::logic_error);
  EXPECT_EQ(View().Set("a", "").Find("b"), nullptr);
}

}  // namespace
}  // namespace koya::web
