#include "web/mirror/mirror_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/percent_encoding.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
#include "web/common/words.h"
#include "web/mirror/mirror_parts.h"

namespace koya::web {
namespace {

using Kind = ShownUpstream::Kind;

// Maximum number of failing upstreams that the top of the page names.
constexpr std::size_t kMostNamed = 3;

struct Sum {
  std::uint64_t asked = 0;
  std::uint64_t failed = 0;
};

Sum SumOf(const std::vector<ShownUpstream::Hour>& hours) {
  Sum sum;
  for (const ShownUpstream::Hour& hour : hours) {
    sum.asked += hour.asked;
    sum.failed += hour.failed;
  }
  return sum;
}

std::vector<std::uint64_t> AskedByHour(const std::vector<ShownUpstream>& upstreams) {
  std::vector<std::uint64_t> series;
  for (const ShownUpstream& each : upstreams) {
    series.resize(std::max(series.size(), each.hours.size()));
    for (std::size_t i = 0; i < each.hours.size(); ++i) series[i] += each.hours[i].asked;
  }
  return series;
}

// "0.4%", "100%"; "" of nothing.
std::string ShareText(const Sum& sum) {
  if (sum.asked == 0) return {};
  const double share = 100.0 * static_cast<double>(sum.failed) / static_cast<double>(sum.asked);
  return share == 0 || share >= 10 ? fmt::format("{:.0f}%", share) : fmt::format("{:.1f}%", share);
}

// When: "2 minutes ago", or the day.
void AddAgo(View& view, std::string_view name, Language language, UnixSeconds time,
            UnixSeconds now) {
  view.Text(fmt::format("{}_moment", name), FormatRfc3339(time))
      .Text(fmt::format("{}_ago", name), AgoText(language, time, now));
}

void AddUpstream(View& view, Language language, const ShownUpstream& upstream, UnixSeconds now) {
  const Sum sum = SumOf(upstream.hours);
  view.Text("upstream_host", upstream.host)
      .Text("upstream_path", upstream.path)
      .Flag("is_unasked", upstream.kind == Kind::kUnasked)
      .Flag("is_fresh", upstream.kind == Kind::kFresh)
      .Flag("is_stale", upstream.kind == Kind::kStale)
      .Flag("is_failing", upstream.kind == Kind::kFailing)
      .Flag("has_answered", upstream.answered_at != 0)
      .Flag("fails", upstream.failing_since != 0)
      .Text("cause", upstream.cause)
      .Text("median",
            upstream.median.count() == 0
                ? ""
                : fmt::format("{} ms",
                              NumberText(static_cast<std::uint64_t>(upstream.median.count()))))
      .Text("asked", NumberText(sum.asked))
      .Text("failed", NumberText(sum.failed))
      .Text("failed_share", ShareText(sum));
  AddAgo(view, "answered", language, upstream.answered_at, now);
  AddMoment(view, "failing", language, upstream.failing_since);
}

View UpstreamView(const PageFrame& frame, const ShownUpstream& upstream, UnixSeconds now) {
  View view;
  AddUpstream(view, frame.language, upstream, now);
  AddBars(view, AskedByHour({upstream}));
  return view;
}

std::vector<View> UpstreamViews(const PageFrame& frame, const MirrorPage& page) {
  std::vector<View> views;
  views.reserve(page.upstreams.size());
  for (const ShownUpstream& each : page.upstreams) {
    views.push_back(UpstreamView(frame, each, page.now));
  }
  return views;
}

// Whatever fails, a few of them by name.
void AddMirrorVerdict(View& view, const PageFrame& frame, const MirrorPage& page) {
  std::vector<View> failing;
  std::uint64_t more = 0;
  std::uint64_t answering = 0;
  std::uint64_t asked = 0;
  for (const ShownUpstream& each : page.upstreams) {
    if (each.kind == Kind::kFresh) ++answering;
    if (each.kind != Kind::kUnasked) ++asked;
    if (each.kind != Kind::kStale && each.kind != Kind::kFailing) continue;
    if (failing.size() == kMostNamed) {
      ++more;
    } else {
      failing.push_back(UpstreamView(frame, each, page.now));
    }
  }
  const bool none = page.upstreams.empty();
  view.Flag("has_no_upstreams", none)
      .Flag("has_failing", !failing.empty())
      .Flag("all_answer", failing.empty() && asked > 0)
      .Flag("all_unasked", !none && asked == 0)
      .List("failing_upstreams", std::move(failing))
      .Text("more_failing", more == 0 ? "" : NumberText(more))
      .Text("answering_count", NumberText(answering))
      .Text("asked_count", NumberText(asked));
}

View MirrorStatusView(const PageFrame& frame, const MirrorPage& page, MirrorTab tab) {
  View view = FrameView(frame);
  AddMirrorHead(view, page.head, tab);
  AddMirrorVerdict(view, frame, page);
  Sum sum;
  for (const ShownUpstream& each : page.upstreams) {
    const Sum of = SumOf(each.hours);
    sum.asked += of.asked;
    sum.failed += of.failed;
  }
  view.List("upstreams", UpstreamViews(frame, page))
      .Text("held_size", SizeText(page.held_bytes))
      .Text("provider_count", NumberText(page.head.providers))
      .Text("module_count", NumberText(page.head.modules))
      .Text("asked_sum", NumberText(sum.asked))
      .Text("failed_sum", NumberText(sum.failed))
      .Text("failed_sum_share", ShareText(sum))
      .Text("reload_path", frame.path);
  AddMoment(view, "since", frame.language, page.since);
  AddMoment(view, "made", frame.language, page.now);
  AddBars(view, AskedByHour(page.upstreams));
  return view;
}

View RowView(Language language, const MirrorRow& row, UnixSeconds now) {
  View view;
  view.Text("row_host", row.host)
      .Text("row_address", row.address)
      .Text("row_path", row.path)
      .Text("row_versions", NumberText(row.versions))
      .Text("row_held", NumberText(row.held))
      .Text("row_bytes", row.held == 0 ? "" : SizeText(row.held_bytes))
      .Text("row_last", row.last_version)
      .Text("row_fetches", NumberText(row.fetches))
      .Flag("is_fresh", row.is_fresh)
      .Flag("is_stale", !row.is_fresh && row.checked_at != 0)
      .Flag("is_unlisted", row.checked_at == 0);
  AddVerdict(view, row.verdict, row.rule);
  AddTime(view, "seen", language, row.last_seen_at);
  AddAgo(view, "checked", language, row.checked_at, now);
  return view;
}

// Those in which it was asked, the last first.
std::vector<View> HourViews(Language language, const ShownUpstream& upstream, UnixSeconds now) {
  constexpr UnixSeconds kHour = 3600;
  std::vector<View> views;
  UnixSeconds begin = now - now % kHour;
  for (auto hour = upstream.hours.rbegin(); hour != upstream.hours.rend(); ++hour, begin -= kHour) {
    if (hour->asked == 0) continue;
    View view;
    view.Text("hour_asked", NumberText(hour->asked)).Text("hour_failed", NumberText(hour->failed));
    AddMoment(view, "hour", language, begin);
    views.push_back(std::move(view));
  }
  return views;
}

// Of the providers, and of the modules, that are kept of one registry.
std::vector<View> KeptViews(Language language, const MirrorUpstreamPage& page) {
  std::vector<View> views;
  for (const std::vector<MirrorRow>* kept : {&page.providers, &page.modules}) {
    if (kept->empty()) continue;
    const bool of_modules = kept == &page.modules;
    std::vector<View> rows;
    for (const MirrorRow& row : *kept) rows.push_back(RowView(language, row, page.now));
    std::string path = PathWith("/-/mirror/packages", "q", page.host);
    if (of_modules) path = PathWith(path, "kind", "modules");
    views.push_back(View()
                        .Flag("of_modules", of_modules)
                        .Text("kept_id", of_modules ? "modules" : "providers")
                        .Text("kept_path", path)
                        .List("rows", std::move(rows)));
  }
  return views;
}

std::vector<View> RuleViews(const std::vector<std::string>& rules) {
  std::vector<View> views;
  views.reserve(rules.size());
  for (const std::string& rule : rules) views.push_back(View().Text("rule_text", rule));
  return views;
}

View WayView(const MirrorExplainPage::Way& way) {
  using State = MirrorExplainPage::Way::State;
  View view;
  view.Flag("by_mirror", way.is_mirror)
      .Flag("way_available", way.state == State::kAvailable)
      .Flag("way_allowed", way.state == State::kAllowed)
      .Flag("way_blocked", way.state == State::kBlocked)
      .Text("refusal", way.refusal)
      .Text("way_version", way.version)
      .Text("way_platforms", way.platforms)
      .Flag("others_come", way.others_come);
  return view;
}

View AnswerView(const PageFrame& frame, const MirrorExplainPage::Answer& answer, UnixSeconds now) {
  std::vector<View> ways;
  for (const MirrorExplainPage::Way& way : answer.ways) ways.push_back(WayView(way));
  View view;
  view.Text("answer_key", answer.key)
      .Text("upstream_host", answer.host)
      .List("ways", std::move(ways))
      .Maybe("registry", answer.registry ? std::optional(UpstreamView(frame, *answer.registry, now))
                                         : std::nullopt)
      .Flag("is_unlisted", answer.unlisted_at != 0)
      .Text("answer_version", answer.version)
      .Text("answer_path", answer.path)
      .Flag("has_version", !answer.version.empty())
      .Flag("is_pinned", answer.is_pinned)
      .Text("answer_versions", NumberText(answer.versions));
  AddVerdict(view, answer.verdict, answer.rule);
  AddTime(view, "pinned", frame.language, answer.seen_at);
  AddAgo(view, "unlisted", frame.language, answer.unlisted_at, now);
  return view;
}

}  // namespace

std::string RenderMirror(const PageFrame& frame, const MirrorPage& page) {
  View view = MirrorStatusView(frame, page, MirrorTab::kStatus);
  AddActivity(view, page.of_late);
  return RenderTemplate("mirror", frame.language, view);
}

std::string RenderMirrorUpstreams(const PageFrame& frame, const MirrorPage& page) {
  return RenderTemplate("mirror_upstreams", frame.language,
                        MirrorStatusView(frame, page, MirrorTab::kUpstreams));
}

std::string MirrorUpstreamPath(std::string_view host) {
  return "/-/mirror/upstreams/" + PercentEncode(host);
}

std::string RenderMirrorUpstream(const PageFrame& frame, const MirrorUpstreamPage& page) {
  View view = FrameView(frame);
  AddMirrorHead(view, page.head, MirrorTab::kUpstreams);
  AddUpstream(view, frame.language, page.upstream, page.now);
  std::vector<View> hours = HourViews(frame.language, page.upstream, page.now);
  std::vector<View> kept = KeptViews(frame.language, page);
  view.Text("title_upstream", TitleText(page.upstream.host))
      .Flag("has_hours", !hours.empty())
      .List("hours", std::move(hours))
      .Flag("has_none_kept", kept.empty())
      .List("kept_lists", std::move(kept))
      .Text("reload_path", frame.path);
  AddMoment(view, "since", frame.language, page.since);
  AddMoment(view, "made", frame.language, page.now);
  return RenderTemplate("mirror_upstream", frame.language, view);
}

std::string RenderMirrorPackages(const PageFrame& frame, const MirrorPackagesPage& page) {
  using Freshness = MirrorPackagesPage::Freshness;
  View view = FrameView(frame);
  AddMirrorHead(view, page.head, MirrorTab::kPackages);
  std::vector<View> rows;
  rows.reserve(page.rows.size());
  for (const MirrorRow& row : page.rows) rows.push_back(RowView(frame.language, row, page.now));
  const bool is_asked =
      !page.query.empty() || page.verdict.has_value() || page.freshness != Freshness::kAny;
  view.Text("query", page.query)
      .Flag("of_providers", !page.of_modules)
      .Flag("of_modules", page.of_modules)
      .Flag("any_verdict", !page.verdict)
      .Flag("only_allowed", page.verdict == ShownVerdict::kAllowed)
      .Flag("only_denied", page.verdict == ShownVerdict::kDenied)
      .Flag("only_not_listed", page.verdict == ShownVerdict::kNotListed)
      .Flag("only_kept", page.verdict == ShownVerdict::kStoredOnly)
      .Flag("counts_fetches", page.counts_fetches)
      .Flag("is_cut", page.is_cut)
      .Flag("any_state", page.freshness == Freshness::kAny)
      .Flag("fresh_only", page.freshness == Freshness::kFresh)
      .Flag("stale_only", page.freshness == Freshness::kStale)
      .Text("fresh_for", DurationText(frame.language, page.fresh_for))
      .Flag("has_rows", !rows.empty())
      .Flag("found_nothing", rows.empty() && is_asked)
      .Flag("has_nothing", rows.empty() && !is_asked)
      .List("rows", std::move(rows));
  AddPager(view, page.part, page.path);
  return RenderTemplate("mirror_packages", frame.language, view);
}

std::string RenderMirrorPolicy(const PageFrame& frame, const MirrorPolicyPage& page) {
  View view = FrameView(frame);
  AddMirrorHead(view, page.head, MirrorTab::kPolicy);
  view.Flag("has_hosts", !page.hosts.empty())
      .List("hosts", RuleViews(page.hosts))
      .Flag("has_allow", !page.allow.empty())
      .List("allow", RuleViews(page.allow))
      .Flag("has_deny", !page.deny.empty())
      .List("deny", RuleViews(page.deny))
      .Text("address", "")
      .Text("asked_version", "");
  return RenderTemplate("mirror_policy", frame.language, view);
}

std::string RenderMirrorExplain(const PageFrame& frame, const MirrorExplainPage& page) {
  View view = FrameView(frame);
  AddMirrorHead(view, page.head, MirrorTab::kExplain);
  AddRefusal(view, frame.language, page.problem);
  view.Text("address", page.address)
      .Text("asked_version", page.version)
      .Text("usual_host", page.usual_host)
      .Maybe("answer",
             page.answer ? std::optional(AnswerView(frame, *page.answer, page.now)) : std::nullopt);
  return RenderTemplate("mirror_explain", frame.language, view);
}

}  // namespace koya::web
