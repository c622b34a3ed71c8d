#include "web/access/admin_grants.h"

#include <algorithm>
#include <iterator>

#include "web/common/admin_parts.h"
#include "web/common/page_paths.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"

namespace koya::web {
KOYA_VIEW(AdminGrantsPage::Row, ns, title, visibility);
KOYA_VIEW(WhyQuestion, who, kind, deed, ns);
KOYA_VIEW(AdminWhyPage::Answer, may, reason, name, ns, has_namespace, visibility, grants);

namespace {

// The highest roles first.
View NamespaceRow(const AdminGrantsPage::Row& row) {
  std::vector<GrantRecord> grants;
  for (Role role : {Role::kOwner, Role::kPublisher, Role::kReader}) {
    std::ranges::copy_if(row.grants, std::back_inserter(grants),
                         [role](const GrantRecord& grant) { return grant.role == role; });
  }
  const std::size_t shown = std::min(grants.size(), AdminGrantsPage::kMostGrants);
  const std::size_t more = grants.size() - shown;
  grants.resize(shown);
  return View()
      .Of(row)
      .Set("path", NamespacePath(row.ns))
      .Set("grants", grants)
      .Set("more_grants", more);
}

void AddGrantForm(View& view, const PageFrame& frame, const AdminGrantsPage& page) {
  auto field = [&](std::string_view name, std::string_view value, bool is_required) {
    return FieldView(
        frame.language, page.errors,
        {.name = name, .value = value, .most = 128, .is_required = is_required, .has_hint = false});
  };
  view.Set("f_ns", field("ns", page.ns, true))
      .Set("f_kind", field("kind", page.kind, false))
      .Set("f_grantee", field("grantee", page.grantee, true))
      .Set("f_role", field("role", page.role, false))
      .Set("kind", page.kind.empty() ? "group" : page.kind)
      .Set("role", page.role.empty() ? "reader" : page.role);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             "koya grant add NAMESPACE ROLE --group NAME\n"
             "koya grant remove NAMESPACE --group NAME");
}

}  // namespace

std::string RenderAdminGrants(const PageFrame& frame, const AdminGrantsPage& page) {
  View view = AdminView(frame, AdminTab::kGrants, "koya grant list NAMESPACE");
  view.Set("asked", WhyQuestion());
  AddGrantForm(view, frame, page);
  std::string path = AdminPath(AdminTab::kGrants);
  if (!page.query.empty()) path = PathWith(path, "q", page.query);
  view.Set("query", page.query)
      .Set("found_nothing", page.rows.empty() && !page.query.empty())
      .Set("has_nothing", page.rows.empty() && page.query.empty())
      .List("rows", page.rows, NamespaceRow);
  AddPager(view, page.part, path);
  return RenderTemplate("admin_grants", frame.language, view);
}

std::string RenderAdminWhy(const PageFrame& frame, const AdminWhyPage& page) {
  View view = AdminView(frame, AdminTab::kGrants, "koya grant list NAMESPACE");
  AddRefusal(view, frame.language, page.problem);
  std::optional<AdminWhyPage::Answer> answer = page.answer;
  if (answer && answer->grants.size() > AdminWhyPage::kMostGrants) {
    answer->grants.resize(AdminWhyPage::kMostGrants);
  }
  view.Set("asked", page.question).Set("answer", answer);
  return RenderTemplate("admin_why", frame.language, view);
}

}  // namespace koya::web
