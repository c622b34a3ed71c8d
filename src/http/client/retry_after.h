// Parses the fields that hold times: Retry-After (seconds, or a date) and Date.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace koya::http {

// How long to wait from `now` on, at most an hour; nullopt when `value` has neither of the two
// forms. A date in the past means no wait.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, UnixSeconds now);

// Parses "Tue, 15 Nov 1994 08:12:31 GMT", as in the field Date, and its older forms.
std::optional<UnixSeconds> ParseHttpDate(std::string_view value);

}  // namespace koya::http
