#include "web/common/namespace_head.h"

#include <fmt/format.h>

#include "inspect/documents.h"
#include "web/common/html_text.h"
#include "web/common/owners.h"
#include "web/common/package_paths.h"

namespace koya::web {

std::string NamespaceTabPath(std::string_view ns, std::string_view rest) {
  return fmt::format("{}/{}", NamespacePath(ns), rest);
}

namespace {

// For <title>: as feeds name it.
std::string WholeName(const NamespaceHead& head) {
  return head.title.empty() ? head.name : fmt::format("{} ({})", head.title, head.name);
}

}  // namespace

void AddNamespaceHead(View& view, const NamespaceHead& head, NamespaceTab tab) {
  AddOwners(view, head.owners);
  view.Text("name", head.name)
      .Text("title_name", TitleText(WholeName(head)))
      .Text("ns_title", head.title)
      .Text("ns_title_lang", inspect::GuessLanguage(head.title))
      .Flag("is_public", head.visibility == Visibility::kPublic)
      .Flag("is_internal", head.visibility == Visibility::kInternal)
      .Flag("is_private", head.visibility == Visibility::kPrivate)
      .Flag("is_owner_here", head.is_owner)
      .Text("packages_path", NamespacePath(head.name))
      .Text("keys_path", NamespaceTabPath(head.name, "keys"))
      .Text("people_path", NamespaceTabPath(head.name, "people"))
      .Text("publishing_path", NamespaceTabPath(head.name, "publishing"))
      .Text("ns_settings_path", NamespaceTabPath(head.name, "settings"))
      .Text("activity_path", NamespaceTabPath(head.name, "activity"))
      .Flag("tab_packages", tab == NamespaceTab::kPackages)
      .Flag("tab_keys", tab == NamespaceTab::kKeys)
      .Flag("tab_people", tab == NamespaceTab::kPeople)
      .Flag("tab_publishing", tab == NamespaceTab::kPublishing)
      .Flag("tab_ns_settings", tab == NamespaceTab::kSettings)
      .Flag("tab_activity", tab == NamespaceTab::kActivity);
}

}  // namespace koya::web
