#include "web/providers/provider_history_pages.h"

#include <array>
#include <utility>

#include "web/common/refusal.h"
#include "web/common/template_engine.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

using Section = ProviderChange::Section;
using Sign = ProviderChange::Sign;
using Weight = ProviderChange::Weight;

constexpr std::array<Section, 6> kSectionsInOrder{Section::kPlatforms, Section::kProtocols,
                                                  Section::kKeys,      Section::kSchema,
                                                  Section::kDocs,      Section::kOther};

View ChangeView(const ProviderChange& change) {
  return View()
      .Text("change_what", change.what)
      .Text("change_sentence", change.sentence)
      .Flag("is_added", change.sign == Sign::kAdded)
      .Flag("is_changed", change.sign == Sign::kChanged)
      .Flag("is_removed", change.sign == Sign::kRemoved)
      .Flag("is_moved", change.sign == Sign::kMoved)
      .Flag("is_safe", change.weight == Weight::kSafe)
      .Flag("is_compatible", change.weight == Weight::kCompatible)
      .Flag("is_read", change.weight == Weight::kRead)
      .Flag("is_breaking", change.weight == Weight::kBreaking);
}

std::vector<View> SectionViewsOf(const std::vector<ProviderChange>& changes) {
  std::vector<View> views;
  for (Section section : kSectionsInOrder) {
    std::vector<View> lines;
    for (const ProviderChange& change : changes) {
      if (change.section == section) lines.push_back(ChangeView(change));
    }
    if (lines.empty()) continue;
    views.push_back(View()
                        .Flag("in_platforms", section == Section::kPlatforms)
                        .Flag("in_protocols", section == Section::kProtocols)
                        .Flag("in_keys", section == Section::kKeys)
                        .Flag("in_schema", section == Section::kSchema)
                        .Flag("in_docs", section == Section::kDocs)
                        .Flag("in_other", section == Section::kOther)
                        .List("lines", std::move(lines)));
  }
  return views;
}

View ShareView(Language language, const UsageShare& share) {
  View view;
  view.Text("share_name", share.name)
      .Text("share_path", share.path)
      .Text("share_fetches", NumberText(share.fetches))
      .Text("share_archives", NumberText(share.archives))
      .Text("share_consumers", NumberText(share.consumers))
      .Text("share_people", NumberText(share.people))
      .Flag("has_last", share.last_at != 0);
  AddTime(view, "last", language, share.last_at);
  return view;
}

std::vector<View> ShareViews(Language language, const std::vector<UsageShare>& shares) {
  std::vector<View> views;
  views.reserve(shares.size());
  for (const UsageShare& share : shares) views.push_back(ShareView(language, share));
  return views;
}

}  // namespace

std::string RenderProviderChanges(const PageFrame& frame, const ProviderChangesPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kChanges, frame.language);
  const bool fits = page.is_compared && page.agrees;
  AddRefusal(view, frame.language, page.problem);
  view.Text("from", page.from)
      .Text("to", page.to)
      .Flag("is_compared", page.is_compared)
      .Flag("has_nothing", page.from.empty() && page.problem.empty())
      .Flag("agrees", fits && page.is_judged)
      .Flag("disagrees", page.is_compared && !page.agrees)
      .Flag("is_not_judged", fits && !page.is_judged)
      .Text("wanted", page.wanted)
      .Flag("has_changes", !page.changes.empty())
      .List("change_sections", SectionViewsOf(page.changes))
      .Text("more_changes", page.all_changes > page.changes.size()
                                ? NumberText(page.all_changes - page.changes.size())
                                : "");
  AddStep(view, page.is_compared ? page.needed : ShownStep::kNone);
  return RenderTemplate("provider_changes", frame.language, view);
}

std::string RenderProviderUsage(const PageFrame& frame, const ProviderUsagePage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kUsage, frame.language);
  view.Flag("is_counted", page.is_counted)
      .Text("days", NumberText(page.days))
      .Text("usage_fetches", NumberText(page.fetches))
      .Text("usage_archives", NumberText(page.archives))
      .Text("usage_consumers", NumberText(page.consumers))
      .Text("usage_people", NumberText(page.people))
      .Text("usage_bots", page.bots == 0 ? "" : NumberText(page.bots))
      .Flag("is_partial", page.is_partial)
      .Flag("has_usage", !page.versions.empty())
      .List("usage_versions", ShareViews(frame.language, page.versions))
      .Text("more_versions", page.more_versions == 0 ? "" : NumberText(page.more_versions))
      .Flag("is_named", page.is_named)
      .Flag("has_consumers", !page.consumer_shares.empty())
      .List("usage_consumer_list", ShareViews(frame.language, page.consumer_shares))
      .Text("more_consumers", page.more_consumers == 0 ? "" : NumberText(page.more_consumers))
      .Flag("is_mirrored", !page.head.name.host.empty());
  AddBars(view, page.series);
  return RenderTemplate("provider_usage", frame.language, view);
}

}  // namespace koya::web
