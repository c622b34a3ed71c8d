#include "web/common/formatters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/encoding.h"
#include "inspect/documents.h"
#include "web/common/text_safety.h"
#include "web/common/view.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

using Value = View::Value;

template <class T>
const T& ValueAs(const Value& value, std::string_view what) {
  const T* found = std::get_if<T>(&value);
  if (found == nullptr) throw std::logic_error(fmt::format("the value is not {}", what));
  return *found;
}

std::uint64_t AsNumber(const Value& value) { return ValueAs<std::uint64_t>(value, "a number"); }
UnixSeconds AsTime(const Value& value) { return ValueAs<View::Time>(value, "a time").at; }
const std::string& AsText(const Value& value) { return ValueAs<std::string>(value, "a text"); }

std::chrono::milliseconds AsDuration(const Value& value) {
  return ValueAs<std::chrono::milliseconds>(value, "a duration");
}

// As a log says it, in any language.
std::string TookText(std::chrono::milliseconds took) {
  const auto ms = std::max<std::int64_t>(took.count(), 0);
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t minutes = ms / 60'000;
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, ms / 1000 % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string Plainly(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* choice = std::get_if<View::Choice>(&value)) return SnakeName(choice->name());
  return NumberText(ValueAs<std::uint64_t>(value, "a text: it needs a formatter"));
}

struct Formatter {
  std::string_view name;
  std::string (*format)(const Value&, const FormatContext&);
};

// "Firefox, Linux" of a browser's User-Agent; texts of other programs stay.
std::string BrowserText(std::string_view agent) {
  using Names = std::pair<std::string_view, std::string_view>;
  // In this order, since later ones call themselves as the earlier ones, too.
  constexpr std::array<Names, 6> kBrowsers{{{"Edg/", "Edge"},
                                            {"OPR/", "Opera"},
                                            {"Firefox/", "Firefox"},
                                            {"HeadlessChrome/", "Chrome"},
                                            {"Chrome/", "Chrome"},
                                            {"Safari/", "Safari"}}};
  constexpr std::array<Names, 6> kSystems{{{"Windows", "Windows"},
                                           {"Android", "Android"},
                                           {"iPhone", "iOS"},
                                           {"iPad", "iOS"},
                                           {"Mac OS X", "macOS"},
                                           {"Linux", "Linux"}}};
  const auto named = [agent](const Names& each) { return agent.contains(each.first); };
  const auto browser = std::ranges::find_if(kBrowsers, named);
  if (browser == kBrowsers.end()) return std::string(agent);
  const auto system = std::ranges::find_if(kSystems, named);
  return system == kSystems.end() ? std::string(browser->second)
                                  : fmt::format("{}, {}", browser->second, system->second);
}

constexpr Formatter kFormatters[] = {
    {"", [](const Value& value, const FormatContext&) { return Plainly(value); }},
    {"plain",
     [](const Value& value, const FormatContext&) { return fmt::to_string(AsNumber(value)); }},
    {"size", [](const Value& value, const FormatContext&) { return SizeText(AsNumber(value)); }},
    {"date",
     [](const Value& value, const FormatContext& context) {
       return DateText(context.language, AsTime(value));
     }},
    {"second",
     [](const Value& value, const FormatContext& context) {
       return MomentText(context.language, AsTime(value), std::string_view("00:00:00").size());
     }},
    {"moment",
     [](const Value& value, const FormatContext& context) {
       return MomentText(context.language, AsTime(value));
     }},
    {"ago",
     [](const Value& value, const FormatContext& context) {
       if (!context.now) throw std::logic_error("the view has no time \"now\"");
       return AgoText(context.language, AsTime(value), *context.now);
     }},
    {"rfc3339",
     [](const Value& value, const FormatContext&) { return FormatRfc3339(AsTime(value)); }},
    {"duration",
     [](const Value& value, const FormatContext& context) {
       const auto seconds = std::chrono::ceil<std::chrono::seconds>(AsDuration(value));
       return DurationText(context.language, seconds);
     }},
    {"ms",
     [](const Value& value, const FormatContext&) {
       return NumberText(static_cast<std::uint64_t>(AsDuration(value).count())) + " ms";
     }},
    {"took", [](const Value& value, const FormatContext&) { return TookText(AsDuration(value)); }},
    {"lang", [](const Value& value,
                const FormatContext&) { return inspect::GuessLanguage(AsText(value)); }},
    {"title", [](const Value& value, const FormatContext&) { return TitleText(AsText(value)); }},
    {"browser",
     [](const Value& value, const FormatContext&) { return BrowserText(AsText(value)); }},
    {"url", [](const Value& value, const FormatContext&) { return PercentEncode(AsText(value)); }},
};

struct Holds {
  bool operator()(std::monostate /*absent*/) const { return false; }
  bool operator()(bool flag) const { return flag; }
  bool operator()(std::uint64_t number) const { return number != 0; }
  bool operator()(View::Time time) const { return time.at != 0; }
  bool operator()(std::chrono::milliseconds duration) const { return duration.count() != 0; }
  bool operator()(const View::Choice& /*choice*/) const {
    throw std::logic_error("the value of an enum needs the test is:NAME");
  }
  bool operator()(const std::string& text) const { return !text.empty(); }
  bool operator()(const std::vector<View>& items) const { return !items.empty(); }
  bool operator()(const markup::Fragment& html) const { return !html.empty(); }
};

bool IsNamed(const Value& value, std::string_view name) {
  if (std::holds_alternative<std::monostate>(value)) return false;
  const auto* choice = std::get_if<View::Choice>(&value);
  if (choice == nullptr) return AsText(value) == name;
  const auto matches = [name](std::string_view each) { return SnakeName(each) == name; };
  if (matches(choice->name())) return true;
  if (std::ranges::none_of(choice->names, matches)) {
    throw std::logic_error(fmt::format("the enum has no value \"{}\"", name));
  }
  return false;
}

constexpr std::string_view kIs = "is:";

}  // namespace

std::string FormatValue(const Value& value, std::string_view formatter,
                        const FormatContext& context) {
  if (std::holds_alternative<std::monostate>(value)) return {};
  const auto* found = std::ranges::find(kFormatters, formatter, &Formatter::name);
  return found->format(value, context);
}

bool IsFormatter(std::string_view name) {
  return std::ranges::find(kFormatters, name, &Formatter::name) != std::end(kFormatters);
}

bool TestValue(const Value& value, std::string_view test) {
  if (test.starts_with(kIs)) return IsNamed(value, test.substr(kIs.size()));
  if (test == "one") return AsNumber(value) == 1;
  if (test == "given") return !std::holds_alternative<std::monostate>(value);
  return std::visit(Holds(), value);
}

bool IsTest(std::string_view test) {
  if (test.starts_with(kIs)) return test.size() > kIs.size();
  return test.empty() || test == "any" || test == "given" || test == "one";
}

}  // namespace koya::web
