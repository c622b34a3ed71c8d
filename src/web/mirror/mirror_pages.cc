#include "web/mirror/mirror_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"

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

KOYA_VIEW(MirrorHead, providers, modules, packages, upstreams, rules);
KOYA_VIEW(ShownUpstream, host, path, kind, answered_at, failing_since, cause, median);
KOYA_VIEW(MirrorPage, head, since, now, held_bytes);
KOYA_VIEW(MirrorRow, host, address, path, verdict, rule, versions, held, held_bytes, last_version,
          last_seen_at, checked_at, is_fresh, fetches, hold);
KOYA_VIEW(MirrorUpstreamPage, head, host, since, now);
KOYA_VIEW(MirrorPackagesPage, head, of_modules, query, verdict, freshness, counts_fetches, is_cut,
          fresh_for, rows, now);
KOYA_VIEW(ShownRevision, revision, by, at, reason);
KOYA_VIEW(MirrorPolicyPage::Rule, name, held, refused);
KOYA_VIEW(MirrorPolicyPage, head, in_force, is_text_cut, rules, earlier, has_older, hosts, allow,
          deny);
KOYA_VIEW(MirrorHeldPage::Row, address, version, path, kind, until, reason);
KOYA_VIEW(MirrorHeldPage, head, rows, is_cut);
KOYA_VIEW(MirrorKeysPage::Release, type, version, path);
KOYA_VIEW(MirrorKeysPage::Key, fingerprint, is_signed, is_known, releases, first_seen_at,
          last_seen_at, newest, has_older);
KOYA_VIEW(MirrorKeysPage, head, host, ns, keys);
KOYA_VIEW(MirrorExplainPage::Way, is_mirror, state, refusal, version, platforms, others_come);
KOYA_VIEW(ShownPolicyVerdict::Reason, rule, kind, text);
KOYA_VIEW(ShownPolicyVerdict, version, kind, until, revision, reasons, instead);
KOYA_VIEW(MirrorExplainPage::Answer, key, host, ways, registry, unlisted_at, verdict, rule,
          versions, version, is_pinned, seen_at, path, policy);
KOYA_VIEW(MirrorExplainPage, head, address, usual_host, answer, now);
KOYA_VIEW(VerifyLockPage::Hash, hash, state, file);
KOYA_VIEW(VerifyLockPage::Provider, address, version, verdict, seen_at, host, key, by, hashes);

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

View UpstreamView(const ShownUpstream& upstream) {
  const Sum sum = SumOf(upstream.hours);
  View view;
  view.Of(upstream)
      .Set("asked", sum.asked)
      .Set("failed", sum.failed)
      .Set("failed_share", ShareText(sum));
  AddBars(view, AskedByHour({upstream}));
  return view;
}

// Names a few of the failing registries.
void AddMirrorVerdict(View& view, const MirrorPage& page) {
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
      failing.push_back(UpstreamView(each));
    }
  }
  view.List("failing_upstreams", std::move(failing))
      .Set("more_failing", more)
      .Set("answering_count", answering)
      .Set("asked_count", asked);
}

View MirrorView(const PageFrame& frame, MirrorTab tab) {
  return FrameView(frame).Set("tab", tab).Set("reload_path", frame.path);
}

View MirrorStatusView(const PageFrame& frame, const MirrorPage& page, MirrorTab tab) {
  View view = MirrorView(frame, tab).Of(page);
  AddMirrorVerdict(view, page);
  Sum sum;
  for (const ShownUpstream& each : page.upstreams) {
    const Sum of = SumOf(each.hours);
    sum.asked += of.asked;
    sum.failed += of.failed;
  }
  view.List("upstreams", page.upstreams, UpstreamView)
      .Set("asked_sum", sum.asked)
      .Set("failed_sum", sum.failed)
      .Set("failed_sum_share", ShareText(sum));
  AddBars(view, AskedByHour(page.upstreams));
  return view;
}

// Those in which it was asked, the last first.
std::vector<View> HourViews(const ShownUpstream& upstream, UnixSeconds now) {
  constexpr UnixSeconds kHour = 3600;
  std::vector<View> views;
  UnixSeconds begin = now - now % kHour;
  for (auto hour = upstream.hours.rbegin(); hour != upstream.hours.rend(); ++hour, begin -= kHour) {
    if (hour->asked == 0) continue;
    views.push_back(
        View().Set("begin", begin).Set("hour_asked", hour->asked).Set("hour_failed", hour->failed));
  }
  return views;
}

// Of the providers, and of the modules, that are kept of one registry.
std::vector<View> KeptViews(const MirrorUpstreamPage& page) {
  std::vector<View> views;
  for (const std::vector<MirrorRow>* kept : {&page.providers, &page.modules}) {
    if (kept->empty()) continue;
    views.push_back(View().Set("of_modules", kept == &page.modules).Set("rows", *kept));
  }
  return views;
}

