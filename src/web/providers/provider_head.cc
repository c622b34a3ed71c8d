#include "web/providers/provider_head.h"

#include <fmt/format.h>

#include <utility>

#include "base/percent_encoding.h"
#include "inspect/documents.h"
#include "web/common/namespace_head.h"
#include "web/common/package_paths.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostProtocolsShown = 6;

std::string ProtocolsText(const std::vector<std::string>& protocols) {
  std::string text;
  for (std::size_t i = 0; i < protocols.size() && i < kMostProtocolsShown; ++i) {
    text += (text.empty() ? "" : ", ") + protocols[i];
  }
  return text;
}

std::vector<View> MenuViews(const ProviderHead& head, Language language) {
  std::vector<View> views;
  views.reserve(head.menu.size());
  for (const ShownRelease& each : head.menu) {
    View view;
    view.Text("menu_path", ProviderVersionPath(head.name, each.version) + head.menu_end)
        .Text("menu_version", each.version)
        .Flag("is_shown", each.version == head.version)
        .Flag("is_latest", each.is_latest)
        .Flag("is_deprecated", each.is_deprecated)
        .Flag("has_menu_date", each.published_at != 0);
    AddTime(view, "menu", language, each.published_at);
    views.push_back(std::move(view));
  }
  return views;
}

void AddSignature(View& view, ShownSignature signature) {
  view.Flag("is_signed_valid", signature == ShownSignature::kValid)
      .Flag("is_signed_server", signature == ShownSignature::kServer)
      .Flag("is_signed_ended", signature == ShownSignature::kEnded)
      .Flag("is_signed_removed", signature == ShownSignature::kRemoved)
      .Flag("is_signed_upstream", signature == ShownSignature::kUpstream)
      .Flag("is_signed_none", signature == ShownSignature::kNone)
      .Flag("is_signed_unknown", signature == ShownSignature::kUnknown);
}

void AddTabs(View& view, const ProviderHead& head, ProviderTab tab) {
  const std::string base = ProviderPath(head.name);
  const std::string of_version = ProviderVersionPath(head.name, head.version);
  const bool is_latest = head.version == head.latest;
  const bool is_mirrored = !head.name.host.empty();
  view.Text("overview_path", is_latest ? base : of_version)
      .Text("docs_path", head.docs ? of_version + "/docs" : "")
      .Text("docs_count", head.docs.value_or(0) == 0 ? "" : NumberText(*head.docs))
      .Text("versions_path", base + "/versions")
      .Text("versions_count", NumberText(head.versions))
      .Text("keys_path", is_mirrored ? "" : base + "/keys")
      .Text("keys_count", head.keys ? NumberText(*head.keys) : "")
      .Text("changes_path", is_mirrored ? "" : base + "/changes")
      .Text("usage_path", base + "/usage")
      .Flag("tab_overview", tab == ProviderTab::kOverview)
      .Flag("tab_docs", tab == ProviderTab::kDocs)
      .Flag("tab_versions", tab == ProviderTab::kVersions)
      .Flag("tab_keys", tab == ProviderTab::kKeys)
      .Flag("tab_changes", tab == ProviderTab::kChanges)
      .Flag("tab_usage", tab == ProviderTab::kUsage);
}

}  // namespace

std::string ProviderPath(const ProviderName& name) {
  const std::string address = name.ns + "/" + name.type;
  if (name.host.empty()) return ProviderPath(address);
  return "/-/mirror" + ProviderPath(name.host + "/" + address);
}

std::string ProviderVersionPath(const ProviderName& name, std::string_view version) {
  return ProviderPath(name) + "/" + PercentEncode(version);
}

void AddProviderHead(View& view, const ProviderHead& head, ProviderTab tab, Language language) {
  const bool is_older = head.version != head.latest && !head.is_prerelease;
  view.Text("provider_ns", head.name.ns)
      .Text("provider_type", head.name.type)
      .Text("provider_host", head.name.host)
      .Text("title_provider", TitleText(head.name.ns + "/" + head.name.type))
      .Text("title_version", TitleText(head.version))
      .Text("provider_description", head.description)
      .Text("provider_lang", inspect::GuessLanguage(head.description))
      .Text("shown_version", head.version)
      .Text("latest", head.latest)
      .Text("twin_path", ProviderVersionPath(head.name, head.version))
      .Text("latest_path", head.menu_end.empty()
                               ? ProviderPath(head.name)
                               : ProviderVersionPath(head.name, head.latest) + head.menu_end)
      .Flag("is_older", is_older)
      .Flag("is_prerelease", head.is_prerelease)
      .Text("older_changes_path",
            head.name.host.empty() && is_older
                ? fmt::format("{}/changes?from={}&to={}", ProviderPath(head.name),
                              PercentEncode(head.version), PercentEncode(head.latest))
                : "")
      .Text("published_by", head.published_by)
      .Flag("has_published", head.published_at != 0)
      .Text("protocols", ProtocolsText(head.protocols))
      .Text("fetches", head.fetches ? NumberText(*head.fetches) : "")
      .Text("deprecation", head.deprecation)
      .Text("deprecation_lang", inspect::GuessLanguage(head.deprecation))
      .List("menu", MenuViews(head, language));
  AddTime(view, "published", language, head.published_at);
  AddSignature(view, head.signature);
  AddOwners(view, head.owners);
  AddTabs(view, head, tab);
}

void PlaceProviderPage(PageFrame& frame, const ProviderHead& head, std::string path) {
  const ProviderName& name = head.name;
  if (name.host.empty()) {
    frame.current = Section::kProviders;
    frame.crumbs = {{name.ns, NamespacePath(name.ns)}};
    frame.feed = ProviderFeedPath(name.ns + "/" + name.type);
  } else {
    frame.current = Section::kMirror;
    frame.crumbs = {{name.host, "/-/mirror/packages?q=" + PercentEncode(name.host)}};
  }
  frame.canonical = std::move(path);
  frame.description = head.description;
}

}  // namespace koya::web
