#include "web/common/time_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "web/common/words.h"

namespace koya::web {
namespace {

struct TimeUnit {
  std::string_view name;
  std::int64_t seconds;
};

constexpr std::array<TimeUnit, 4> kTimeUnits{
    {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}}};

}  // namespace

std::string DateText(Language language, UnixSeconds time) {
  auto day =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(time)));
  std::chrono::year_month_day date(day);
  std::string year = fmt::to_string(static_cast<int>(date.year()));
  std::string number = fmt::to_string(static_cast<unsigned>(date.day()));
  std::string_view month =
      Word(language, fmt::format("time.month_{}", static_cast<unsigned>(date.month())));
  const std::array<Filling, 3> fillings{{{"day", number}, {"month", month}, {"year", year}}};
  return FilledWord(language, "time.date", fillings);
}

std::string DurationText(Language language, std::chrono::seconds duration) {
  std::int64_t seconds = std::max<std::int64_t>(1, duration.count());
  auto unit = std::ranges::find_if(kTimeUnits, [seconds](const TimeUnit& candidate) {
    return seconds == candidate.seconds || seconds >= 2 * candidate.seconds;
  });
  std::int64_t number = (seconds + unit->seconds - 1) / unit->seconds;
  std::string count = fmt::to_string(number);
  const std::array<Filling, 1> fillings{{{"count", count}}};
  return FilledWord(language, fmt::format("time.{}_{}", unit->name, number == 1 ? "one" : "other"),
                    fillings);
}

}  // namespace koya::web
