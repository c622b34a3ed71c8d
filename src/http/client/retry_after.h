// What fields say of time: Retry-After (seconds, or a date) and Date.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace koya::http {

// How long to wait from `now` on, at most an hour; nullopt when `value` is neither of the two
// forms. A date that has passed is no wait.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, UnixSeconds now);

// "Tue, 15 Nov 1994 08:12:31 GMT", as in the field Date, and the older forms of it.
std::optional<UnixSeconds> ParseHttpDate(std::string_view value);

}  // namespace koya::http