// How many hashes are in each state, and what that means for the lock file.
View LockReportView(const std::vector<VerifyLockPage::Provider>& providers) {
  using State = VerifyLockPage::Hash::State;
  std::array<std::uint64_t, 4> counts{};
  for (const VerifyLockPage::Provider& each : providers) {
    for (const VerifyLockPage::Hash& hash : each.hashes) {
      ++counts[static_cast<std::size_t>(hash.state)];
    }
  }
  const auto count = [&counts](State state) { return counts[static_cast<std::size_t>(state)]; };
  const bool is_bad = count(State::kDiffers) + count(State::kUnknown) > 0;
  return View()
      .Set("providers", providers)
      .Set("known_count", count(State::kKnown))
      .Set("differs_count", count(State::kDiffers))
      .Set("unknown_count", count(State::kUnknown))
      .Set("unchecked_count", count(State::kUnchecked))
      .Set("is_bad", is_bad)
      .Set("is_good", !is_bad && count(State::kUnchecked) == 0 && count(State::kKnown) > 0);
}

}  // namespace

std::string RenderMirror(const PageFrame& frame, const MirrorPage& page) {
  View view = MirrorStatusView(frame, page, MirrorTab::kStatus);
  return RenderTemplate("mirror", frame.language, view.Set("of_late", ActivityView(page.of_late)));
}

std::string RenderMirrorUpstreams(const PageFrame& frame, const MirrorPage& page) {
  return RenderTemplate("mirror_upstreams", frame.language,
                        MirrorStatusView(frame, page, MirrorTab::kUpstreams));
}

std::string MirrorUpstreamPath(std::string_view host) {
  return "/-/mirror/upstreams/" + PercentEncode(host);
}

std::string RenderMirrorUpstream(const PageFrame& frame, const MirrorUpstreamPage& page) {
  View view = MirrorView(frame, MirrorTab::kUpstreams).Of(page);
  view.Set("upstream", UpstreamView(page.upstream))
      .List("hours", HourViews(page.upstream, page.now))
      .List("kept_lists", KeptViews(page));
  return RenderTemplate("mirror_upstream", frame.language, view);
}

std::string RenderMirrorPackages(const PageFrame& frame, const MirrorPackagesPage& page) {
  View view = MirrorView(frame, MirrorTab::kPackages).Of(page);
  const bool is_asked =
      !page.query.empty() || page.verdict || page.freshness != MirrorPackagesPage::Freshness::kAny;
  view.Set("found_nothing", page.rows.empty() && is_asked)
      .Set("has_nothing", page.rows.empty() && !is_asked);
  AddPager(view, page.part, page.path);
  return RenderTemplate("mirror_packages", frame.language, view);
}

std::string RenderMirrorPolicy(const PageFrame& frame, const MirrorPolicyPage& page) {
  View view = MirrorView(frame, MirrorTab::kPolicy).Of(page);
  std::optional<View> text;
  if (page.in_force) {
    text = CodeView("policy-text", "policy.toml", markup::Fragment::Code(page.text));
  }
  view.Set("text", text);
  return RenderTemplate("mirror_policy", frame.language,
                        view.Set("address", "").Set("asked_version", ""));
}

std::string RenderMirrorHeld(const PageFrame& frame, const MirrorHeldPage& page) {
  View view = MirrorView(frame, MirrorTab::kPolicy).Of(page);
  AddPager(view, page.part, MirrorHeldPage::kPath);
  return RenderTemplate("mirror_held", frame.language, view);
}

std::string RenderMirrorKeys(const PageFrame& frame, const MirrorKeysPage& page) {
  return RenderTemplate("mirror_keys", frame.language,
                        MirrorView(frame, MirrorTab::kPackages).Of(page));
}

std::string MirrorExplainPath(std::string_view address, std::string_view version) {
  return PathWith(PathWith("/-/mirror/explain", "address", address), "version", version);
}

std::string RenderMirrorExplain(const PageFrame& frame, const MirrorExplainPage& page) {
  View view = MirrorView(frame, MirrorTab::kExplain).Of(page);
  AddRefusal(view, frame.language, page.problem);
  return RenderTemplate("mirror_explain", frame.language, view.Set("asked_version", page.version));
}

std::string RenderVerifyLock(const PageFrame& frame, const VerifyLockPage& page) {
  // A browser cuts longer texts silently; the server says that they are too large.
  constexpr unsigned kMostPasted = 100'000'000;
  View view = FrameView(frame);
  view.Set("f_lock", FieldView(frame.language, page.errors,
                               {.name = VerifyLockPage::kField,
                                .value = page.text,
                                .most = kMostPasted,
                                .is_required = true}));
  AddFormErrors(view, frame.language, page.errors);
  std::optional<View> report;
  if (page.providers) report = LockReportView(*page.providers);
  return RenderTemplate("verify_lock", frame.language, view.Set("report", report));
}

}  // namespace koya::web
