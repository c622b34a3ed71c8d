// Times and durations in the words of a language.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "web/common/language.h"

namespace koya::web {

// "18 Nov 2026", "2026年11月18日": the day in UTC.
std::string DateText(Language language, UnixSeconds time);

// "90 days", "12 hours", "5 minutes", "1 second": in the largest unit with a value of two or more
// (or exactly one), rounded up, so that waiting that long is enough. At least one second.
std::string DurationText(Language language, std::chrono::seconds duration);

}  // namespace koya::web
