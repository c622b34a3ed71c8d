// A small bar chart of a series, drawn with attributes only: the piece _bars. The number beside it
// carries the information; users who cannot see the chart lose nothing.
#pragma once

#include <cstdint>
#include <span>

#include "web/common/view.h"

namespace koya::web {

// Adds the fields of the piece _bars. `has_bars` is false when there is nothing to draw: the series
// has fewer than two values or only zeros. Draws the last 60 values at most.
void AddBars(View& view, std::span<const std::uint64_t> series);

}  // namespace koya::web
