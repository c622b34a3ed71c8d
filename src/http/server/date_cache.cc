#include "http/server/date_cache.h"

#include <fmt/format.h>

#include <array>

namespace koya::http {

// Not strftime: it would follow the process's locale.
std::string FormatHttpDate(std::time_t time) {
  constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::time_t CoarseSeconds() {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

DateCache::DateCache(std::string_view server_name, bool strict_transport)
    : strict_transport_(strict_transport) {
  if (!server_name.empty()) fields_ = fmt::format("Server: {}\r\n", server_name);
  fields_ += "X-Content-Type-Options: nosniff\r\nDate: ";
  date_at_ = fields_.size();
}

std::string_view DateCache::Fields(std::time_t now, bool secure) {
  if (now != rendered_) {
    rendered_ = now;
    fields_.resize(date_at_);
    fields_ += FormatHttpDate(now);
    fields_ += "\r\n";
    secure_at_ = fields_.size();
    if (strict_transport_) fields_ += "Strict-Transport-Security: max-age=31536000\r\n";
  }
  return secure ? fields_ : std::string_view(fields_).substr(0, secure_at_);
}

}  // namespace koya::http
