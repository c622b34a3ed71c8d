#include "web/providers/provider_history_pages.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/clock.h"
#include "base/encoding.h"
#include "web/common/form_parts.h"
#include "web/common/page_paths.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"

namespace koya::web {
KOYA_VIEW(wire::UsageRow, name, count, archives, consumers, people);
KOYA_VIEW(wire::ImpactCaller, address, version, part, constraint);
KOYA_VIEW(wire::UsedBy, counted, named, partial, total, people, bots, behind, dependents_more);

namespace {

constexpr std::string_view kSectionsInOrder[] = {"platforms", "protocols", "keys", "schema",
                                                 "docs"};

View ChangeView(const wire::ComparedChange& change) {
  return View()
      .Set("what", change.what)
      .Set("sentence", change.text)
      .Set("kind", change.kind)
      .Set("severity", change.severity);
}

std::vector<View> SectionViewsOf(std::span<const wire::ComparedChange> changes) {
  std::vector<View> views;
  for (std::string_view section : kSectionsInOrder) {
    std::vector<View> lines;
    for (const wire::ComparedChange& change : changes) {
      if (change.section == section) lines.push_back(ChangeView(change));
    }
    if (!lines.empty()) views.push_back(View().Set("section", section).List("lines", lines));
  }
  return views;
}

UnixSeconds DayTime(const std::string& day) { return ParseRfc3339(day).value_or(0); }

template <class Row>
std::span<const Row> FirstRows(const std::vector<Row>& rows) {
  return std::span(rows).first(std::min<std::size_t>(rows.size(), UsedByPage::kMostRows));
}

// Fetches of each day of the period.
std::vector<std::uint64_t> SeriesOf(const wire::UsedBy& used, std::uint64_t days) {
  constexpr UnixSeconds kDay = 86'400;
  std::vector<std::uint64_t> series(days, 0);
  for (const wire::UsageDayCount& each : used.days) {
    const std::int64_t place = (DayTime(each.day) - DayTime(used.since)) / kDay;
    if (place >= 0 && static_cast<std::uint64_t>(place) < days) {
      series[static_cast<std::size_t>(place)] += each.count;
    }
  }
  return series;
}

View ConsumerView(const UsedByPage& page, const wire::UsedByConsumer& consumer) {
  constexpr std::size_t kMostFetched = 8;
  const std::size_t shown = std::min(consumer.versions.size(), kMostFetched);
  return View()
      .Set("name", consumer.name)
      .Set("sent_by", consumer.label.empty() ? "" : consumer.principal)
      .Set("consumer_behind", consumer.behind)
      .Set("more_fetched", consumer.versions.size() - shown)
      .List("fetched", std::span(consumer.versions).first(shown),
            [&page](const wire::FetchedVersion& each) {
              return View()
                  .Set("version", each.version)
                  .Set("last_at", DayTime(each.last))
                  .Set("version_path", page.package + "/" + PercentEncode(each.version));
            });
}

View DependentView(const wire::ImpactCaller& module) {
  const bool is_mirrored = std::ranges::count(module.address, '/') == 3;
  return View().Of(module).Set("dependent_path",
                               (is_mirrored ? "/-/mirror" : "") + ModulePath(module.address));
}

}  // namespace

std::string RenderProviderChanges(const PageFrame& frame, const ProviderChangesPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kChanges);
  AddRefusal(view, frame.language, page.problem);
  const wire::Comparison compared = page.compared.value_or(wire::Comparison());
  const std::span changes(compared.changes);
  const std::size_t shown = std::min(changes.size(), page.most_changes);
  const bool fits = page.compared && compared.agrees;
  view.Set("from", page.from)
      .Set("to", page.to)
      .Set("is_compared", page.compared.has_value())
      .Set("has_nothing", page.from.empty() && page.problem.empty())
      .Set("agrees", fits && page.is_judged)
      .Set("disagrees", page.compared && !compared.agrees)
      .Set("is_not_judged", fits && !page.is_judged)
      .Set("step", compared.verdict)
      .Set("wanted", compared.wanted)
      .List("change_sections", SectionViewsOf(changes.first(shown)))
      .Set("more_changes", changes.size() - shown);
  return RenderTemplate("provider_changes", frame.language, view);
}

void AddUsedBy(View& view, const UsedByPage& page) {
  const wire::UsedBy& used = page.used;
  const wire::UsedByMeta& meta = used.meta;
  View part;
  part.Of(used)
      .Set("days", page.days)
      .Set("counted_since", DayTime(used.counted_since))
      .Set("consumer_count", meta.total)
      .Set("has_dependents", !page.command.empty())
      .Set("more_versions", used.versions.size() - FirstRows(used.versions).size())
      .List("versions", FirstRows(used.versions),
            [&page](const wire::UsageRow& each) {
              return View()
                  .Of(each)
                  .Set("last_at", DayTime(each.last_day))
                  .Set("version_path", page.package + "/" + PercentEncode(each.name));
            })
      .List("consumers", used.consumers,
            [&page](const wire::UsedByConsumer& each) { return ConsumerView(page, each); })
      .List("dependents", used.dependents, DependentView);
  AddBars(part, SeriesOf(used, page.days));
  AddPager(part,
           {.offset = meta.current_offset,
            .shown = used.consumers.size(),
            .size = UsedByPage::kMostRows,
            .total = used.named ? meta.total : 0},
           page.path);
  view.Set("used", part);
  AddCommand(view, page.command);
}

std::string RenderProviderUsage(const PageFrame& frame, const ProviderUsagePage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kUsage);
  AddUsedBy(view, page.used);
  return RenderTemplate("provider_usage", frame.language, view);
}

}  // namespace koya::web
