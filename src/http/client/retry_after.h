// The Retry-After field: seconds, or a date.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace koya::http {

// How long to wait from `now` on, at most an hour; nullopt when `value` is neither of the two
// forms. A date that has passed is no wait.
std::optional<std::chrono::seconds> ParseRetryAfter(std::string_view value, UnixSeconds now);

}  // namespace koya::http
