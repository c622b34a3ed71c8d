#include "base/clock.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <condition_variable>
#include <ctime>
#include <limits>
#include <mutex>
#include <random>

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

// `text` has digits where `form` has "0", and is the same elsewhere.
bool HasForm(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '0' ? !digit : text[i] != form[i]) return false;
  }
  return true;
}

// REQUIRES: digits.
unsigned NumberAt(std::string_view text, std::size_t at, std::size_t length) {
  unsigned number = 0;
  std::from_chars(text.data() + at, text.data() + at + length, number);
  return number;
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

std::optional<UnixSeconds> ParseRfc3339(std::string_view text) {
  const bool day_alone = HasForm(text, "0000-00-00");
  if (!day_alone && !HasForm(text, "0000-00-00T00:00:00Z")) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(NumberAt(text, 0, 4))),
                                         std::chrono::month(NumberAt(text, 5, 2)),
                                         std::chrono::day(NumberAt(text, 8, 2))};
  if (!date.ok() || date.year() < std::chrono::year(1970)) return std::nullopt;
  UnixSeconds time = std::chrono::sys_days(date).time_since_epoch() / std::chrono::seconds(1);
  if (day_alone) return time;
  const unsigned hours = NumberAt(text, 11, 2);
  const unsigned minutes = NumberAt(text, 14, 2);
  const unsigned seconds = NumberAt(text, 17, 2);
  if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  return time + hours * 3600 + minutes * 60 + seconds;
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

SteadyTime SystemExchangeClock::Now() const { return std::chrono::steady_clock::now(); }

UnixSeconds SystemExchangeClock::WallNow() const { return SystemClock().Now(); }

void SystemExchangeClock::Wait(std::chrono::milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, duration, [] { return false; });
}

double SystemExchangeClock::Random() {
  std::random_device device;
  return std::uniform_real_distribution<double>(0, 1)(device);
}

}  // namespace koya
