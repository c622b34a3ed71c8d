#include "web/common/namespace_head.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "web/common/package_paths.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"

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
      .Set("visibility", head.visibility)
      .Set("tab", tab)
      .Flag("is_owner_here", head.is_owner)
      .Text("packages_path", NamespacePath(head.name))
      .Text("keys_path", NamespaceTabPath(head.name, "keys"))
      .Text("people_path", NamespaceTabPath(head.name, "people"))
      .Text("publishing_path", NamespaceTabPath(head.name, "publishing"))
      .Text("ns_settings_path", NamespaceTabPath(head.name, "settings"))
      .Text("activity_path", NamespaceTabPath(head.name, "activity"));
}

void AddOwners(View& view, const NamespaceOwners& owners) {
  std::vector<View> views;
  views.reserve(owners.owners.size());
  for (const NamespaceOwner& owner : owners.owners) {
    views.push_back(View()
                        .Text("owner_name", owner.name)
                        .Flag("is_owning_group", owner.kind == GranteeKind::kGroup)
                        .Flag("is_owning_service", owner.kind == GranteeKind::kService));
  }
  view.Flag("has_owners", !views.empty())
      .List("owners", std::move(views))
      .Text("more_owners", owners.more == 0 ? "" : NumberText(owners.more));
}

}  // namespace koya::web
