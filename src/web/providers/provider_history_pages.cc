#include "web/providers/provider_history_pages.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"

namespace koya::web {
KOYA_VIEW(UsageShare, name, path, fetches, archives, consumers, people, last_at);
KOYA_VIEW(ProviderUsagePage, is_counted, days, fetches, archives, bots, consumers, people,
          is_partial, versions, more_versions, is_named, consumer_shares, more_consumers);

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

std::string RenderProviderUsage(const PageFrame& frame, const ProviderUsagePage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kUsage);
  view.Set("usage", page);
  AddBars(view, page.series);
  return RenderTemplate("provider_usage", frame.language, view);
}

}  // namespace koya::web
