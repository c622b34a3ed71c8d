#include "web/common/owners.h"

#include <utility>
#include <vector>

#include "web/common/view_parts.h"

namespace koya::web {

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
