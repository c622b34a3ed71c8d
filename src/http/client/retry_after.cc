#include "http/client/retry_after.h"

#include <curl/curl.h>

#include <algorithm>
#include <string>

#include "base/decimal.h"

namespace koya::http {

std::optional<UnixSeconds> ParseHttpDate(std::string_view value) {
  if (value.empty() || value.size() > 64) return std::nullopt;
  // A date begins with a day's name; libcurl's reader would make something of numbers too.
  bool letter = (value[0] >= 'A' && value[0] <= 'Z') || (value[0] >= 'a' && value[0] <= 'z');
  std::time_t date = letter ? curl_getdate(std::string(value).c_str(), nullptr) : -1;
  if (date < 0) return std::nullopt;
  return static_cast<UnixSeconds>(date);
}

std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, UnixSeconds now) {
  constexpr UnixSeconds kMost = 3600;
  if (value.empty() || value.size() > 64) return std::nullopt;
  bool digits = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  UnixSeconds wait = 0;
  if (digits) {
    wait = ParseDecimal<UnixSeconds>(value).value_or(kMost);  // more than fits
  } else {
    auto date = ParseHttpDate(value);
    if (!date) return std::nullopt;
    wait = *date - now;
  }
  return std::chrono::seconds(std::clamp<UnixSeconds>(wait, 0, kMost));
}

}  // namespace koya::http
