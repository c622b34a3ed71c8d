#include "web/common/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace koya::web {
namespace {

constexpr std::size_t kMostBars = 60;
constexpr std::uint64_t kBarsHeight = 34;
constexpr std::uint64_t kBarStep = 6;

// A value above 0 is always visible, however small it is beside the rest.
std::uint64_t BarHeight(std::uint64_t value, std::uint64_t highest) {
  if (value == 0) return 0;
  const double share = static_cast<double>(value) / static_cast<double>(highest);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * kBarsHeight));
}

}  // namespace

void AddBars(View& view, std::span<const std::uint64_t> series) {
  if (series.size() > kMostBars) series = series.last(kMostBars);
  const std::uint64_t highest = series.empty() ? 0 : std::ranges::max(series);
  const bool draws = series.size() > 1 && highest > 0;
  std::vector<View> bars;
  for (std::size_t i = 0; draws && i < series.size(); ++i) {
    const std::uint64_t height = BarHeight(series[i], highest);
    if (height == 0) continue;
    bars.push_back(View()
                       .Text("bar_x", fmt::to_string(i * kBarStep))
                       .Text("bar_y", fmt::to_string(kBarsHeight - height))
                       .Text("bar_height", fmt::to_string(height)));
  }
  view.Flag("has_bars", draws)
      .Text("bars_width", fmt::to_string(series.size() * kBarStep))
      .List("bars", std::move(bars));
}

}  // namespace koya::web
