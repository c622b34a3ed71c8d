#include "web/mirror/mirror_parts.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "web/common/view_parts.h"

namespace koya::web {
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

// A tile of its own, since several have bars.
View TileOf(const std::vector<ActivityDay>& days, std::uint64_t ActivityDay::* what) {
  std::vector<std::uint64_t> series;
  series.reserve(days.size());
  for (const ActivityDay& day : days) series.push_back(day.*what);
  View view;
  AddBars(view, series);
  return view;
}

View ReadyView(const ShownActivity::Ready& ready) {
  View view;
  view.Text("ready_count", NumberText(ready.held)).Text("fetched_count", NumberText(ready.fetched));
  return view;
}

}  // namespace

void AddMirrorHead(View& view, const MirrorHead& head, MirrorTab tab) {
  view.Text("mirror_path", "/-/mirror")
      .Text("packages_path", "/-/mirror/packages")
      .Text("packages_count", NumberText(head.providers + head.modules))
      .Text("upstreams_path", "/-/mirror/upstreams")
      .Text("upstreams_count", NumberText(head.upstreams))
      .Text("policy_path", "/-/mirror/policy")
      .Text("rules_count", NumberText(head.rules))
      .Text("explain_path", "/-/mirror/explain")
      .Flag("tab_status", tab == MirrorTab::kStatus)
      .Flag("tab_packages", tab == MirrorTab::kPackages)
      .Flag("tab_upstreams", tab == MirrorTab::kUpstreams)
      .Flag("tab_policy", tab == MirrorTab::kPolicy)
      .Flag("tab_explain", tab == MirrorTab::kExplain);
}

void AddVerdict(View& view, ShownVerdict verdict, std::string_view rule) {
  view.Flag("is_allowed", verdict == ShownVerdict::kAllowed)
      .Flag("is_denied", verdict == ShownVerdict::kDenied)
      .Flag("is_not_listed", verdict == ShownVerdict::kNotListed)
      .Flag("is_kept_only", verdict == ShownVerdict::kStoredOnly)
      .Text("rule", rule)
      .Text("rule_path",
            verdict == ShownVerdict::kDenied ? "/-/mirror/policy#deny" : "/-/mirror/policy#allow");
}

void AddActivity(View& view, const ShownActivity& activity) {
  View archives = TileOf(activity.days, &ActivityDay::sent);
  archives.Text("kept_share", PartText(activity.kept, activity.sent))
      .Text("kept_count", NumberText(activity.kept))
      .Text("sent_count", NumberText(activity.sent));
  View bytes = TileOf(activity.days, &ActivityDay::sent_bytes);
  bytes.Text("kept_share", PartText(activity.kept_bytes, activity.sent_bytes))
      .Text("kept_size", SizeText(activity.kept_bytes))
      .Text("sent_size", SizeText(activity.sent_bytes));
  view.Text("days", NumberText(activity.days.size()))
      .Maybe("kept_archives", std::move(archives))
      .Maybe("kept_bytes", std::move(bytes))
      .Maybe("ready", activity.ready ? std::optional(ReadyView(*activity.ready)) : std::nullopt)
      .Text("turned_count", NumberText(activity.turned_away));
}

}  // namespace koya::web
