// A small picture of a series, out of attributes alone: the piece _bars. The number beside it is
// what says something; people who do not see it lose nothing.
#pragma once

#include <cstdint>
#include <span>

#include "web/view.h"

namespace koya::web {

// The fields of the piece _bars: `has_bars` is false where there is nothing to draw, since the
// series is shorter than two or all of it is 0. At most the last 60 are drawn.
void AddBars(View& view, std::span<const std::uint64_t> series);

}  // namespace koya::web
