#include "web/mirror/mirror_parts.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "web/common/view_parts.h"

namespace koya::web {

KOYA_VIEW(ShownActivity::Ready, fetched, held);
KOYA_VIEW(ShownActivity, sent, kept, sent_bytes, kept_bytes, turned_away, ready);

namespace {

using ActivityDay = ShownActivity::Day;

// "97.8%", rounded down, so that "100%" is all of it; "–" of nothing.
std::string PartText(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "–";
  if (part >= whole) return "100%";
  const double thousandths = 1000.0 * static_cast<double>(part) / static_cast<double>(whole);
  const auto tenths = static_cast<std::uint64_t>(thousandths);
  return fmt::format("{}.{}%", tenths / 10, tenths % 10);
}

View BarsOf(const std::vector<ActivityDay>& days, std::uint64_t ActivityDay::* what) {
  std::vector<std::uint64_t> series;
  series.reserve(days.size());
  for (const ActivityDay& day : days) series.push_back(day.*what);
  View view;
  AddBars(view, series);
  return view;
}

}  // namespace

void AddVerdict(View& view, ShownVerdict verdict, std::string_view rule) {
  view.Set("verdict", verdict).Set("rule", rule);
}

View ActivityView(const ShownActivity& activity) {
  return View()
      .Of(activity)
      .Set("days", activity.days.size())
      .Set("archives_share", PartText(activity.kept, activity.sent))
      .Set("archives_bars", BarsOf(activity.days, &ActivityDay::sent))
      .Set("bytes_share", PartText(activity.kept_bytes, activity.sent_bytes))
      .Set("bytes_bars", BarsOf(activity.days, &ActivityDay::sent_bytes));
}

}  // namespace koya::web
