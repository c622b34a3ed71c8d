#include "base/clock.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ctime>
#include <limits>

namespace koya {
namespace {

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};
constexpr std::array kDurationUnits{Unit{"d", 86400}, Unit{"h", 3600}, Unit{"m", 60}, Unit{"s", 1}};
constexpr std::array kSizeUnits{Unit{"TiB", 1ULL << 40}, Unit{"GiB", 1ULL << 30},
                                Unit{"MiB", 1ULL << 20}, Unit{"KiB", 1ULL << 10}, Unit{"B", 1}};

template <std::size_t N>
std::optional<std::uint64_t> ParseWithUnit(std::string_view text,
                                           const std::array<Unit, N>& units) {
  std::uint64_t number = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc() || end == text.data()) return std::nullopt;
  std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units) {
    if (suffix != unit.suffix) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / unit.factor) return std::nullopt;
    return number * unit.factor;
  }
  return std::nullopt;
}

template <std::size_t N>
std::string FormatWithUnit(std::uint64_t value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (value >= unit.factor && value % unit.factor == 0) {
      return fmt::format("{}{}", value / unit.factor, unit.suffix);
    }
  }
  return fmt::format("{}{}", value, units.back().suffix);
}

}  // namespace

std::chrono::nanoseconds TimeSinceBoot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

UnixSeconds SystemClock::Now() const { return std::time(nullptr); }

std::string FormatRfc3339(UnixSeconds time) {
  std::time_t value = time;
  std::tm parts{};
  gmtime_r(&value, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::optional<std::chrono::seconds> ParseDuration(std::string_view text) {
  auto value = ParseWithUnit(text, kDurationUnits);
  if (!value) return std::nullopt;
  return std::chrono::seconds(static_cast<std::int64_t>(*value));
}

std::string FormatDuration(std::chrono::seconds duration) {
  return FormatWithUnit(static_cast<std::uint64_t>(duration.count()), kDurationUnits);
}

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  return ParseWithUnit(text, kSizeUnits);
}

std::string FormatSize(std::uint64_t bytes) { return FormatWithUnit(bytes, kSizeUnits); }

}  // namespace koya
